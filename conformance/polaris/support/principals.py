"""Principals in requirements: the tokens that their credentials obtain, and the roles assigned to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Client, Expected
from conformance.http.operation_client import DECLARED
from conformance.polaris.callers import EVERY_ROLE, Credentials
from conformance.polaris.catalog import PolarisCatalog, credentials
from conformance.polaris.entities import CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE, EntityType, Names

REFUSED = (400, 401)


def opens(catalog: PolarisCatalog, known: Credentials, scope: str = EVERY_ROLE) -> Client:
    """Check that credentials obtain a token that the server accepts, and return a client with the token."""
    client = catalog.logged_in(known, scope)
    takes(catalog, client)
    return client


def takes(catalog: PolarisCatalog, client: Client) -> None:
    """Check that the server accepts the token of a client, by getConfig, which every principal may call."""
    catalog.within(catalog.home, client).get_config(warehouse=catalog.home)


def refuses(catalog: PolarisCatalog, known: Credentials) -> None:
    """Check that credentials obtain no token."""
    catalog.ask_token(known.form(), expect=REFUSED)


def rotated(catalog: PolarisCatalog, id: Names, known: Credentials) -> Credentials:
    """Rotate the credentials of a principal with its own token, and return the new ones."""
    caller = catalog.called_by(catalog.logged_in(known))
    return credentials(caller.rotate_credentials(id[-1], _headers=catalog.connection_headers()))


@dataclass(frozen=True, slots=True)
class Assignment:
    """Kind of assignment of roles: `given` is the assigned kind, `taker` the kind of its assignees.

    The other fields are its operations. `list_given` lists the roles of an assignee, `list_takers` the assignees of a
    role. `place` returns the path values of an assignment, given the ids of role and assignee.
    """

    id: str
    given: EntityType
    taker: EntityType
    place: Callable[[Names, Names], dict[str, str]]
    assign: str
    revoke: str
    list_given: str
    list_takers: str

    def give(
        self, catalog: PolarisCatalog, role: Names, taker: Names, *, bare: bool = False, expect: Expected = DECLARED
    ) -> Answer:
        """Assign a role; `bare` sends it without the field around it."""
        value = {"name": role[-1]}
        path = self.without_given(role, taker)
        return catalog.send(self.assign, path, value if bare else self.given.wrapped(value), expect=expect)

    def request(self, role: Names, taker: Names) -> tuple[dict[str, str], Any]:
        """Return the path values and the body that assign a role."""
        return self.without_given(role, taker), self.given.wrapped({"name": role[-1]})

    def take(self, catalog: PolarisCatalog, role: Names, taker: Names, *, expect: Expected = DECLARED) -> Answer:
        """Revoke a role."""
        return catalog.send(self.revoke, self.place(role, taker), expect=expect)

    def of_taker(self, catalog: PolarisCatalog, role: Names, taker: Names) -> list[str]:
        """Return the names of the roles assigned to an assignee; of catalog roles those in the catalog of `role`."""
        answer = catalog.send(self.list_given, self.without_given(role, taker))
        return catalog.own_names(answer[self.given.listed])

    def takers(self, catalog: PolarisCatalog, role: Names) -> list[str]:
        """Return the names of the assignees of a role."""
        return catalog.own_names(catalog.send(self.list_takers, self.given.place(role))[self.taker.listed])

    def without_given(self, role: Names, taker: Names) -> dict[str, str]:
        """Return the path values of an assignee, with the catalog of a catalog role."""
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
