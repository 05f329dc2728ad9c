"""Tokens: which roles they make active, how they are exchanged, when they are refused."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote_plus

from conformance.author.checks import above, equal, number, one_of, text
from conformance.author.requirement import must, should
from conformance.http.client import Answer, bearer
from conformance.iceberg.support.content import ACCESS_TOKEN, EXCHANGE
from conformance.polaris.catalog import EVERY_ROLE, GET_TOKEN, Caller, PolarisCatalog
from conformance.polaris.support.assignments import PRINCIPAL_ROLES
from conformance.polaris.support.tokens import REFUSED, opens, takes
from conformance.values.outcomes import Unoffered

TOKEN = [GET_TOKEN]
LIST_NAMESPACES = {"type": "catalog", "privilege": "NAMESPACE_LIST"}
ROLE = "PRINCIPAL_ROLE:{}"
DENIED = (401, 403)


def _lists(catalog: PolarisCatalog, caller: Caller, scope: str) -> Answer:
    """List the namespaces with a token for a scope, whatever comes of it."""
    client = catalog.logged_in(caller.credentials, scope)
    return catalog.within(catalog.home, client).list_namespaces(expect=(200, *DENIED))


@should("polaris.token.all_roles", operations=TOKEN, clause="scope-all")
def test_scope_of_all_roles(catalog: PolarisCatalog) -> None:
    """A token for PRINCIPAL_ROLE:ALL makes every role of the principal active."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    equal(_lists(catalog, caller, EVERY_ROLE).status, 200, "the status")


@should("polaris.token.one_role", operations=TOKEN, clause="scope-role", kind="auth")
def test_scope_of_one_role(catalog: PolarisCatalog) -> None:
    """A token for one role makes this role active, and no other role of the principal."""
    caller, other = catalog.new_caller(LIST_NAMESPACES), catalog.new_caller()
    PRINCIPAL_ROLES.give(catalog, (other.principal_role,), (caller.principal,))
    equal(_lists(catalog, caller, ROLE.format(caller.principal_role)).status, 200, "the status with the role")
    equal(_lists(catalog, caller, ROLE.format(other.principal_role)).status, 403, "the status with another role")
    both = f"{ROLE.format(other.principal_role)} {ROLE.format(caller.principal_role)}"
    equal(_lists(catalog, caller, both).status, 200, "the status with both roles")


@should("polaris.token.foreign_role", operations=TOKEN, clause="scope-role-not-given", kind="auth")
def test_scope_of_a_role_that_one_has_not(catalog: PolarisCatalog) -> None:
    """A token for a role that the principal has not gives nothing of that role."""
    caller, powerful = catalog.new_caller(), catalog.new_caller(LIST_NAMESPACES)
    form = caller.credentials.form(ROLE.format(powerful.principal_role))
    answer = catalog.ask_token(form, expect=(200, *REFUSED))
    if answer.status == 200:
        client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
        catalog.within(catalog.home, client).list_namespaces(expect=DENIED)


@should(
    "polaris.token.foreign_role_status", operations=TOKEN, clause="scope-role-unauthorized", kind="auth", since="1.7"
)
def test_status_with_a_role_that_one_has_not(catalog: PolarisCatalog) -> None:
    """A token that names a role which the principal has not is refused with 401 when it is used."""
    caller, powerful = catalog.new_caller(), catalog.new_caller(LIST_NAMESPACES)
    for role in (powerful.principal_role, catalog.target.missing_name):
        equal(_lists(catalog, caller, ROLE.format(role)).status, 401, "the status")


@should("polaris.token.revoked_role", operations=TOKEN, clause="scope-role-unauthorized", kind="auth", since="1.7")
def test_token_whose_role_was_revoked(catalog: PolarisCatalog) -> None:
    """When a role is revoked, a token that names it is refused with 401, and one for all roles gives less: 403."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    named = catalog.logged_in(caller.credentials, ROLE.format(caller.principal_role))
    clients = [(named, 401), (catalog.logged_in(caller.credentials), 403)]
    for client, _ in clients:
        catalog.within(catalog.home, client).list_namespaces()
    PRINCIPAL_ROLES.take(catalog, (caller.principal_role,), (caller.principal,))
    for client, status in clients:
        catalog.within(catalog.home, client).list_namespaces(expect=status)


# What a token comes with


@should("polaris.token.expiry", operations=TOKEN, clause="token-expiry")
def test_expiry_of_a_token(catalog: PolarisCatalog) -> None:
    """The answer says in how many seconds the token expires, and of which kind and type it is."""
    _, known = catalog.new_principal()
    answer = catalog.ask_token(known.form())
    above(number(answer["expires_in"], "expires_in"), 0, "expires_in")
    equal(text(answer["token_type"], "the token_type").lower(), "bearer", "the token_type")
    equal(answer.get("issued_token_type", ACCESS_TOKEN), ACCESS_TOKEN, "the issued_token_type")


@should("polaris.token.basic", operations=TOKEN, clause="token-basic-header")
def test_basic_authentication(catalog: PolarisCatalog) -> None:
    """The credentials of a principal may come by basic authentication."""
    _, known = catalog.new_principal()
    pair = base64.b64encode(f"{quote_plus(known.id)}:{quote_plus(known.secret)}".encode()).decode()
    form = {"grant_type": "client_credentials", "scope": EVERY_ROLE}
    answer = catalog.ask_token(form, headers={"Authorization": f"Basic {pair}"})
    takes(catalog, catalog.client.as_(bearer(text(answer["access_token"], "the access_token"))))


# Exchange


def _exchange(catalog: PolarisCatalog, token: str, scope: str = "") -> Answer:
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ACCESS_TOKEN}
    more = {"scope": scope} if scope else {}
    headers = {"Authorization": f"Bearer {token}"}
    answer = catalog.ask_token({**form, **more}, expect=(200, *REFUSED), headers=headers)
    if answer.status != 200 and answer.get("error") == "unsupported_grant_type":
        raise Unoffered("the server exchanges no tokens")
    return answer


@should("polaris.token.exchange", operations=TOKEN, clause="exchange-same-principal", kind="auth")
def test_exchanged_token(catalog: PolarisCatalog) -> None:
    """A token got in exchange for another one is that of the same principal, with the same roles."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    token = text(catalog.ask_token(caller.credentials.form())["access_token"], "the access_token")
    answer = _exchange(catalog, token)
    equal(answer.status, 200, "the status")
    client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
    catalog.within(catalog.home, client).list_namespaces()
    catalog.called_by(client).list_principals(expect=403)
    catalog.called_by(client).rotate_credentials(caller.principal)


