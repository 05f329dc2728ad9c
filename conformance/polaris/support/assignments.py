"""Assignments: principal roles to principals, catalog roles to principal roles; each is seen from both ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import DECLARED
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE, Entity, Names


@dataclass(frozen=True, slots=True)
class Assignment:
    """A kind of assignment: what is given to what, and the operations that do it and show it from either end.

    `place` are the path values of an assignment of one (the first id) to another.
    """

    id: str
    given: Entity
    taker: Entity
    place: Callable[[Names, Names], dict[str, str]]
    assign: str
    revoke: str
    list_given: str
    list_takers: str

    def give(
        self, catalog: PolarisCatalog, role: Names, taker: Names, *, bare: bool = False, expect: Expected = DECLARED
    ) -> Answer:
        """Assign one."""
        value = {"name": role[-1]}
        path = self._without_given(role, taker)
        return catalog.send(self.assign, path, value if bare else self.given.wrapped(value), expect=expect)

    def take(self, catalog: PolarisCatalog, role: Names, taker: Names, *, expect: Expected = DECLARED) -> Answer:
        """Revoke an assignment."""
        return catalog.send(self.revoke, self.place(role, taker), expect=expect)

    def of_taker(self, catalog: PolarisCatalog, role: Names, taker: Names) -> list[str]:
        """Return the names of all that a taker has of this kind: of roles of one catalog."""
        answer = catalog.send(self.list_given, self._without_given(role, taker))
        return catalog.own_names(answer[self.given.listed])

    def takers(self, catalog: PolarisCatalog, role: Names) -> list[str]:
        """Return the names of all that have this one."""
        return catalog.own_names(catalog.send(self.list_takers, self.given.place(role))[self.taker.listed])

    def _without_given(self, role: Names, taker: Names) -> dict[str, str]:
        path = self.place(role, taker)
        return {name: path[name] for name in path if name != self.given.path[-1]}


PRINCIPAL_ROLES = Assignment(
    "principal role",
    PRINCIPAL_ROLE,
    PRINCIPAL,
    lambda role, taker: {"principalName": taker[-1], "principalRoleName": role[-1]},
    "assignPrincipalRole",
    "revokePrincipalRole",
    "listPrincipalRolesAssigned",
    "listAssigneePrincipalsForPrincipalRole",
)
CATALOG_ROLES = Assignment(
    "catalog role",
    CATALOG_ROLE,
    PRINCIPAL_ROLE,
    lambda role, taker: {"principalRoleName": taker[-1], "catalogName": role[0], "catalogRoleName": role[-1]},
    "assignCatalogRoleToPrincipalRole",
    "revokeCatalogRoleFromPrincipalRole",
    "listCatalogRolesForPrincipalRole",
    "listAssigneePrincipalRolesForCatalogRole",
)
ASSIGNMENTS = {"principal_role": PRINCIPAL_ROLES, "catalog_role": CATALOG_ROLES}
