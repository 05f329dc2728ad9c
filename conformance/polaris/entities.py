"""The four kinds of things that the management interface keeps, and the operations on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """A kind of things: its name in words, the field that holds one in a body, the field that lists them.

    `path` are the parameters that name one, `create`, `get`, `update`, `delete` and `list` its operations. An id is the
    values of `path`: those before the last are what it lies in.
    """

    id: str
    field: str
    listed: str
    path: tuple[str, ...]
    create: str
    get: str
    update: str
    delete: str
    list: str

    def place(self, id: Names) -> dict[str, str]:
        """Return the path values that name one."""
        return dict(zip(self.path, id, strict=False))

    def id_made(self, path: Mapping[str, str], body: Any) -> tuple[Any, ...]:
        """Return the id of what a body for `create` makes, wrapped or bare. Raises KeyError when it has none."""
        inner = body.get(self.field)
        return (*(path[name] for name in self.path[:-1]), (inner if isinstance(inner, dict) else body)["name"])

    def wrapped(self, value: Any) -> dict[str, Any]:
        """Return a body that holds one."""
        return {self.field: value}

    def shown(self, created: Any) -> Any:
        """Return the thing in an answer to its creation: of a principal it comes with the credentials."""
        return created[self.field] if self is PRINCIPAL else created


CATALOG = Entity(
    "catalog",
    "catalog",
    "catalogs",
    ("catalogName",),
    "createCatalog",
    "getCatalog",
    "updateCatalog",
    "deleteCatalog",
    "listCatalogs",
)
PRINCIPAL = Entity(
    "principal",
    "principal",
    "principals",
    ("principalName",),
    "createPrincipal",
    "getPrincipal",
    "updatePrincipal",
    "deletePrincipal",
    "listPrincipals",
)
PRINCIPAL_ROLE = Entity(
    "principal role",
    "principalRole",
    "roles",
    ("principalRoleName",),
    "createPrincipalRole",
    "getPrincipalRole",
    "updatePrincipalRole",
    "deletePrincipalRole",
    "listPrincipalRoles",
)
CATALOG_ROLE = Entity(
    "catalog role",
    "catalogRole",
    "roles",
    ("catalogName", "catalogRoleName"),
    "createCatalogRole",
    "getCatalogRole",
    "updateCatalogRole",
    "deleteCatalogRole",
    "listCatalogRoles",
)
ENTITIES: Mapping[str, Entity] = {
    "catalog": CATALOG,
    "principal": PRINCIPAL,
    "principal_role": PRINCIPAL_ROLE,
    "catalog_role": CATALOG_ROLE,
}
CREATED = {entity.create: entity for entity in ENTITIES.values()}


def properties_with(body: Any, name: str, value: str = "1") -> dict[str, str]:
    """Return the properties of something that an answer shows, which may have none, and one more."""
    return {**(body.get("properties") or {}), name: value}
