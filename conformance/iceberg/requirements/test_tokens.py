"""getToken: grants, OAuth2 errors and secrets. Most requirements need the id and the secret of a client."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote_plus

from conformance.author.checks import above, equal, holds, one_of, status_is, text
from conformance.author.requirement import may, must, should
from conformance.http.answers import Answer
from conformance.http.routers import UNSUPPORTED_TYPE
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import ACCESS_TOKEN, EXCHANGE, Form, credentials_form, exchange_form, scope_of
from conformance.values.json_values import shown
from conformance.values.outcomes import Skipped, Unoffered

TOKEN = ["getToken"]
REFUSED = (400, 401)
WRONG = "lakeproof-wrong-secret"
TOKEN_TYPES = "urn:ietf:params:oauth:token-type:"  # noqa: S105 - a prefix of names
UNKNOWN_GRANT = "urn:lakeproof:grant-type:nothing"


def _require_credential(catalog: IcebergCatalog) -> tuple[str, str]:
    """Return the client's id and secret. Raises Skipped when the run has none."""
    credential = catalog.target.settings.client_credentials
    if credential is None:
        raise Skipped("the run has no credential, and the server may issue no tokens", "--credential")
    return credential


def _issued(catalog: IcebergCatalog) -> str:
    """Return a new token for the credential of the run."""
    _require_credential(catalog)
    return text(catalog.get_token(credentials_form(catalog.target.settings))["access_token"], "the access_token")


def _exchanged(catalog: IcebergCatalog) -> Answer:
    """Exchange a token for another one. Raises Unoffered where the server does not support it."""
    token = _issued(catalog)
    form = exchange_form(catalog.target.settings, token)
    answer = catalog.get_token(form, expect=(200, *REFUSED), _headers=_bearer(token))
    if answer.status == 400 and answer.get("error") in ("unsupported_grant_type", "invalid_request"):
        raise Unoffered("the server exchanges no tokens")
    return answer


def _bearer(token: str) -> dict[str, str]:
    holds(token.isascii() and token.isprintable(), "the access_token can be sent in a header")
    return {"Authorization": f"Bearer {token}"}


def _opens(catalog: IcebergCatalog, token: str) -> None:
    catalog.send("listNamespaces", headers=_bearer(token))


@must("iceberg.token.client_credentials", operations=TOKEN, clause="token-grants")
def test_token_for_a_credential(catalog: IcebergCatalog) -> None:
    """getToken with client id and secret returns a token and its type, and the token authorizes requests."""
    _require_credential(catalog)
    answer = catalog.get_token(credentials_form(catalog.target.settings))
    text(answer["token_type"], "the token_type")
    _opens(catalog, text(answer["access_token"], "the access_token"))


@should("iceberg.token.lifetime", operations=TOKEN, clause="token-lifetime")
def test_lifetime_of_a_token(catalog: IcebergCatalog) -> None:
    """expires_in of a token, if returned, is above 0."""
    _require_credential(catalog)
    seconds = catalog.get_token(credentials_form(catalog.target.settings)).get("expires_in")
    if seconds is None:
        raise Unoffered("the server does not tell how long a token is good")
    above(seconds, 0, "expires_in")


@should("iceberg.token.type", operations=TOKEN, clause="token-type")
def test_type_of_a_token(catalog: IcebergCatalog) -> None:
    """token_type of a token that works as a bearer token is bearer, in any letter case."""
    _require_credential(catalog)
    answer = catalog.get_token(credentials_form(catalog.target.settings))
    _opens(catalog, text(answer["access_token"], "the access_token"))
    equal(text(answer["token_type"], "the token_type").lower(), "bearer", "the token_type")


@should("iceberg.token.basic", operations=TOKEN, clause="token-basic")
def test_basic_authentication(catalog: IcebergCatalog) -> None:
    """getToken with HTTP basic authentication returns a token that authorizes requests."""
    id, secret = _require_credential(catalog)
    pair = base64.b64encode(f"{quote_plus(id)}:{quote_plus(secret)}".encode()).decode()
    form = {"grant_type": "client_credentials", **scope_of(catalog.target.settings)}
    answer = catalog.get_token(form, _headers={"Authorization": f"Basic {pair}"})
    _opens(catalog, text(answer["access_token"], "the access_token"))


@may("iceberg.token.exchange", operations=TOKEN, clause="token-exchange")
def test_exchange(catalog: IcebergCatalog) -> None:
    """getToken exchanges a valid token for another one that authorizes requests."""
    answer = _exchanged(catalog)
    status_is(answer.status, 200)
    _opens(catalog, text(answer["access_token"], "the access_token"))


