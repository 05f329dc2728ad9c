"""The four entity types of the management API, with the operations on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Names = tuple[str, ...]
SINCE = "1.7"  # of policies, generic tables, and all that came with them


@dataclass(frozen=True, slots=True)
class EntityType:
    """Entity type: its name in words, the field that wraps one in a body, and the field of a list of them.

    `create`, `get`, `update`, `delete` and `list` are its operations, and `path` the path parameters that name one. An
    id is the tuple of their values: the last is the name, those before it name the parent.
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
        """Return the path values for an id."""
        return dict(zip(self.path, id, strict=False))

    def id_made(self, path: Mapping[str, str], body: Any) -> tuple[Any, ...]:
        """Return the id that a body of `create`, wrapped or bare, creates. Raises KeyError without a name."""
        inner = body.get(self.field)
        return (*(path[name] for name in self.path[:-1]), (inner if isinstance(inner, dict) else body)["name"])

    def wrapped(self, value: Any) -> dict[str, Any]:
        """Return a body with the value in its field."""
        return {self.field: value}

    def shown(self, created: Any) -> Any:
        """Return the entity in a response of `create`, which wraps a principal together with its credentials."""
        return created[self.field] if self is PRINCIPAL else created


CATALOG = EntityType(
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
PRINCIPAL = EntityType(
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
PRINCIPAL_ROLE = EntityType(
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
CATALOG_ROLE = EntityType(
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
ENTITIES: Mapping[str, EntityType] = {
    "catalog": CATALOG,
    "principal": PRINCIPAL,
    "principal_role": PRINCIPAL_ROLE,
    "catalog_role": CATALOG_ROLE,
}
CREATED = {entity.create: entity for entity in ENTITIES.values()}


def of(*names: str) -> Callable[[Any], list[str]]:
    """Return a function from a case, such as an entity type, to its operations in the fields of these names."""
    return lambda case: [getattr(case, name) for name in names]


def properties_with(body: Any, name: str, value: str = "1") -> dict[str, str]:
    """Return the properties of an entity in a response, with one property added."""
    return {**(body.get("properties") or {}), name: value}
