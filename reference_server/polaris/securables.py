"""Securables: objects of grants and of requests; each has a kind, a catalog and a path."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from reference_server.errors import InvalidInput


class SecurableType(StrEnum):
    """Every kind of object in requests. `TABLE` includes generic tables."""

    ROOT = "root"
    PRINCIPAL = "principal"
    PRINCIPAL_ROLE = "principal-role"
    CATALOG = "catalog"
    CATALOG_ROLE = "catalog-role"
    NAMESPACE = "namespace"
    TABLE = "table"
    VIEW = "view"
    POLICY = "policy"


class Securable(NamedTuple):
    """An object by its name.

    `catalog` is the catalog itself, or the one around the object. `path` is the name of a principal or a role, the
    levels of a namespace, or the levels and the name of an object in a namespace; empty for a catalog.
    """

    kind: SecurableType
    catalog: str = ""
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name in the form of messages."""
        return ".".join(self.path) if self.path else self.catalog


ROOT = Securable(SecurableType.ROOT)


def principal(name: str) -> Securable:
    """Return a principal."""
    return Securable(SecurableType.PRINCIPAL, path=(name,))


def principal_role(name: str) -> Securable:
    """Return a principal role."""
    return Securable(SecurableType.PRINCIPAL_ROLE, path=(name,))


def catalog(name: str) -> Securable:
    """Return a catalog."""
    return Securable(SecurableType.CATALOG, name)


def catalog_role(catalog_name: str, name: str) -> Securable:
    """Return a role of a catalog."""
    return Securable(SecurableType.CATALOG_ROLE, catalog_name, (name,))


def in_catalog(kind: SecurableType, catalog_name: str, path: Sequence[str]) -> Securable:
    """Return a catalog, or an object in it. Raises InvalidInput for an incomplete name."""
    if kind is SecurableType.CATALOG:
        return catalog(catalog_name)
    if len(path) < (1 if kind is SecurableType.NAMESPACE else 2) or not all(path):
        raise InvalidInput(f"Invalid value: the name of a {kind} needs all its parts, and none of them may be empty")
    return Securable(kind, catalog_name, tuple(path))


def parent(securable: Securable) -> Securable | None:
    """Return the securable around another; None for the root, which contains everything."""
    kind, catalog_name, path = securable
    if kind is SecurableType.ROOT:
        return None
    if not catalog_name or kind is SecurableType.CATALOG:
        return ROOT
    if kind is SecurableType.CATALOG_ROLE or len(path) == 1:
        return catalog(catalog_name)
    return Securable(SecurableType.NAMESPACE, catalog_name, path[:-1])