@should("polaris.token.exchange_scope", operations=TOKEN, clause="exchange-scope", kind="auth", since="1.7")
def test_exchanged_token_of_fewer_roles(catalog: PolarisCatalog) -> None:
    """A token got in exchange may have fewer active roles: those that the scope names."""
    caller, other = catalog.new_caller(LIST_NAMESPACES), catalog.new_caller()
    PRINCIPAL_ROLES.give(catalog, (other.principal_role,), (caller.principal,))
    token = text(catalog.ask_token(caller.credentials.form())["access_token"], "the access_token")
    answer = _exchange(catalog, token, ROLE.format(other.principal_role))
    equal(answer.status, 200, "the status")
    client = catalog.client.as_(bearer(text(answer["access_token"], "the access_token")))
    catalog.within(catalog.home, client).list_namespaces(expect=403)


# Refusals


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request for a token that is refused: the fields that differ from a good one, the codes that say why."""

    id: str
    changes: Callable[[PolarisCatalog], dict[str, str]]
    codes: tuple[str, ...]
    statuses: tuple[int, ...] = REFUSED


CLIENT = ("invalid_client", "unauthorized_client")
SCOPE = ("invalid_scope",)
REFUSALS = {
    "unknown_client": Refusal(
        "an unknown client_id", lambda catalog: {"client_id": catalog.target.missing_name}, CLIENT
    ),
    "wrong_secret": Refusal("a wrong secret", lambda _: {"client_secret": "lakeproof-wrong"}, CLIENT),
    "no_client": Refusal("no client_id", lambda _: {"client_id": ""}, (*CLIENT, "invalid_request")),
    "no_secret": Refusal("no secret", lambda _: {"client_secret": ""}, (*CLIENT, "invalid_request")),
    "no_scope": Refusal("no scope", lambda _: {"scope": ""}, SCOPE, (400,)),
    "other_scope": Refusal("an unknown scope", lambda _: {"scope": "catalog"}, SCOPE, (400,)),
    "empty_role": Refusal("a scope without a role", lambda _: {"scope": "PRINCIPAL_ROLE:"}, SCOPE, (400,)),
    "mixed_scope": Refusal("a scope with an unknown part", lambda _: {"scope": f"{EVERY_ROLE} catalog"}, SCOPE, (400,)),
    "unknown_grant": Refusal(
        "an unknown grant_type", lambda _: {"grant_type": "password"}, ("unsupported_grant_type",), (400,)
    ),
    "no_grant": Refusal("no grant_type", lambda _: {"grant_type": ""}, ("unsupported_grant_type", "invalid_request")),
}


@should("polaris.token.refused.{}", operations=TOKEN, clause="token-refusals", kind="error", each=REFUSALS)
def test_refused_tokens(catalog: PolarisCatalog, case: Refusal) -> None:
    """A request for a token with {} is refused, and the error says why in the words of OAuth 2."""
    _, known = catalog.new_principal()
    opens(catalog, known)
    form = {**known.form(), **case.changes(catalog)}
    refused = catalog.ask_token({name: value for name, value in form.items() if value}, expect=case.statuses)
    one_of(refused.get("error"), case.codes, "the error")


@must("polaris.token.own_secret", operations=TOKEN, clause="secret-of-a-principal", kind="auth")
def test_secret_of_another_principal(catalog: PolarisCatalog) -> None:
    """The secret of one principal gets no token for another one."""
    (_, credentials), (_, other) = catalog.new_principal(), catalog.new_principal()
    opens(catalog, credentials)
    catalog.ask_token({**credentials.form(), "client_secret": other.secret}, expect=REFUSED)
