"""Grants in requirements: the kinds of securables with their privileges, and grant operations on catalog roles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.http.operation_client import DECLARED
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, SINCE, Names
from conformance.polaris.support import policies
from specs.openapi import Document

Grant = dict[str, Any]
ADD, REVOKE, LIST = "addGrantToCatalogRole", "revokeGrantFromCatalogRole", "listGrantsForCatalogRole"
# Listed by mistake in the enumerations of 2024-09: no privilege on a securable of this kind.
SLIPS = {("table", "VIEW_READ_PROPERTIES"), ("view", "VIEW_CREATE")}


@dataclass(frozen=True, slots=True)
class GrantableType:
    """Kind of securables: `new` creates one, and `named` returns the fields with which a grant names it.

    `schema` is the schema that enumerates the privileges on this kind, `plain` one of them. `since` is the first
    revision that includes it, "" for all.
    """

    id: str
    schema: str
    plain: str
    new: Callable[[PolarisCatalog], Names]
    named: Callable[[Names], Grant]
    since: str = ""

    def grant(self, thing: Names, privilege: Any = None) -> Grant:
        """Return the body of a grant on a securable, of the plain privilege unless another is given."""
        return {"type": self.id, **self.named(thing), "privilege": self.plain if privilege is None else privilege}

    def privileges(self, document: Document) -> list[str]:
        """Return the privileges that the document declares for this kind."""
        listed = document.raw["components"]["schemas"].get(self.schema, {}).get("enum", [])
        return [name for name in listed if (self.id, name) not in SLIPS]


def _named(field: str) -> Callable[[Names], Grant]:
    return lambda thing: {"namespace": list(thing[:-1]), field: thing[-1]}


SECURABLES = {
    securable.id: securable
    for securable in (
        GrantableType("catalog", "CatalogPrivilege", "TABLE_LIST", lambda _: (), lambda _: {}),
        GrantableType(
            "namespace",
            "NamespacePrivilege",
            "TABLE_LIST",
            lambda catalog: catalog.tables.home,
            lambda thing: {"namespace": list(thing)},
        ),
        GrantableType(
            "table", "TablePrivilege", "TABLE_DROP", lambda catalog: catalog.tables.new_table(), _named("tableName")
        ),
        GrantableType(
            "view", "ViewPrivilege", "VIEW_DROP", lambda catalog: catalog.tables.new_view(), _named("viewName")
        ),
        GrantableType("policy", "PolicyPrivilege", "POLICY_DROP", policies.new, _named("policyName"), SINCE),
    )
}
OLDER = {name: securable for name, securable in SECURABLES.items() if not securable.since}


def new_role(catalog: PolarisCatalog) -> Names:
    """Create a role in the home catalog and return its id."""
    return catalog.new(CATALOG_ROLE)


def add(catalog: PolarisCatalog, role: Names, grant: Any, *, bare: bool = False, expect: Expected = DECLARED) -> Answer:
    """Add a grant to a role; `bare` sends it without the field around it."""
    return catalog.send(ADD, CATALOG_ROLE.place(role), grant if bare else {"grant": grant}, expect=expect)


def revoke(
    catalog: PolarisCatalog, role: Names, grant: Any, *, cascade: bool | None = None, expect: Expected = DECLARED
) -> Answer:
    """Revoke a grant from a role."""
    query = None if cascade is None else {"cascade": cascade}
    return catalog.send(REVOKE, CATALOG_ROLE.place(role), {"grant": grant}, query=query, expect=expect)


def grants(catalog: PolarisCatalog, role: Names) -> list[Any]:
    """List the grants of a role that the example made, without fields that the document does not declare."""
    return catalog.own_grants(catalog.documented(catalog.send(LIST, CATALOG_ROLE.place(role))["grants"]))
