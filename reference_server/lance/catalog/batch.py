"""Several changes of the catalog that happen together: each sees those before it, and all or none are kept."""

from __future__ import annotations

from dataclasses import dataclass, field

import orjson

from reference_server.errors import ConcurrentModification, NamespaceNotFound, TableAlreadyExists, TableNotFound
from reference_server.lance.catalog.catalog import Path, Record, Table
from reference_server.lance.catalog.keys import (
    NAMESPACE,
    PENDING,
    VERSION,
    catalog_key,
    dump_table,
    load_table,
    show,
    table_key,
    version_key,
)
from reference_server.storage import Storage


@dataclass
class Batch:
    """Changes on top of a storage: `expected` and `writes` are the commit that makes them.

    `added` and `removed` are the tables that they add and remove.
    """

    storage: Storage[bytes]
    expected: dict[bytes, bytes | None]
    writes: dict[bytes, bytes | None]
    added: list[tuple[Path, Table]] = field(default_factory=list)
    removed: list[tuple[Path, Table]] = field(default_factory=list)

    @classmethod
    def on(cls, storage: Storage[bytes]) -> Batch:
        """Return a batch without changes."""
        return cls(storage, {}, {})

    def add_table(self, path: Path, table: Table) -> None:
        """Add a table. Raises NamespaceNotFound or TableAlreadyExists."""
        self._require_namespace(path[:-1])
        if self._get(table_key(path)) is not None:
            raise TableAlreadyExists(f"The table {show(path)} exists already.")
        self.writes[table_key(path)] = dump_table(table)
        self.added.append((path, table))

    def table(self, path: Path) -> Table:
        """Return a table as it is after the changes so far. Raises NamespaceNotFound or TableNotFound."""
        value = self._get(table_key(path))
        if value is None:
            self._require_namespace(path[:-1])
            raise TableNotFound(f"The table {show(path)} does not exist.")
        return load_table(value)

    def remove_table(self, path: Path) -> Table:
        """Remove a table and return it. Raises NamespaceNotFound or TableNotFound."""
        table = self.table(path)
        self.writes[table_key(path)] = None
        self.removed.append((path, table))
        return table

    def add_version(self, path: Path, version: int, record: Record) -> None:
        """Add a version of a table. Raises ConcurrentModification when the catalog has it already."""
        self.table(path)
        if any(self._get(version_key(kind, path, version)) is not None for kind in (PENDING, VERSION)):
            raise ConcurrentModification(f"The table {show(path)} has a version {version} already.")
        self.writes[version_key(PENDING, path, version)] = orjson.dumps(record)

    def remove_version(self, path: Path, version: int) -> None:
        """Mark a version of a table as gone; its file goes when the batch is settled."""
        self.writes[version_key(PENDING, path, version)] = orjson.dumps({"gone": True})
        self.writes[version_key(VERSION, path, version)] = None

    def _require_namespace(self, path: Path) -> None:
        if path and self._get(catalog_key(NAMESPACE, path)) is None:
            raise NamespaceNotFound(f"The namespace {show(path)} does not exist.")

    def _get(self, key: bytes) -> bytes | None:
        """Return a value as it is after the changes so far, and expect it to be so before them."""
        if key in self.writes:
            return self.writes[key]
        if key not in self.expected:
            self.expected[key] = self.storage.get(key)
        return self.expected[key]
