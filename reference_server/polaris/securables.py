"""Securables: what privileges are granted on, and what requests name; each by its kind, its catalog and its path."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class SecurableType(StrEnum):
    """Everything that a request can name. `TABLE` is a generic table too."""

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
    """Something by its name.

    `catalog` is the catalog that it is, or lies in. `path` is the name alone of a principal or a role, the levels of a
    namespace, and with the name behind them what lies in one; that of a catalog is empty.
    """

    kind: SecurableType
    catalog: str = ""
    path: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name as messages show it."""
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


def parent(securable: Securable) -> Securable | None:
    """Return what a securable lies in; None for the root, in which everything lies."""
    kind, catalog_name, path = securable
    if kind is SecurableType.ROOT:
        return None
    if not catalog_name or kind is SecurableType.CATALOG:
        return ROOT
    if kind is SecurableType.CATALOG_ROLE or len(path) == 1:
        return catalog(catalog_name)
    return Securable(SecurableType.NAMESPACE, catalog_name, path[:-1])
