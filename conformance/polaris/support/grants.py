"""Grants: on what they can be, which privileges, and how they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.http.client import Answer, Expected
from conformance.http.operation_client import DECLARED
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, Names
from specs.openapi import Document

Grant = dict[str, Any]
ADD, REVOKE, LIST = "addGrantToCatalogRole", "revokeGrantFromCatalogRole", "listGrantsForCatalogRole"
# Names in the enumerations of 2024-09 that no privilege on such a thing is: listed by mistake.
SLIPS = {("table", "VIEW_READ_PROPERTIES"), ("view", "VIEW_CREATE")}


@dataclass(frozen=True, slots=True)
class Securable:
    """A kind of things on which privileges are granted: makes one, and says how a grant names it.

    `schema` has the privileges that there are, `plain` is one of them, `rename` gives a thing another name.
    """

    id: str
    schema: str
    plain: str
    new: Callable[[PolarisCatalog], Names]
    named: Callable[[Names], Grant]

    def grant(self, thing: Names, privilege: Any = None) -> Grant:
        """Return a grant of a privilege, the plain one unless another is given, on a thing."""
        return {"type": self.id, **self.named(thing), "privilege": self.plain if privilege is None else privilege}

    def privileges(self, document: Document) -> list[str]:
        """Return the privileges that can be granted on such a thing."""
        listed = document.raw["components"]["schemas"].get(self.schema, {}).get("enum", [])
        return [name for name in listed if (self.id, name) not in SLIPS]


def _policy(catalog: PolarisCatalog) -> Names:
    id = (*catalog.tables.home, catalog.target.new_name())
    catalog.tables.sandbox.note("policy", [id])
    with catalog.client.preparing():
        catalog.create_policy(id[:-1], name=id[-1], type="system.data-compaction", content='{"enable": true}')
    return id


def _named(field: str) -> Callable[[Names], Grant]:
    return lambda thing: {"namespace": list(thing[:-1]), field: thing[-1]}


SECURABLES = {
    securable.id: securable
    for securable in (
        Securable("catalog", "CatalogPrivilege", "TABLE_LIST", lambda _: (), lambda _: {}),
        Securable(
            "namespace",
            "NamespacePrivilege",
            "TABLE_LIST",
            lambda catalog: catalog.tables.home,
            lambda thing: {"namespace": list(thing)},
        ),
        Securable(
            "table", "TablePrivilege", "TABLE_DROP", lambda catalog: catalog.tables.new_table(), _named("tableName")
        ),
        Securable("view", "ViewPrivilege", "VIEW_DROP", lambda catalog: catalog.tables.new_view(), _named("viewName")),
        Securable("policy", "PolicyPrivilege", "POLICY_DROP", _policy, _named("policyName")),
    )
}
NEWER = "policy"  # on which privileges are granted since 1.7
OLDER = {name: securable for name, securable in SECURABLES.items() if name != NEWER}


def new_role(catalog: PolarisCatalog) -> Names:
    """Make a role in the catalog that has the tables of the run."""
    return catalog.new(CATALOG_ROLE)


def add(catalog: PolarisCatalog, role: Names, grant: Any, *, bare: bool = False, expect: Expected = DECLARED) -> Answer:
    """Grant something to a role."""
    return catalog.send(ADD, CATALOG_ROLE.place(role), grant if bare else {"grant": grant}, expect=expect)


def revoke(
    catalog: PolarisCatalog, role: Names, grant: Any, *, cascade: bool | None = None, expect: Expected = DECLARED
) -> Answer:
    """Take a grant away from a role."""
    query = None if cascade is None else {"cascade": cascade}
    return catalog.send(REVOKE, CATALOG_ROLE.place(role), {"grant": grant}, query=query, expect=expect)


def grants(catalog: PolarisCatalog, role: Names) -> list[Any]:
    """Return what is granted to a role, as far as the document names it."""
    return list(catalog.stated(catalog.send(LIST, CATALOG_ROLE.place(role))["grants"]))
