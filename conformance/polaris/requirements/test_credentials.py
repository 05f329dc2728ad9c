"""Credentials after each other: optional fields of a reset, secrets of before, and what rotation and reset keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, shows, unequal
from conformance.author.requirement import must, should
from conformance.polaris.callers import Credentials
from conformance.polaris.catalog import PolarisCatalog, credentials
from conformance.polaris.entities import PRINCIPAL, SINCE, Names
from conformance.polaris.support.grants import OLDER
from conformance.polaris.support.principals import PRINCIPAL_ROLES, opens, refuses, rotated
from conformance.values.outcomes import Skipped, Unoffered

RESET, ROTATE = "resetCredentials", "rotateCredentials"
DENIED, DONE = 403, 200
LIST_NAMESPACES = OLDER["catalog"].grant((), "NAMESPACE_LIST")


def _may_reset(catalog: PolarisCatalog) -> None:
    """Raise Skipped when the caller of the run may not reset credentials."""
    with catalog.client.preparing(), catalog.target.surroundings.plain():
        id, _ = catalog.new_principal()
        if catalog.send(RESET, PRINCIPAL.place(id), {}, expect=(DONE, DENIED)).status == DENIED:
            raise Skipped("the caller of the run may not reset credentials", "--credential of another caller")


def _reset(catalog: PolarisCatalog, id: Names, _known: Credentials, body: Any = b"") -> Credentials:
    return credentials(catalog.send(RESET, PRINCIPAL.place(id), body))


def _is_reset(catalog: PolarisCatalog, body: Any) -> None:
    _may_reset(catalog)
    id, known = catalog.new_principal()
    for _ in range(2):
        new = _reset(catalog, id, known, body)
        unequal(new.secret, known.secret, "the new secret")
        equal(catalog.get(PRINCIPAL, id).get("clientId", new.id), new.id, "the clientId of the principal")
        opens(catalog, new)
        refuses(catalog, known)
        known = new


@must("polaris.principal.reset.no_body", operations=[RESET], clause="reset-body-optional", since=SINCE, twin=True)
def test_reset_without_a_body(catalog: PolarisCatalog) -> None:
    """Each resetCredentials without a body issues new credentials, which obtain a token."""
    _is_reset(catalog, None)


@should("polaris.principal.reset.nulls", operations=[RESET], clause="reset-nulls", since=SINCE)
def test_reset_with_nulls(catalog: PolarisCatalog) -> None:
    """resetCredentials takes a clientId and a clientSecret that are null as absent."""
    _is_reset(catalog, {"clientId": None, "clientSecret": None})


@should("polaris.principal.reset.chosen_secret", operations=[RESET], clause="reset-chosen", since=SINCE)
def test_reset_to_a_chosen_secret(catalog: PolarisCatalog) -> None:
    """resetCredentials with a clientSecret alone sets it and keeps the clientId or issues another one."""
    _may_reset(catalog)
    id, known = catalog.new_principal()
    chosen = f"lakeproof-chosen-secret-0123456789{id[-1]}"
    answer = catalog.send(RESET, PRINCIPAL.place(id), {"clientSecret": chosen}, expect=(DONE, 400, DENIED))
    if not answer.succeeded:
        raise Unoffered("the server lets nobody choose a secret")
    new = credentials(answer)
    equal(new.secret == chosen, True, "whether the secret is the chosen one")
    opens(catalog, new)
    refuses(catalog, known)


@should("polaris.principal.reset.twice", operations=[RESET], clause="reset", kind="auth", since=SINCE)
def test_reset_twice(catalog: PolarisCatalog) -> None:
    """Each resetCredentials issues another secret, and only the last one obtains a token."""
    _may_reset(catalog)
    id, known = catalog.new_principal()
    first, second = (_reset(catalog, id, known, {}) for _ in range(2))
    unequal(second.secret, first.secret, "the secret of the second reset")
    refuses(catalog, first)
    opens(catalog, second)


@should("polaris.principal.reset.then_rotated", operations=[RESET, ROTATE], clause="reset", kind="auth", since=SINCE)
def test_rotation_after_a_reset(catalog: PolarisCatalog) -> None:
    """Secrets that resetCredentials invalidated stay invalid after the next rotateCredentials."""
    _may_reset(catalog)
    id, known = catalog.new_principal()
    before = rotated(catalog, id, known)
    reset = _reset(catalog, id, known, {})
    new = rotated(catalog, id, reset)
    for old in (known, before):
        refuses(catalog, old)
    opens(catalog, new)


# What rotation and reset keep


@dataclass(frozen=True, slots=True)
class Renewal:
    """Operation that issues new credentials, with a function that sends it and returns them."""

    id: str
    send: Callable[[PolarisCatalog, Names, Credentials], Credentials]


ROTATION = {"rotate": Renewal(ROTATE, rotated)}
RESETTING = {"reset": Renewal(RESET, _reset)}


def _keeps(catalog: PolarisCatalog, case: Renewal) -> None:
    caller = catalog.new_caller(LIST_NAMESPACES)
    id = (caller.principal,)
    before = catalog.get(PRINCIPAL, id)
    with catalog.client.preparing():
        version = before["entityVersion"]
        catalog.update(PRINCIPAL, id, currentEntityVersion=version, properties={"a": "1"})
        catalog.within(catalog.home, caller.client).list_namespaces()
    new = case.send(catalog, id, caller.credentials)
    catalog.within(catalog.home, catalog.logged_in(new)).list_namespaces()
    roles = PRINCIPAL_ROLES.of_taker(catalog, (caller.principal_role,), id)
    equal(roles, [caller.principal_role], "the roles of the principal")
    after = catalog.get(PRINCIPAL, id)
    shows(after["properties"], {"a": "1"}, "the properties of the principal")
    equal(after.get("createTimestamp"), before.get("createTimestamp"), "the createTimestamp of the principal")


def _alone(catalog: PolarisCatalog, case: Renewal) -> None:
    (_, earlier), (id, known), (_, later) = (catalog.new_principal() for _ in range(3))
    case.send(catalog, id, known)
    for other in (earlier, later):
        opens(catalog, other)


@must("polaris.principal.{}.keeps", clause="renewal-keeps", each=ROTATION)
def test_rotation_keeps(catalog: PolarisCatalog, case: Renewal) -> None:
    """{} keeps the roles, properties and access of the principal."""
    _keeps(catalog, case)


@must("polaris.principal.{}.keeps", clause="renewal-keeps", each=RESETTING, since=SINCE)
def test_reset_keeps(catalog: PolarisCatalog, case: Renewal) -> None:
    """{} keeps the roles, properties and access of the principal."""
    _may_reset(catalog)
    _keeps(catalog, case)


@must("polaris.principal.{}.alone", clause="renewal-keeps", each=ROTATION)
def test_rotation_of_one(catalog: PolarisCatalog, case: Renewal) -> None:
    """{} of one principal leaves the secrets of other principals valid."""
    _alone(catalog, case)


@must("polaris.principal.{}.alone", clause="renewal-keeps", each=RESETTING, since=SINCE)
def test_reset_of_one(catalog: PolarisCatalog, case: Renewal) -> None:
    """{} of one principal leaves the secrets of other principals valid."""
    _may_reset(catalog)
    _alone(catalog, case)