@must("iceberg.token.issued_type", operations=TOKEN, clause="token-issued-type")
def test_kind_of_an_exchanged_token(catalog: IcebergCatalog) -> None:
    """A token exchange returns an issued_token_type of RFC 8693."""
    answer = _exchanged(catalog)
    if not answer.succeeded:
        raise Unoffered("the server does not exchange the token")
    kind = answer.get("issued_token_type")
    named = str(kind).startswith(TOKEN_TYPES)
    holds(named, f"the issued_token_type {shown(kind)} starts with {TOKEN_TYPES}")


# Rejections

Refuse = Callable[[IcebergCatalog], Answer]


@dataclass(frozen=True, slots=True)
class TokenRefusal:
    """Token request that the server must reject, and the error codes that fit."""

    id: str
    send: Refuse
    codes: frozenset[str]


def _form(**changes: str) -> Refuse:
    """Return a sender of the run's credential form with other fields; an empty one is left out."""

    def send(catalog: IcebergCatalog) -> Answer:
        _require_credential(catalog)
        form: Form = {**credentials_form(catalog.target.settings), **changes}
        return catalog.get_token({name: value for name, value in form.items() if value}, expect=REFUSED)

    return send


def _exchange(**changes: str) -> Refuse:
    def send(catalog: IcebergCatalog) -> Answer:
        _require_credential(catalog)
        form = {"grant_type": EXCHANGE, "subject_token": WRONG, "subject_token_type": ACCESS_TOKEN, **changes}
        return catalog.get_token({name: value for name, value in form.items() if value}, expect=REFUSED)

    return send


def _json(catalog: IcebergCatalog) -> Answer:
    id, secret = _require_credential(catalog)
    body = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
    return catalog.send("getToken", body=body, headers={"Authorization": None}, expect=(*REFUSED, UNSUPPORTED_TYPE))


CLIENT = frozenset({"invalid_client", "unauthorized_client"})
REQUEST = frozenset({"invalid_request"})
GRANT = frozenset({"unsupported_grant_type"})
REFUSALS = {
    "wrong_secret": TokenRefusal("a wrong secret", _form(client_secret=WRONG), CLIENT),
    "no_secret": TokenRefusal("no secret", _form(client_secret=""), CLIENT | REQUEST),
    "unknown_grant": TokenRefusal("a grant that does not exist", _form(grant_type=UNKNOWN_GRANT), GRANT),
    "no_grant": TokenRefusal("no grant", _form(grant_type=""), REQUEST | GRANT),
    "wrong_subject": TokenRefusal(
        "a wrong token to exchange",
        _exchange(),
        frozenset({"invalid_grant", "invalid_request", "unsupported_grant_type", *CLIENT}),
    ),
    "no_subject": TokenRefusal("no token to exchange", _exchange(subject_token=""), REQUEST | GRANT | CLIENT),
    "json": TokenRefusal("a JSON body in place of the form", _json, REQUEST | GRANT | CLIENT),
}


@must("iceberg.token.refused.{}", operations=TOKEN, clause="token-errors", kind="error", each=REFUSALS)
def test_refused_token(catalog: IcebergCatalog, case: TokenRefusal) -> None:
    """getToken with {} returns 400 or 401 with an OAuth2 error."""
    answer = case.send(catalog)
    if answer.status != UNSUPPORTED_TYPE:
        text(answer.get("error"), "the error")


@should("iceberg.token.error_code.{}", operations=TOKEN, clause="token-error-codes", kind="error", each=REFUSALS)
def test_code_of_a_refusal(catalog: IcebergCatalog, case: TokenRefusal) -> None:
    """getToken with {} returns an OAuth2 error code that fits the mistake."""
    answer = case.send(catalog)
    if answer.status != UNSUPPORTED_TYPE:
        one_of(answer.get("error"), sorted(case.codes), "the error")


@should("iceberg.token.secrets", operations=TOKEN, clause="token-secrets", kind="error")
def test_refusals_keep_secrets(catalog: IcebergCatalog) -> None:
    """getToken errors do not repeat the secret or the token of the request."""
    for name in ("wrong_secret", "wrong_subject"):
        answer = REFUSALS[name].send(catalog)
        holds(WRONG.encode() not in answer.body, "the refusal does not repeat the secret or token of the request")
