"""Operations on catalogs, principals and roles that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, ENTITIES, PRINCIPAL, PRINCIPAL_ROLE, EntityType
from conformance.polaris.support.grants import OLDER

GRANT = OLDER["catalog"].grant(())


@dataclass(frozen=True, slots=True)
class MissingCase:
    """Request that names one missing object. `id` begins the statement; `path` and `body` build the request.

    Both take the ExistingNames of the example.
    """

    operation: str
    id: str
    path: Callable[[Any], dict[str, str]]
    body: Callable[[Any], Any] = lambda _: None


@dataclass
class ExistingNames:
    """Names of existing objects, each created on access, and a name without an object."""

    catalog: PolarisCatalog

    @property
    def missing(self) -> str:
        """The name without an object."""
        return self.catalog.target.missing_name

    @property
    def home(self) -> str:
        """The name of a catalog."""
        return self.catalog.home

    @property
    def principal(self) -> str:
        """The name of a new principal."""
        return self.catalog.new(PRINCIPAL)[-1]

    @property
    def role(self) -> str:
        """The name of a new principal role."""
        return self.catalog.new(PRINCIPAL_ROLE)[-1]

    @property
    def catalog_role(self) -> str:
        """The name of a new role of the catalog `home`."""
        return self.catalog.new(CATALOG_ROLE)[-1]


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
ASSIGN_CATALOG = "assignCatalogRoleToPrincipalRole"
ASSIGNED = "listCatalogRolesForPrincipalRole"
# The document declares 404 for these.
STATED = {
    "principal_roles.principal": MissingCase(
        "listPrincipalRolesAssigned",
        "listPrincipalRolesAssigned of a principal",
        lambda there: _principal(there.missing),
    ),
    "principals.role": MissingCase(
        "listAssigneePrincipalsForPrincipalRole",
        "listAssigneePrincipalsForPrincipalRole of a principal role",
        lambda there: _of(there.missing),
    ),
    "catalog_roles.role": MissingCase(
        ASSIGNED,
        "listCatalogRolesForPrincipalRole of a principal role",
        lambda there: {**_of(there.missing), **_catalog(there.home)},
    ),
    "catalog_roles.catalog": MissingCase(
        ASSIGNED,
        "listCatalogRolesForPrincipalRole in a catalog",
        lambda there: {**_of(there.role), **_catalog(there.missing)},
    ),
    "catalog_roles.revoke.catalog": MissingCase(
        REVOKE,
        "revokeCatalogRoleFromPrincipalRole in a catalog",
        lambda there: {**_of(there.role), **_in(there.missing, there.missing)},
    ),
    "assignees.catalog": MissingCase(
        "listAssigneePrincipalRolesForCatalogRole",
        "listAssigneePrincipalRolesForCatalogRole in a catalog",
        lambda there: _in(there.missing, there.missing),
    ),
    "assignees.role": MissingCase(
        "listAssigneePrincipalRolesForCatalogRole",
        "listAssigneePrincipalRolesForCatalogRole of a catalog role",
        lambda there: _in(there.home, there.missing),
    ),
    "catalog_role.create": MissingCase(
        "createCatalogRole",
        "createCatalogRole in a catalog",
        lambda there: _catalog(there.missing),
        lambda there: _catalog_role(there.catalog.target.new_name()),
    ),
    "catalog_role.get": MissingCase(
        "getCatalogRole", "getCatalogRole in a catalog", lambda there: _in(there.missing, there.missing)
    ),
    "catalog_role.delete": MissingCase(
        "deleteCatalogRole", "deleteCatalogRole in a catalog", lambda there: _in(there.missing, there.missing)
    ),
    "grant.catalog": MissingCase(
        "addGrantToCatalogRole",
        "addGrantToCatalogRole in a catalog",
        lambda there: _in(there.missing, there.missing),
        lambda _: {"grant": GRANT},
    ),
    "revoke.catalog": MissingCase(
        "revokeGrantFromCatalogRole",
        "revokeGrantFromCatalogRole in a catalog",
        lambda there: _in(there.missing, there.missing),
        lambda _: {"grant": GRANT},
    ),
}
# The document does not declare 404 for these.
UNSTATED = {
    "catalog_roles.assign.catalog": MissingCase(
        ASSIGN_CATALOG,
        "assignCatalogRoleToPrincipalRole in a catalog",
        lambda there: {**_of(there.role), **_catalog(there.missing)},
        lambda there: _catalog_role(there.missing),
    ),
    "catalog_role.list": MissingCase(
        "listCatalogRoles", "listCatalogRoles in a catalog", lambda there: _catalog(there.missing)
    ),
    "grants.catalog": MissingCase(
        "listGrantsForCatalogRole",
        "listGrantsForCatalogRole in a catalog",
        lambda there: _in(there.missing, there.missing),
    ),
    "grants.role": MissingCase(
        "listGrantsForCatalogRole",
        "listGrantsForCatalogRole of a catalog role",
        lambda there: _in(there.home, there.missing),
    ),
}


@must(
    "polaris.missing.{}",
    operations=lambda call: [call.operation],
    clause="missing-is-refused",
    kind="error",
    each=STATED,
    reads=True,
)
def test_missing_is_refused(catalog: PolarisCatalog, case: MissingCase) -> None:
    """{} that does not exist returns 404."""
    _refused(catalog, case)


@should(
    "polaris.missing.{}",
    operations=lambda call: [call.operation],
    clause="missing-is-refused-too",
    kind="error",
    each=UNSTATED,
    reads=True,
)
def test_missing_is_refused_too(catalog: PolarisCatalog, case: MissingCase) -> None:
    """{} that does not exist returns 404."""
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
    reads=True,
)
def test_missing_is_not_found(catalog: PolarisCatalog, case: EntityType) -> None:
    """Loading a {} that does not exist returns 404."""
    catalog.get(case, catalog.missing(case), expect=404)
