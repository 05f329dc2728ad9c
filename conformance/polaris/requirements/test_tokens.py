"""Tokens: active roles, exchange, credentials and refusals."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote_plus

from conformance.author.checks import above, equal, number, one_of, status_is, text
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.http.client import bearer
from conformance.iceberg.support.content import ACCESS_TOKEN, EXCHANGE
from conformance.polaris.callers import EVERY_ROLE, Caller
from conformance.polaris.catalog import GET_TOKEN, PolarisCatalog
from conformance.polaris.support.principals import PRINCIPAL_ROLES, REFUSED, opens, takes
from conformance.values.outcomes import Unoffered

TOKEN = [GET_TOKEN]
LIST_NAMESPACES = {"type": "catalog", "privilege": "NAMESPACE_LIST"}
ROLE = "PRINCIPAL_ROLE:{}"
DENIED = (401, 403)


def _lists(catalog: PolarisCatalog, caller: Caller, scope: str) -> Answer:
    """List the namespaces with a token for a scope, and accept 200, 401 and 403."""
    client = catalog.logged_in(caller.credentials, scope)
    return catalog.within(catalog.home, client).list_namespaces(expect=(200, *DENIED))


@should("polaris.token.all_roles", operations=TOKEN, clause="scope-all")
def test_scope_of_all_roles(catalog: PolarisCatalog) -> None:
    """A token with the scope PRINCIPAL_ROLE:ALL activates every role of the principal."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    status_is(_lists(catalog, caller, EVERY_ROLE).status, 200)


@should("polaris.token.one_role", operations=TOKEN, clause="scope-role", kind="auth")
def test_scope_of_one_role(catalog: PolarisCatalog) -> None:
    """A token with the scope of one role activates that role and no other role of the principal."""
    caller, other = catalog.new_caller(LIST_NAMESPACES), catalog.new_caller()
    PRINCIPAL_ROLES.give(catalog, (other.principal_role,), (caller.principal,))
    status_is(_lists(catalog, caller, ROLE.format(caller.principal_role)).status, 200, "the status with the role")
    status_is(_lists(catalog, caller, ROLE.format(other.principal_role)).status, 403, "the status with another role")
    both = f"{ROLE.format(other.principal_role)} {ROLE.format(caller.principal_role)}"
    status_is(_lists(catalog, caller, both).status, 200, "the status with both roles")


@should("polaris.token.foreign_role", operations=TOKEN, clause="scope-role-not-given", kind="auth")
def test_scope_of_a_role_that_one_has_not(catalog: PolarisCatalog) -> None:
    """getToken for a role that the principal lacks is rejected, or its token does not activate that role."""
    caller, powerful = catalog.new_caller(), catalog.new_caller(LIST_NAMESPACES)
    form = caller.credentials.form(ROLE.format(powerful.principal_role))
    answer = catalog.ask_token(form, expect=(200, *REFUSED))
    if answer.succeeded:
        client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
        catalog.within(catalog.home, client).list_namespaces(expect=DENIED)


@should(
    "polaris.token.foreign_role_status", operations=TOKEN, clause="scope-role-unauthorized", kind="auth", since="1.7"
)
def test_status_with_a_role_that_one_has_not(catalog: PolarisCatalog) -> None:
    """A request with a token for a role that the principal lacks returns 401."""
    caller, powerful = catalog.new_caller(), catalog.new_caller(LIST_NAMESPACES)
    for role in (powerful.principal_role, catalog.target.missing_name):
        status_is(_lists(catalog, caller, ROLE.format(role)).status, 401)


@should("polaris.token.revoked_role", operations=TOKEN, clause="scope-role-unauthorized", kind="auth", since="1.7")
def test_token_whose_role_was_revoked(catalog: PolarisCatalog) -> None:
    """After its role is revoked, a token for that role gets 401 and a token for all roles gets 403."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    named = catalog.logged_in(caller.credentials, ROLE.format(caller.principal_role))
    clients = [(named, 401), (catalog.logged_in(caller.credentials), 403)]
    for client, _ in clients:
        catalog.within(catalog.home, client).list_namespaces()
    PRINCIPAL_ROLES.take(catalog, (caller.principal_role,), (caller.principal,))
    for client, status in clients:
        catalog.within(catalog.home, client).list_namespaces(expect=status)


# Fields of the response, and basic authentication


@should("polaris.token.expiry", operations=TOKEN, clause="token-expiry")
def test_expiry_of_a_token(catalog: PolarisCatalog) -> None:
    """getToken returns a positive expires_in, token_type bearer and, if any, issued_token_type access_token."""
    _, known = catalog.new_principal()
    answer = catalog.ask_token(known.form())
    above(number(answer["expires_in"], "expires_in"), 0, "expires_in")
    equal(text(answer["token_type"], "the token_type").lower(), "bearer", "the token_type")
    equal(answer.get("issued_token_type", ACCESS_TOKEN), ACCESS_TOKEN, "the issued_token_type")


@should("polaris.token.basic", operations=TOKEN, clause="token-basic-header")
def test_basic_authentication(catalog: PolarisCatalog) -> None:
    """getToken accepts the credentials of a principal in a Basic Authorization header."""
    _, known = catalog.new_principal()
    pair = base64.b64encode(f"{quote_plus(known.id)}:{quote_plus(known.secret)}".encode()).decode()
    form = {"grant_type": "client_credentials", "scope": EVERY_ROLE}
    answer = catalog.ask_token(form, headers={"Authorization": f"Basic {pair}"})
    takes(catalog, catalog.client.as_(bearer(text(answer["access_token"], "the access_token"))))


# Token exchange


def _exchange(catalog: PolarisCatalog, token: str, scope: str = "") -> Answer:
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ACCESS_TOKEN}
    more = {"scope": scope} if scope else {}
    headers = {"Authorization": f"Bearer {token}"}
    answer = catalog.ask_token({**form, **more}, expect=(200, *REFUSED), headers=headers)
    if not answer.succeeded and answer.get("error") == "unsupported_grant_type":
        raise Unoffered("the server exchanges no tokens")
    return answer


@should("polaris.token.exchange", operations=TOKEN, clause="exchange-same-principal", kind="auth")
def test_exchanged_token(catalog: PolarisCatalog) -> None:
    """Token exchange returns a token of the same principal with the same roles."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    token = text(catalog.ask_token(caller.credentials.form())["access_token"], "the access_token")
    answer = _exchange(catalog, token)
    status_is(answer.status, 200)
    client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
    catalog.within(catalog.home, client).list_namespaces()
    catalog.called_by(client).list_principals(expect=403)
    catalog.called_by(client).rotate_credentials(caller.principal)


