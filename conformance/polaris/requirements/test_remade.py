"""Deletions and revocations that last: through the next write, and when a name is given again."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, lacks, not_refused
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.http.client import Client
from conformance.polaris.callers import Caller
from conformance.polaris.catalog import PolarisCatalog, credentials
from conformance.polaris.entities import (
    CATALOG,
    CATALOG_ROLE,
    PRINCIPAL,
    PRINCIPAL_ROLE,
    EntityType,
    Names,
)
from conformance.polaris.inventory import CATALOG_ADMIN
from conformance.polaris.support.access.holes import let_through
from conformance.polaris.support.grants import (
    ADD,
    LIST,
    OLDER,
    REVOKE,
    SECURABLES,
    GrantableType,
    add,
    grants,
    new_role,
    revoke,
)
from conformance.polaris.support.principals import CATALOG_ROLES, PRINCIPAL_ROLES, refuses
from conformance.polaris.support.readables import DENIED, TYPES, ReadableType
from conformance.polaris.worlds import EMPTY
from conformance.values.outcomes import Blocked, Unoffered

REFUSED = (401, DENIED)
LIST_NAMESPACES = OLDER["catalog"].grant((), "NAMESPACE_LIST")
MANAGE = "CATALOG_MANAGE_ACCESS"  # a privilege on everything


def _made_again(catalog: PolarisCatalog, entity: EntityType, id: Names) -> Answer:
    """Create an entity under a deleted name. Raises Unoffered if the server does not give the name again."""
    answer = catalog.made_again(entity, id)
    if not answer.succeeded:
        raise Unoffered(f"the server does not give the name of a deleted {entity.id} again")
    return answer


def _allowed(catalog: PolarisCatalog) -> Caller:
    """Create a caller that may list the namespaces of the home catalog, and see that it may."""
    caller = catalog.new_caller(LIST_NAMESPACES)
    with catalog.client.preparing():
        _lists(catalog, caller.client, expect=200)
    return caller


def _lists(catalog: PolarisCatalog, client: Client, *, expect: Any = REFUSED, name: str = "") -> None:
    catalog.within(name or catalog.home, client).list_namespaces(expect=expect)


# Principals and roles


def _principal_made_again(catalog: PolarisCatalog) -> Caller:
    """Create a caller, delete it, and create a principal of its name with the same principal role."""
    caller = _allowed(catalog)
    catalog.delete(PRINCIPAL, (caller.principal,))
    _made_again(catalog, PRINCIPAL, (caller.principal,))
    PRINCIPAL_ROLES.give(catalog, (caller.principal_role,), (caller.principal,))
    return caller


@must("polaris.remade.principal.secret", operations=["deletePrincipal"], clause="principal-remade", kind="auth")
def test_secret_of_a_former_principal(catalog: PolarisCatalog) -> None:
    """The credentials of a deleted principal obtain no token after a principal of the same name was created."""
    refuses(catalog, _principal_made_again(catalog).credentials)


@must("polaris.remade.principal.token", operations=["deletePrincipal"], clause="principal-remade", kind="auth")
def test_token_of_a_former_principal(catalog: PolarisCatalog) -> None:
    """The token of a deleted principal gets 401 or 403, whatever a new principal of the same name may do."""
    _lists(catalog, _principal_made_again(catalog).client)


@must("polaris.remade.principal.access", operations=["deletePrincipal"], clause="assignments-go-along", kind="auth")
def test_access_of_a_former_principal(catalog: PolarisCatalog) -> None:
    """A principal under the name of a deleted one gets 403 where only the roles of the deleted one gave access."""
    caller = _allowed(catalog)
    catalog.delete(PRINCIPAL, (caller.principal,))
    made = credentials(_made_again(catalog, PRINCIPAL, (caller.principal,)))
    _lists(catalog, catalog.logged_in(made), expect=DENIED)


@must(
    "polaris.remade.principal_role.access",
    operations=["deletePrincipalRole"],
    clause="assignments-go-along",
    kind="auth",
)
def test_access_by_a_former_principal_role(catalog: PolarisCatalog) -> None:
    """The holders of a deleted principal role get no access from a new principal role of the same name."""
    caller = _allowed(catalog)
    catalog.delete(PRINCIPAL_ROLE, (caller.principal_role,))
    _made_again(catalog, PRINCIPAL_ROLE, (caller.principal_role,))
    CATALOG_ROLES.give(catalog, (catalog.home, caller.catalog_role), (caller.principal_role,))
    _lists(catalog, caller.client)


@must(
    "polaris.remade.catalog_role.access", operations=["deleteCatalogRole"], clause="assignments-go-along", kind="auth"
)
def test_access_by_a_former_catalog_role(catalog: PolarisCatalog) -> None:
    """The holders of a deleted catalog role get no access from a new catalog role of the same name."""
    caller = _allowed(catalog)
    role = (catalog.home, caller.catalog_role)
    catalog.delete(CATALOG_ROLE, role)
    _made_again(catalog, CATALOG_ROLE, role)
    add(catalog, role, LIST_NAMESPACES)
    _lists(catalog, caller.client)


@must(
    "polaris.remade.catalog.access",
    operations=["deleteCatalog"],
    clause="catalog-remade",
    kind="auth",
    world=EMPTY,
)
def test_access_to_a_former_catalog(catalog: PolarisCatalog) -> None:
    """A catalog under the name of a deleted one has none of its assignments and grants."""
    (name,) = catalog.new(CATALOG)
    caller, admin = catalog.new_caller(), (name, CATALOG_ADMIN)
    content = OLDER["catalog"].grant((), "CATALOG_MANAGE_CONTENT")
    with catalog.client.preparing():
        _lists(catalog, caller.client, name=name, expect=DENIED)
        CATALOG_ROLES.give(catalog, admin, (caller.principal_role,))
        add(catalog, admin, content)
        _lists(catalog, caller.client, name=name, expect=200)
    catalog.delete(CATALOG, (name,))
    _made_again(catalog, CATALOG, (name,))
    _lists(catalog, caller.client, name=name)
    lacks(grants(catalog, admin), [content], "the grants of catalog_admin")


# Objects in a catalog


@should("polaris.remade.{}.access", operations=[ADD], clause="grants-go-with-the-thing", kind="auth", each=TYPES)
def test_access_to_a_former_object(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A grant on a dropped {} gives no access to a new one of the same name."""
    caller, thing = catalog.new_caller(), case.new(catalog)
    role = (catalog.home, caller.catalog_role)
    add(catalog, role, case.grant(thing))
    with catalog.client.preparing():
        case.read(catalog, caller.client, thing)
        case.drop(catalog, thing)
        case.create(catalog, thing)
    answer = case.read(catalog, caller.client, thing, expect=None)
    if answer.status != DENIED:
        raise not_refused(answer, _former(case))
    equal(grants(catalog, role), [], "the grants")


