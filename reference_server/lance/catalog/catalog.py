"""Catalog: namespaces, tables, and the records of their versions, as entries of one sorted map.

`keys.py` defines the keys. Children of a namespace are adjacent, so a page of a listing is one scan. The map is a
storage in memory or the published directory layout; `locations.py` has the locations of tables in either. Every change
is atomic; one that conflicts too often raises ConcurrentModification.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from reference_server.lance.catalog.changes import EntryChange, EntryReader
from reference_server.lance.catalog.entries import Entry, Listed, ListRequest, Path, Properties, Record, Table
from reference_server.lance.catalog.keys import (
    NAMESPACE,
    PENDING,
    TABLE,
    children,
    new_location,
    path_of,
    table_key,
    table_of_version,
    version_of,
)
from reference_server.lance.catalog.locations import Locations
from reference_server.lance.catalog.removal import Note
from reference_server.lance.errors import ConcurrentModification
from reference_server.pagination import Page, encode_token, take_page
from reference_server.storage import Storage, pack
from reference_server.storage.transactions import Transaction, transact

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntryCatalog:
    """The names of a Lance namespace. The root is the empty path and always exists."""

    entries: Storage[Entry]
    locations: Locations

    def state(self) -> Hashable:
        """Return a value that changes with every change of the catalog, from any process."""
        return self.entries.version()

    def close(self) -> None:
        """Release all resources."""
        self.entries.close()

    async def change(self, build: Callable[[EntryChange], Awaitable[T]]) -> T:
        """Commit the changes that `build` makes, all or nothing, and return its result.

        `build` may be called again after a conflict; its errors are raised.
        """

        async def attempt(transaction: Transaction[Entry]) -> T:
            return await build(EntryChange(transaction))

        return await transact(self.entries, attempt, _contended)

    async def _change(self, edit: Callable[[EntryChange], T]) -> T:
        async def build(change: EntryChange) -> T:
            return edit(change)

        return await self.change(build)

    # Namespaces

    def namespace(self, path: Path) -> Properties:
        """Return the properties of a namespace. Raises NamespaceNotFound."""
        return EntryReader(self.entries).namespace(path) if path else self.locations.root_properties()

    async def create_namespace(self, path: Path, properties: Properties) -> None:
        """Create a namespace. Raises NamespaceNotFound (the parent) or NamespaceAlreadyExists."""
        await self._change(lambda change: change.add_namespace(path, properties))

    async def drop_namespace(self, path: Path, note: Note, *, cascade: bool) -> dict[Path, Table]:
        """Drop a namespace and return its dropped tables by their paths; their locations are noted before.

        Raises NamespaceNotFound, NamespaceNotEmpty unless `cascade`, and InvalidInput for too many tables.
        """

        async def build(change: EntryChange) -> dict[Path, Table]:
            removed: dict[Path, Table] = {}
            for tables in change.remove_namespace(path, cascade=cascade):
                removed |= tables
                for table in tables.values():
                    note(table.location)
                await asyncio.sleep(0)  # other requests have a turn
            return removed

        return await self.change(build)

    def list_namespaces(self, path: Path, request: ListRequest) -> Page[str]:
        """Return a page of the names of child namespaces. Raises NamespaceNotFound."""
        EntryReader(self.entries).namespace(path)
        prefix = children(NAMESPACE, path)
        return self._page(prefix, request, lambda key, _: key[len(prefix) : -1].decode())

    # Tables

    def table(self, path: Path) -> Table:
        """Return a table's entry. Raises NamespaceNotFound or TableNotFound."""
        return EntryReader(self.entries).table(path)

    def location_for(self, path: Path) -> str:
        """Return an unused location for the data of a table that is declared under this name."""
        return self.locations.location_for(path, new_location(path))

    async def add_table(self, path: Path, table: Table) -> None:
        """Add an entry. Raises NamespaceNotFound or TableAlreadyExists."""
        await self._change(lambda change: change.add_table(path, table))

    async def replace_table(self, path: Path, before: Table, after: Table) -> None:
        """Replace an entry that is still `before`. Raises ConcurrentModification."""
        await self._change(lambda change: change.replace_table(path, before, after))

    async def remove_table(self, path: Path) -> Table:
        """Remove an entry and return it. Raises NamespaceNotFound or TableNotFound."""
        return await self._change(lambda change: change.remove_table(path))

    async def drop_table(self, path: Path, note: Note) -> Table:
        """Remove and return an entry whose data are to be deleted next; their location is noted before.

        Raises NamespaceNotFound or TableNotFound.
        """
        if EntryReader(self.entries).find_table(path) is None:
            deregistered = self.locations.deregistered(path)
            if deregistered is not None:
                note(deregistered.location)
                return deregistered

        def edit(change: EntryChange) -> Table:
            table = change.remove_table(path)
            note(table.location)
            return table

        return await self._change(edit)

    async def rename_table(self, path: Path, target: Path) -> None:
        """Rename an entry. Raises NamespaceNotFound, TableNotFound or TableAlreadyExists.

        A table whose location follows from its name moves to a location that no name claims: after every step either
        the old or the new name has all data.
        """
        table = self.table(path)
        if not self.locations.is_fixed(path, table):
            await self._change(lambda change: change.move_table(path, table, target, table.location))
            return
        location = self.locations.copy(table, target)
        try:
            await self._change(lambda change: change.move_table(path, table, target, location))
        except Exception:
            self.locations.discard(location)
            raise
        self.locations.discard(table.location)

    async def note_data(self, tables: Sequence[Listed]) -> None:
        """Record that these tables have data, unless one of them was changed meanwhile. Raises ConcurrentModification.

        A table that is known by its directory alone gets no record.
        """
        recorded = [listed for listed in tables if listed.table.recorded]

        def edit(change: EntryChange) -> None:
            for path, table in recorded:
                change.replace_table(path, table, replace(table, created=True))

        if recorded:
            await self._change(edit)

    def list_tables(self, path: Path | None, request: ListRequest) -> Page[Listed]:
        """Return the tables of a namespace by name; for None all tables, by namespace, then name.

        Raises NamespaceNotFound.
        """
        if path is not None:
            EntryReader(self.entries).namespace(path)
        return self._page(_tables(path), request, lambda key, entry: Listed(path_of(key), cast("Table", entry)))

    def token_after(self, path: Path | None, last: Path) -> str:
        """Return the token for the page of `list_tables` that comes after a table."""
        return encode_token(_tables(path), table_key(last))

    # Versions

    def versions(self, kind: str, path: Path) -> dict[int, Record]:
        """Return the records of a table's versions by number; `kind` is VERSION or PENDING."""
        return {version_of(key): cast("Record", entry) for key, entry in self.entries.scan(children(kind, path))}

    def tables_with_pending_versions(self) -> list[Path]:
        """Return the tables with committed versions whose files are not in place."""
        return list(dict.fromkeys(table_of_version(key) for key, _ in self.entries.scan(pack(PENDING))))

    async def finalize_versions(
        self, path: Path, records: Mapping[int, Record | None], pending: Mapping[int, Record] | None = None
    ) -> None:
        """Record that versions are in place; None for removed versions.

        `pending` are the pending records, which must be unchanged. Where versions are managed the records are kept.
        """

        def edit(change: EntryChange) -> None:
            for version, record in records.items():
                version_record = record if self.locations.managed else None
                change.finalize_version(path, version, (pending or {}).get(version), version_record)

        await self._change(edit)

    def _page(self, prefix: bytes, request: ListRequest, read: Callable[[bytes, Entry], T]) -> Page[T]:
        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, T]]:
            return [(key, read(key, entry)) for key, entry in self.entries.scan(prefix, after, count)]

        return take_page(prefix, request.token, request.limit, request.maximum, fetch)


def _tables(path: Path | None) -> bytes:
    """Return the key prefix of the tables of a namespace, for None of all tables."""
    return pack(TABLE) if path is None else children(TABLE, path)


def _contended() -> ConcurrentModification:
    return ConcurrentModification("Others kept changing the same object; try again.")
