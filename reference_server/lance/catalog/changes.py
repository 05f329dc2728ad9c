"""Reads of a catalog's entries, and changes of several together: their reads must stay valid until the commit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from reference_server import limits
from reference_server.errors import (
    InvalidInput,
    NamespaceAlreadyExists,
    NamespaceNotEmpty,
    NamespaceNotFound,
    TableAlreadyExists,
    TableNotFound,
)
from reference_server.lance.catalog.entries import Entry, Path, Properties, Record, Table
from reference_server.lance.catalog.keys import (
    NAMESPACE,
    PENDING,
    TABLE,
    VERSION,
    below,
    catalog_key,
    children,
    name_of,
    path_of,
    place_of,
    show,
    table_key,
    version_key,
    version_of,
)
from reference_server.lance.errors import ConcurrentModification
from reference_server.storage import Readable, after_prefix
from reference_server.storage.places import enter, leave, neighbours, overlap
from reference_server.storage.transactions import Transaction

SLICE = 500
"""Number of entries that a large change processes before other requests have a turn."""


class EntryReader:
    """Namespaces and tables by path."""

    def __init__(self, entries: Readable[Entry]) -> None:
        self._entries = entries

    def namespace(self, path: Path) -> Properties:
        """Return the properties of a namespace. Raises NamespaceNotFound."""
        entry = self._entries.get(catalog_key(NAMESPACE, path)) if path else {}
        if entry is None:
            raise NamespaceNotFound(f"The namespace {show(path)} does not exist.")
        return cast("Properties", entry)

    def table(self, path: Path) -> Table:
        """Return a table's entry. Raises NamespaceNotFound or TableNotFound."""
        table = self.find_table(path)
        if table is None:
            self.namespace(path[:-1])
            raise TableNotFound(f"The table {show(path)} does not exist.")
        return table

    def find_table(self, path: Path) -> Table | None:
        """Return a table's entry, None when there is none."""
        return cast("Table | None", self._entries.get(table_key(path)))