@must("polaris.remade.{}.closed", operations=[ADD], clause="grants-open-no-other", kind="auth", each=TYPES)
def test_former_grants_open_nothing(catalog: PolarisCatalog, case: ReadableType) -> None:
    """A caller whose only grant was on a dropped {} cannot read a new one of the same name."""
    caller, thing = catalog.new_caller(), case.new(catalog)
    add(catalog, (catalog.home, caller.catalog_role), case.grant(thing))
    with catalog.client.preparing():
        case.read(catalog, caller.client, thing)
        case.drop(catalog, thing)
    try:
        with catalog.client.preparing():
            case.create(catalog, thing)
    except Blocked as error:
        raise Unoffered(f"the server does not give the name of a dropped {case.id} again") from error
    answer = case.read(catalog, caller.client, thing, expect=None)
    if answer.succeeded:
        raise let_through(answer, _former(case))


def _former(case: ReadableType) -> str:
    return f"a caller with {case.privilege} on the dropped {case.id} of this name"


# The next write


@must("polaris.grant.{}.not_back", operations=[ADD, REVOKE, LIST], clause="grant-revoked", each=SECURABLES)
def test_revoked_grant_stays_away(catalog: PolarisCatalog, case: GrantableType) -> None:
    """A grant on a {} that was revoked does not return with the next grant or revoke."""
    role, thing = new_role(catalog), case.new(catalog)
    add(catalog, role, case.grant(thing))
    revoke(catalog, role, case.grant(thing))
    add(catalog, role, case.grant(thing, MANAGE))
    equal(grants(catalog, role), [case.grant(thing, MANAGE)], "the grants")
    revoke(catalog, role, case.grant(thing, MANAGE))
    equal(grants(catalog, role), [], "the grants")
