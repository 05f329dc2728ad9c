"""Access in several ways at once: what one grant or role gives stays when another one is taken away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must
from conformance.http.client import Client
from conformance.polaris.callers import Caller
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE, Names
from conformance.polaris.support.grants import OLDER, REVOKE, add, revoke
from conformance.polaris.support.principals import CATALOG_ROLES, PRINCIPAL_ROLES
from conformance.polaris.support.readables import DENIED, TYPES, ReadableType

LIST_NAMESPACES = OLDER["catalog"].grant((), "NAMESPACE_LIST")


@must("polaris.ways.levels.{}", operations=[REVOKE], clause="grant-revoked", kind="auth", each=TYPES)
def test_one_level_after_another(catalog: PolarisCatalog, case: ReadableType) -> None:
    """Revoking a privilege at one level leaves the access to a {} that the privilege gives at other levels."""
    thing, caller = case.new(catalog), catalog.new_caller()
    role = (catalog.home, caller.catalog_role)
    around = [OLDER["namespace"].grant(thing[:-1], case.privilege)] if case.field else []
    levels = [OLDER["catalog"].grant((), case.privilege), *around, case.grant(thing)]
    with catalog.client.preparing():
        case.read(catalog, caller.client, thing, expect=DENIED)
        for grant in levels:  # each of them lets the caller read
            add(catalog, role, grant)
            case.read(catalog, caller.client, thing)
            revoke(catalog, role, grant)
    for order in (levels, levels[::-1]):
        with catalog.client.preparing():
            for grant in levels:
                add(catalog, role, grant)
        for grant in order[:-1]:
            revoke(catalog, role, grant)
            case.read(catalog, caller.client, thing)
        revoke(catalog, role, order[-1])
        case.read(catalog, caller.client, thing, expect=DENIED)


# Two ways for one caller


def _lists(catalog: PolarisCatalog, client: Client, *, allowed: bool = True) -> None:
    catalog.within(catalog.home, client).list_namespaces(expect=200 if allowed else DENIED)


@dataclass(frozen=True, slots=True)
class TwoWays:
    """Second way of a caller to a privilege that its role gives, and how either of the two ends.

    `open` makes the second way and returns a function that ends it; `close` ends the first one.
    """

    id: str
    operation: str
    open: Callable[[PolarisCatalog, Caller], Callable[[], Any]]
    close: Callable[[PolarisCatalog, Caller], Any]


def _second_catalog_role(catalog: PolarisCatalog, caller: Caller) -> Names:
    """Assign another catalog role with the same grant to the principal role of a caller."""
    other = catalog.new(CATALOG_ROLE)
    add(catalog, other, LIST_NAMESPACES)
    CATALOG_ROLES.give(catalog, other, (caller.principal_role,))
    return other


def _second_principal_role(catalog: PolarisCatalog, caller: Caller) -> Names:
    """Assign another principal role with the same catalog role to a caller."""
    other = catalog.new(PRINCIPAL_ROLE)
    CATALOG_ROLES.give(catalog, (catalog.home, caller.catalog_role), other)
    PRINCIPAL_ROLES.give(catalog, other, (caller.principal,))
    return other


def _by_revoke(catalog: PolarisCatalog, caller: Caller) -> Callable[[], Any]:
    other = _second_catalog_role(catalog, caller)
    return lambda: CATALOG_ROLES.take(catalog, other, (caller.principal_role,))


def _by_deleted_role(catalog: PolarisCatalog, caller: Caller) -> Callable[[], Any]:
    other = _second_catalog_role(catalog, caller)
    return lambda: catalog.delete(CATALOG_ROLE, other)


def _by_unassigned(catalog: PolarisCatalog, caller: Caller) -> Callable[[], Any]:
    other = _second_principal_role(catalog, caller)
    return lambda: PRINCIPAL_ROLES.take(catalog, other, (caller.principal,))


def _by_deleted_principal_role(catalog: PolarisCatalog, caller: Caller) -> Callable[[], Any]:
    other = _second_principal_role(catalog, caller)
    return lambda: catalog.delete(PRINCIPAL_ROLE, other)


def _by_grant(catalog: PolarisCatalog, caller: Caller) -> Callable[[], Any]:
    other = _second_catalog_role(catalog, caller)
    return lambda: revoke(catalog, other, LIST_NAMESPACES)


WAYS = {
    "grant": TwoWays(
        "the grant of one catalog role is revoked",
        REVOKE,
        _by_grant,
        lambda catalog, caller: revoke(catalog, (catalog.home, caller.catalog_role), LIST_NAMESPACES),
    ),
    "catalog_role": TwoWays(
        "one catalog role is revoked",
        CATALOG_ROLES.revoke,
        _by_revoke,
        lambda catalog, caller: CATALOG_ROLES.take(
            catalog, (catalog.home, caller.catalog_role), (caller.principal_role,)
        ),
    ),
    "deleted_catalog_role": TwoWays(
        "one catalog role is deleted",
        CATALOG_ROLE.delete,
        _by_deleted_role,
        lambda catalog, caller: catalog.delete(CATALOG_ROLE, (catalog.home, caller.catalog_role)),
    ),
    "principal_role": TwoWays(
        "one principal role is revoked",
        PRINCIPAL_ROLES.revoke,
        _by_unassigned,
        lambda catalog, caller: PRINCIPAL_ROLES.take(catalog, (caller.principal_role,), (caller.principal,)),
    ),
    "deleted_principal_role": TwoWays(
        "one principal role is deleted",
        PRINCIPAL_ROLE.delete,
        _by_deleted_principal_role,
        lambda catalog, caller: catalog.delete(PRINCIPAL_ROLE, (caller.principal_role,)),
    ),
}


@must("polaris.ways.two.{}", operations=lambda case: [case.operation], clause="other-ways-stay", kind="auth", each=WAYS)
def test_second_way_stays(catalog: PolarisCatalog, case: TwoWays) -> None:
    """A caller with a privilege in two ways keeps it when {}, and loses it with the other way."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    with catalog.client.preparing():
        end_second = case.open(catalog, caller)
        _lists(catalog, caller.client)
    case.close(catalog, caller)
    _lists(catalog, caller.client)
    end_second()
    _lists(catalog, caller.client, allowed=False)


