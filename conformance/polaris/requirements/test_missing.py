"""Operations on what does not exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, ENTITIES, PRINCIPAL, PRINCIPAL_ROLE, Entity
from conformance.polaris.support.grants import OLDER

GRANT = OLDER["catalog"].grant(())


@dataclass(frozen=True, slots=True)
class MissingCase:
    """A call of which one thing is missing. `deed` begins the statement, `path` and `body` make the request.

    Both are made of ExistingNames: of what is there, and a name that nothing has.
    """

    operation: str
    deed: str
    path: Callable[[Any], dict[str, str]]
    body: Callable[[Any], Any] = lambda _: None

    @property
    def id(self) -> str:
        """What the statement says of it."""
        return self.deed


@dataclass
class ExistingNames:
    """Names that are there, and one that nothing has; each is made when it is first asked for."""

    catalog: PolarisCatalog

    @property
    def missing(self) -> str:
        """A name that nothing has."""
        return self.catalog.target.missing_name

    @property
    def home(self) -> str:
        """A catalog."""
        return self.catalog.home

    @property
    def principal(self) -> str:
        """A principal."""
        return self.catalog.new(PRINCIPAL)[-1]

    @property
    def role(self) -> str:
        """A principal role."""
        return self.catalog.new(PRINCIPAL_ROLE)[-1]

    @property
    def catalog_role(self) -> str:
        """A role of the catalog."""
        return self.catalog.new(CATALOG_ROLE)[-1]


def _role(name: str) -> dict[str, Any]:
    return {"principalRole": {"name": name}}


def _catalog_role(name: str) -> dict[str, Any]:
    return {"catalogRole": {"name": name}}


def _catalog(name: str) -> dict[str, str]:
    return {"catalogName": name}


def _in(catalog: str, role: str) -> dict[str, str]:
    return {"catalogName": catalog, "catalogRoleName": role}


def _principal(name: str) -> dict[str, str]:
    return {"principalName": name}


def _of(role: str) -> dict[str, str]:
    return {"principalRoleName": role}


REVOKE = "revokeCatalogRoleFromPrincipalRole"
ASSIGN, ASSIGN_CATALOG = "assignPrincipalRole", "assignCatalogRoleToPrincipalRole"
ASSIGNED = "listCatalogRolesForPrincipalRole"
# What the document says 404 for.
STATED = {
    "principal_roles.principal": MissingCase(
        "listPrincipalRolesAssigned", "Listing the roles of a principal", lambda there: _principal(there.missing)
    ),
    "principal_roles.assign.principal": MissingCase(
        ASSIGN, "Giving a role to a principal", lambda there: _principal(there.missing), lambda there: _role(there.role)
    ),
    "principal_roles.assign.role": MissingCase(
        ASSIGN, "Giving a principal role", lambda there: _principal(there.principal), lambda there: _role(there.missing)
    ),
    "principal_roles.revoke.principal": MissingCase(
        "revokePrincipalRole",
        "Taking a role from a principal",
        lambda there: {**_principal(there.missing), **_of(there.role)},
    ),
    "principal_roles.revoke.role": MissingCase(
        "revokePrincipalRole",
        "Taking away a principal role",
        lambda there: {**_principal(there.principal), **_of(there.missing)},
    ),
    "principals.role": MissingCase(
        "listAssigneePrincipalsForPrincipalRole",
        "Listing the principals of a role",
        lambda there: _of(there.missing),
    ),
    "catalog_roles.role": MissingCase(
        ASSIGNED,
        "Listing the catalog roles of a principal role",
        lambda there: {**_of(there.missing), **_catalog(there.home)},
    ),
    "catalog_roles.catalog": MissingCase(
        ASSIGNED,
        "Listing the assigned roles of a catalog",
        lambda there: {**_of(there.role), **_catalog(there.missing)},
    ),
    "catalog_roles.revoke.role": MissingCase(
        REVOKE,
        "Taking a catalog role from a principal role",
        lambda there: {**_of(there.missing), **_in(there.home, there.catalog_role)},
    ),
    "catalog_roles.revoke.catalog": MissingCase(
        REVOKE,
        "Taking away a role of a catalog",
        lambda there: {**_of(there.role), **_in(there.missing, there.missing)},
    ),
    "catalog_roles.revoke.catalog_role": MissingCase(
        REVOKE, "Taking away a catalog role", lambda there: {**_of(there.role), **_in(there.home, there.missing)}
    ),
    "assignees.catalog": MissingCase(
        "listAssigneePrincipalRolesForCatalogRole",
        "Listing who has a role of a catalog",
        lambda there: _in(there.missing, there.missing),
    ),
    "assignees.role": MissingCase(
        "listAssigneePrincipalRolesForCatalogRole",
        "Listing who has a catalog role",
        lambda there: _in(there.home, there.missing),
    ),
    "catalog_role.create": MissingCase(
        "createCatalogRole",
        "Making a role in a catalog",
        lambda there: _catalog(there.missing),
        lambda there: _catalog_role(there.catalog.target.new_name()),
    ),
    "catalog_role.get": MissingCase(
        "getCatalogRole", "Asking for a role of a catalog", lambda there: _in(there.missing, there.missing)
    ),
    "catalog_role.delete": MissingCase(
        "deleteCatalogRole", "Deleting a role of a catalog", lambda there: _in(there.missing, there.missing)
    ),
    "grant.catalog": MissingCase(
        "addGrantToCatalogRole",
        "A grant to a role of a catalog",
        lambda there: _in(there.missing, there.missing),
        lambda _: {"grant": GRANT},
    ),
    "grant.role": MissingCase(
        "addGrantToCatalogRole",
        "A grant to a catalog role",
        lambda there: _in(there.home, there.missing),
        lambda _: {"grant": GRANT},
    ),
    "revoke.catalog": MissingCase(
        "revokeGrantFromCatalogRole",
        "A revoke from a role of a catalog",
        lambda there: _in(there.missing, there.missing),
        lambda _: {"grant": GRANT},
    ),
    "revoke.role": MissingCase(
        "revokeGrantFromCatalogRole",
        "A revoke from a catalog role",
        lambda there: _in(there.home, there.missing),
        lambda _: {"grant": GRANT},
    ),
}
# What it forgot.
UNSTATED = {
    "catalog_roles.assign.role": MissingCase(
        ASSIGN_CATALOG,
        "Giving a catalog role to a principal role",
        lambda there: {**_of(there.missing), **_catalog(there.home)},
        lambda there: _catalog_role(there.catalog_role),
    ),
    "catalog_roles.assign.catalog": MissingCase(
        ASSIGN_CATALOG,
        "Giving a role of a catalog",
        lambda there: {**_of(there.role), **_catalog(there.missing)},
        lambda there: _catalog_role(there.missing),
    ),
    "catalog_roles.assign.catalog_role": MissingCase(
        ASSIGN_CATALOG,
        "Giving a catalog role",
        lambda there: {**_of(there.role), **_catalog(there.home)},
        lambda there: _catalog_role(there.missing),
    ),
    "catalog_role.list": MissingCase(
        "listCatalogRoles", "Listing the roles of a catalog", lambda there: _catalog(there.missing)
    ),
    "grants.catalog": MissingCase(
        "listGrantsForCatalogRole",
        "Listing the grants of a role of a catalog",
        lambda there: _in(there.missing, there.missing),
    ),
    "grants.role": MissingCase(
        "listGrantsForCatalogRole", "Listing the grants of a catalog role", lambda there: _in(there.home, there.missing)
    ),
}


@must(
    "polaris.missing.{}",
    operations=lambda call: [call.operation],
    clause="missing-is-refused",
    kind="error",
    each=STATED,
)
def test_missing_is_refused(catalog: PolarisCatalog, case: MissingCase) -> None:
    """{} that does not exist is refused with 404."""
    _refused(catalog, case)


@should(
    "polaris.missing.{}",
    operations=lambda call: [call.operation],
    clause="missing-is-refused-too",
    kind="error",
    each=UNSTATED,
)
def test_missing_is_refused_too(catalog: PolarisCatalog, case: MissingCase) -> None:
    """{} that does not exist is refused with 404."""
    _refused(catalog, case)


def _refused(catalog: PolarisCatalog, case: MissingCase) -> None:
    there = ExistingNames(catalog)
    catalog.send(case.operation, case.path(there), case.body(there), expect=404)


@must(
    "polaris.missing.{}.found",
    operations=lambda entity: [entity.get],
    clause="missing-is-refused",
    kind="error",
    each=ENTITIES,
)
def test_missing_is_not_found(catalog: PolarisCatalog, case: Entity) -> None:
    """A {} that does not exist is not found: 404."""
    catalog.get(case, catalog.missing(case), expect=404)