@should("polaris.token.exchange_scope", operations=TOKEN, clause="exchange-scope", kind="auth", since="1.7")
def test_exchanged_token_of_fewer_roles(catalog: PolarisCatalog) -> None:
    """Token exchange with a scope returns a token with only the roles that the scope names."""
    caller, other = catalog.new_caller(LIST_NAMESPACES), catalog.new_caller()
    PRINCIPAL_ROLES.give(catalog, (other.principal_role,), (caller.principal,))
    token = text(catalog.ask_token(caller.credentials.form())["access_token"], "the access_token")
    answer = _exchange(catalog, token, ROLE.format(other.principal_role))
    status_is(answer.status, 200)
    client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
    catalog.within(catalog.home, client).list_namespaces(expect=403)


# Invalid requests


@dataclass(frozen=True, slots=True)
class InvalidTokenRequest:
    """Invalid token request: the changed fields of the form, and the OAuth error codes that fit."""

    id: str
    changes: Callable[[PolarisCatalog], dict[str, str]]
    codes: tuple[str, ...]
    statuses: tuple[int, ...] = REFUSED


CLIENT = ("invalid_client", "unauthorized_client")
SCOPE = ("invalid_scope",)
REFUSALS = {
    "unknown_client": InvalidTokenRequest(
        "an unknown client_id", lambda catalog: {"client_id": catalog.target.missing_name}, CLIENT
    ),
    "wrong_secret": InvalidTokenRequest("a wrong secret", lambda _: {"client_secret": "lakeproof-wrong"}, CLIENT),
    "no_client": InvalidTokenRequest("no client_id", lambda _: {"client_id": ""}, (*CLIENT, "invalid_request")),
    "no_secret": InvalidTokenRequest("no secret", lambda _: {"client_secret": ""}, (*CLIENT, "invalid_request")),
    "no_scope": InvalidTokenRequest("no scope", lambda _: {"scope": ""}, SCOPE, (400,)),
    "other_scope": InvalidTokenRequest("an unknown scope", lambda _: {"scope": "catalog"}, SCOPE, (400,)),
    "empty_role": InvalidTokenRequest("a scope without a role", lambda _: {"scope": "PRINCIPAL_ROLE:"}, SCOPE, (400,)),
    "mixed_scope": InvalidTokenRequest(
        "a scope with an unknown part", lambda _: {"scope": f"{EVERY_ROLE} catalog"}, SCOPE, (400,)
    ),
    "unknown_grant": InvalidTokenRequest(
        "an unknown grant_type", lambda _: {"grant_type": "password"}, ("unsupported_grant_type",), (400,)
    ),
    "no_grant": InvalidTokenRequest(
        "no grant_type", lambda _: {"grant_type": ""}, ("unsupported_grant_type", "invalid_request")
    ),
}


@should("polaris.token.refused.{}", operations=TOKEN, clause="token-refusals", kind="error", each=REFUSALS)
def test_refused_tokens(catalog: PolarisCatalog, case: InvalidTokenRequest) -> None:
    """getToken with {} returns 400, or 401 if the credentials are wrong, with the matching OAuth 2 error code."""
    _, known = catalog.new_principal()
    opens(catalog, known)
    form = {**known.form(), **case.changes(catalog)}
    refused = catalog.ask_token({name: value for name, value in form.items() if value}, expect=case.statuses)
    one_of(refused.get("error"), case.codes, "the error")


@must("polaris.token.own_secret", operations=TOKEN, clause="secret-of-a-principal", kind="auth")
def test_secret_of_another_principal(catalog: PolarisCatalog) -> None:
    """getToken with the secret of another principal returns 400 or 401."""
    (_, credentials), (_, other) = catalog.new_principal(), catalog.new_principal()
    opens(catalog, credentials)
    catalog.ask_token({**credentials.form(), "client_secret": other.secret}, expect=REFUSED)