# One role of two callers


@dataclass(frozen=True, slots=True)
class SharedRole:
    """Role that two callers have: `share` gives it to the second one, `take` takes it from the first one."""

    id: str
    operation: str
    share: Callable[[PolarisCatalog, Caller, Caller], Any]
    take: Callable[[PolarisCatalog, Caller], Any]


def _share_principal_role(catalog: PolarisCatalog, first: Caller, second: Caller) -> None:
    PRINCIPAL_ROLES.give(catalog, (first.principal_role,), (second.principal,))


def _share_catalog_role(catalog: PolarisCatalog, first: Caller, second: Caller) -> None:
    CATALOG_ROLES.give(catalog, (catalog.home, first.catalog_role), (second.principal_role,))


SHARED = {
    "revoked_principal_role": SharedRole(
        "revokePrincipalRole from one principal",
        PRINCIPAL_ROLES.revoke,
        _share_principal_role,
        lambda catalog, caller: PRINCIPAL_ROLES.take(catalog, (caller.principal_role,), (caller.principal,)),
    ),
    "deleted_principal": SharedRole(
        "deletePrincipal of one principal",
        PRINCIPAL.delete,
        _share_principal_role,
        lambda catalog, caller: catalog.delete(PRINCIPAL, (caller.principal,)),
    ),
    "revoked_catalog_role": SharedRole(
        "revokeCatalogRoleFromPrincipalRole from one principal role",
        CATALOG_ROLES.revoke,
        _share_catalog_role,
        lambda catalog, caller: CATALOG_ROLES.take(
            catalog, (catalog.home, caller.catalog_role), (caller.principal_role,)
        ),
    ),
    "deleted_principal_role": SharedRole(
        "deletePrincipalRole of one principal role",
        PRINCIPAL_ROLE.delete,
        _share_catalog_role,
        lambda catalog, caller: catalog.delete(PRINCIPAL_ROLE, (caller.principal_role,)),
    ),
}


@must(
    "polaris.ways.shared.{}",
    operations=lambda case: [case.operation],
    clause="other-ways-stay",
    kind="auth",
    each=SHARED,
)
def test_shared_role_stays(catalog: PolarisCatalog, case: SharedRole) -> None:
    """After {}, another caller keeps the access that the same role gives."""
    first, second = catalog.new_caller(LIST_NAMESPACES), catalog.new_caller()
    with catalog.client.preparing():
        _lists(catalog, second.client, allowed=False)
        case.share(catalog, first, second)
        _lists(catalog, second.client)
    case.take(catalog, first)
    _lists(catalog, second.client)
