"""Model of an Iceberg catalog, small enough to be obviously right.

Namespaces are a set, tables and views share names. Each method executes one command on the model and returns
the allowed statuses: several where a request is invalid for several reasons.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from conformance.iceberg.support.assertions import PLACE_REFUSED
from conformance.iceberg.support.commit_choices import COMMIT_NEEDS
from conformance.iceberg.support.table_model import MetadataModel

Path = tuple[str, ...]
Statuses = frozenset[int]
# Where one of these fails, random commands leave out what it is about: they would only find the same defect again.
TRANSACTIONS = ("iceberg.transaction.conflict.last", "iceberg.transaction.invalid.unknown_schema")
NEEDS = [*COMMIT_NEEDS, *TRANSACTIONS]
DONE, CREATED, MISSING, TAKEN = frozenset({204}), frozenset({200}), 404, 409


@dataclass
class ViewModel:
    """Model of a view: the SQL text of each version, oldest first, and its properties."""

    texts: list[str]
    properties: dict[str, str] = field(default_factory=dict)


@dataclass
class CatalogModel:
    """Model of a catalog. Its user adds created objects to `namespaces`, `tables` and `views`.

    `first_names` has the original names of renamed objects: their files may still lie there and block a creation.
    """

    namespaces: set[Path] = field(default_factory=set)
    tables: dict[Path, MetadataModel] = field(default_factory=dict)
    views: dict[Path, ViewModel] = field(default_factory=dict)
    first_names: dict[Path, Path] = field(default_factory=dict)

    def namespace_creation(self, path: Path) -> Statuses:
        """Return the allowed statuses of a namespace's creation."""
        return frozenset({TAKEN}) if path in self.namespaces else self._creation(path)

    def drop_namespace(self, path: Path) -> Statuses:
        """Drop a namespace unless it has tables or views, and return the allowed statuses."""
        if path not in self.namespaces:
            return frozenset({MISSING})
        if self.listed(self.tables, path) or self.listed(self.views, path):
            return frozenset({TAKEN})
        self.namespaces.remove(path)
        return DONE

    def creation(self, path: Path) -> Statuses:
        """Return the allowed statuses of the creation of a table or view."""
        return self._obstacles(path) or self._creation(path)

    def drop(self, things: dict[Path, Any], path: Path) -> Statuses:
        """Drop a table or view and return the allowed statuses."""
        if path not in things:
            return frozenset({MISSING})
        del things[path]
        self.first_names.pop(path, None)
        return DONE

    def rename(self, things: dict[Path, Any], path: Path, new: Path) -> Statuses:
        """Rename a table or view and return the allowed statuses."""
        wrong = self._obstacles(new) | ({MISSING} if path not in things else set())
        if wrong:
            return wrong
        things[new] = things.pop(path)
        self.first_names[new] = self.first_names.pop(path, path)
        return DONE

    def listed(self, things: dict[Path, Any], namespace: Path) -> list[Path]:
        """Return the identifiers that a listing of a namespace must show."""
        return sorted(path for path in things if path[:-1] == namespace)

    def _creation(self, path: Path) -> Statuses:
        there = any(name[: len(path)] == path for name in self.first_names.values())
        return CREATED | {*PLACE_REFUSED} if there else CREATED

    def _obstacles(self, path: Path) -> Statuses:
        missing = {MISSING} if path[:-1] not in self.namespaces else set()
        return frozenset(missing | ({TAKEN} if path in self.tables or path in self.views else set()))