class EntryChange(EntryReader):
    """Several changes in one commit: each sees those before it, and either all or none are committed."""

    def __init__(self, transaction: Transaction[Entry]) -> None:
        super().__init__(transaction)
        self._transaction = transaction

    def add_namespace(self, path: Path, properties: Properties) -> None:
        """Add a namespace. Raises NamespaceNotFound (the parent) or NamespaceAlreadyExists."""
        self.namespace(path[:-1])
        key = catalog_key(NAMESPACE, path)
        if not path or self._transaction.get(key) is not None:
            raise NamespaceAlreadyExists(f"The namespace {show(path)} exists already.")
        self._transaction.put(key, properties)

    def remove_namespace(self, path: Path, *, cascade: bool) -> Iterator[dict[Path, Table]]:
        """Remove a namespace and yield its removed tables by their paths, in portions: the caller may pause in between.

        Raises NamespaceNotFound, NamespaceNotEmpty unless `cascade`, and InvalidInput for too many tables.
        """
        if not path:
            raise InvalidInput("The root namespace cannot be dropped.")
        self.namespace(path)
        self._transaction.put(catalog_key(NAMESPACE, path), None)
        pending, count = [path], 0
        while pending:
            current = pending.pop()
            prefixes = [children(kind, current) for kind in (NAMESPACE, TABLE)]
            namespaces, tables = (self._transaction.scan(prefix, limit=None if cascade else 1) for prefix in prefixes)
            if (namespaces or tables) and not cascade:
                raise NamespaceNotEmpty(f"The namespace {show(path)} is not empty.")
            count += len(namespaces) + len(tables)
            if count > limits.CASCADE:
                raise InvalidInput(
                    f"A namespace with more than {limits.CASCADE} tables and namespaces below it is not dropped "
                    "at once: drop some of them first."
                )
            for begin in range(0, max(1, len(namespaces)), SLICE):
                yield self._remove_all(current, namespaces[begin : begin + SLICE])
            for begin in range(0, len(tables), SLICE):
                yield self._remove_all(current, tables[begin : begin + SLICE])
            pending += [(*current, name_of(key)) for key, _ in namespaces]
            self._transaction.require_empty(*prefixes)
        self._remove_versions_below(path)

    def _remove_all(self, path: Path, entries: list[tuple[bytes, Entry]]) -> dict[Path, Table]:
        """Remove namespaces or tables below a path, without remaining children, and return the tables."""
        for key, entry in entries:
            self._transaction.get(key)
            self._transaction.put(key, None)
            if isinstance(entry, Table):
                leave(self._transaction, place_of(entry.location), key)
        return {(*path, name_of(key)): entry for key, entry in entries if isinstance(entry, Table)}

    def _remove_versions_below(self, path: Path) -> None:
        """Remove the records of the versions of all tables below a namespace."""
        for kind in (VERSION, PENDING):
            prefix, own = below(kind, path), children(kind, path)
            for key, _ in self._transaction.scan(prefix, after=after_prefix(own)):  # a table may have the same name
                self._transaction.put(key, None)

    def add_table(self, path: Path, table: Table) -> None:
        """Add a table, or record one that was known by its directory.

        Raises NamespaceNotFound, TableAlreadyExists, and InvalidInput for the location of another table.
        """
        self.namespace(path[:-1])
        present = self.find_table(path)
        if present is not None and (present.recorded or present.location != table.location):
            raise TableAlreadyExists(f"The table {show(path)} exists already.")
        self._check_place(path, table.location)
        self._put_table(path, table)

    def replace_table(self, path: Path, before: Table, after: Table) -> None:
        """Replace an entry that is still `before`.

        Raises ConcurrentModification, and InvalidInput for the location of another table.
        """
        if self.find_table(path) != before:
            raise ConcurrentModification(f"The table {show(path)} was changed at the same time.")
        if after.location != before.location:
            self._check_place(path, after.location)
        self._take_out(path, before)
        self._put_table(path, after)

    def remove_table(self, path: Path) -> Table:
        """Remove a table and return it. Raises NamespaceNotFound or TableNotFound."""
        table = self.table(path)
        self._take_out(path, table)
        self._remove_versions(path)
        return table

    def move_table(self, path: Path, before: Table, target: Path, location: str) -> None:
        """Change name and location of an entry that still has the location of `before`.

        Raises NamespaceNotFound, TableNotFound, TableAlreadyExists or ConcurrentModification.
        """
        table = self.table(path)
        self.namespace(target[:-1])
        if self.find_table(target) is not None:
            raise TableAlreadyExists(f"The table {show(target)} exists already.")
        if table.location != before.location:
            raise ConcurrentModification(f"The table {show(path)} was changed at the same time.")
        self._take_out(path, table)
        for kind, version, record in self._remove_versions(path):
            self._transaction.put(version_key(kind, target, version), record)
        self._put_table(target, replace(table, location=location, recorded=True))

    def _put_table(self, path: Path, table: Table) -> None:
        self._transaction.put(table_key(path), table)
        enter(self._transaction, place_of(table.location), table_key(path), {})

    def _take_out(self, path: Path, table: Table) -> None:
        self._transaction.put(table_key(path), None)
        leave(self._transaction, place_of(table.location), table_key(path))

    def _check_place(self, path: Path, location: str) -> None:
        """Raise InvalidInput for a location at, in or around another table's: dropping one drops its folder.

        A catalog may reserve locations for names of tables that do not exist: data there belong to that name.
        """
        place = place_of(location)
        for key in neighbours(self._transaction, place):
            if key == table_key(path):
                continue
            name = path_of(key)
            other, shown = self.find_table(name), f"{show(name):.300}"
            if other is not None and overlap(place_of(other.location), place):
                raise InvalidInput(f"The location {location!r:.300} is at, in or around that of the table {shown}.")
            raise InvalidInput(
                f"The location {location!r:.300} is reserved for the name {shown}, although no table of that name "
                "lies there. Choose another location."
            )

    def _remove_versions(self, path: Path) -> list[tuple[str, int, Entry]]:
        """Remove and return the records of a table's versions: the next table of this name starts without any."""
        removed = []
        for kind in (VERSION, PENDING):
            for key, record in self._transaction.scan(children(kind, path)):
                self._transaction.put(key, None)
                removed.append((kind, version_of(key), record))
        return removed

    def add_version(self, path: Path, version: int, record: Record) -> None:
        """Add a version of a table. Raises ConcurrentModification for one that exists already."""
        self.table(path)
        if any(self._transaction.get(version_key(kind, path, version)) is not None for kind in (PENDING, VERSION)):
            raise ConcurrentModification(f"The table {show(path)} has a version {version} already.")
        self._transaction.put(version_key(PENDING, path, version), record)

    def remove_version(self, path: Path, version: int) -> None:
        """Mark a version of a table as removed; finalizing the version deletes its file."""
        self._transaction.put(version_key(PENDING, path, version), {"gone": True})
        self._transaction.put(version_key(VERSION, path, version), None)

    def finalize_version(self, path: Path, version: int, pending: Record | None, record: Record | None) -> None:
        """Record that a version is in place: store its record, None for none, and remove the `pending` one.

        Does nothing if another record is pending: another request has finalized the version.
        """
        key = version_key(PENDING, path, version)
        if pending is None or self._transaction.get(key) == pending:
            self._transaction.put(key, None)
            self._transaction.put(version_key(VERSION, path, version), record)
