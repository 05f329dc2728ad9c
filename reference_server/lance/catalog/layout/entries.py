"""Entries of the published directory layout: rows of the manifest table, and directories of the root.

Rows of the manifest table come first. A table of the root namespace may be known by its directory alone; before its
directory is hidden it gets a row (it is adopted), so that a server that is killed between two steps leaves it
unchanged.
"""

from __future__ import annotations

import asyncio
import bisect
import contextlib
import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from reference_server.lance.catalog.entries import Entry, Table
from reference_server.lance.catalog.keys import TABLE, name_of, path_of, table_key
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.layout.root_tables import SUFFIX, RootTables
from reference_server.storage import after_prefix, pack, unpack
from reference_server.storage.places import PLACES, place_key

AT_ONCE = 500
"""Number of entries that a commit reads before other requests have a turn."""
TABLES, ROOT_TABLES = pack(TABLE), pack(TABLE, b"")


class LayoutEntries:
    """Storage of the layout's entries; see Storage."""

    def __init__(self, manifest: ManifestStorage, tables: RootTables) -> None:
        self._manifest = manifest
        self._tables = tables

    def version(self) -> Hashable:
        """Return the version of the manifest table, without directories of the root; see Storage.version."""
        return self._manifest.version()

    def close(self) -> None:
        """Finish the waiting commits."""
        self._manifest.close()

    def get(self, key: bytes) -> Entry | None:
        """Return the entry of a key's row, else of its directory, None without either."""
        entry = self._manifest.get(key)
        if entry is None and key.startswith(PLACES):
            return {} if key == self._place_of_directory(key) else None
        return self._directory(key) if entry is None and key.startswith(ROOT_TABLES) else entry

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, Entry]]:
        """Return the entries of rows and directories in a range of keys, in order; see Storage.scan."""
        rows = self._manifest.scan(prefix, after, limit)
        if prefix.startswith(PLACES):
            place = self._place_of_directory(prefix)
            if place is None or not place.startswith(prefix) or self._manifest.get(place) is not None:
                return rows
            return [*rows, (place, {})]
        if not prefix.startswith(TABLES) or not ROOT_TABLES.startswith(prefix):
            return rows
        known = {key for key, _ in rows}
        directories = ((key, None) for key in self._directory_keys(after) if key not in known)
        merged: Iterable[tuple[bytes, Entry | None]] = heapq.merge(rows, directories, key=lambda pair: pair[0])
        present = ((key, self._directory(key) if entry is None else entry) for key, entry in merged)
        return list(islice(((key, entry) for key, entry in present if entry is not None), limit))

    async def commit(
        self,
        expected: Mapping[bytes, Entry | None],
        writes: Mapping[bytes, Entry | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """Commit to the manifest table; see Storage.commit.

        Directories are hidden before their rows are deleted, and shown after their rows are written.
        """
        tables = {key: entry for key, entry in writes.items() if key.startswith(TABLES)}
        before = await _read(self.get, tables)
        moved = {key for key, table in tables.items() if _location(table) != _location(before[key])}
        leaving = {key: table for key, table in before.items() if key in moved and self._is_own(key, table)}
        await self._adopt(leaving)
        arriving = {key: table for key, table in tables.items() if key in moved or not _is_recorded(before[key])}
        rows = {key: _recorded(table) for key, table in tables.items()}
        with self._hidden(leaving), self._doubted(arriving):
            expected_rows = await self._expected_rows(expected)
            await self._manifest.commit(expected_rows, {**writes, **rows}, empty, partial(self._show_all, arriving))

    def recover(self) -> None:
        """Make names and directories agree after a server was killed between two steps. The row decides."""
        for name in self._tables.in_doubt():
            key = table_key((name,))
            if self._is_own(key, self._manifest.get(key)):
                self._show(key, Table(self._tables.location(name)))
            self._tables.decide(name)

    async def _expected_rows(self, expected: Mapping[bytes, Entry | None]) -> dict[bytes, Entry | None]:
        """Return the expected rows: a table that is known by its directory has none, unless it was adopted.

        The same holds for its place.
        """
        rows = await _read(self._manifest.get, expected)
        return {
            key: entry if rows[key] is not None or _has_row(key, entry) else None for key, entry in expected.items()
        }

    async def _adopt(self, tables: Mapping[bytes, Entry | None]) -> None:
        """Give rows to tables without one."""
        rows = {key: _recorded(table) for key, table in tables.items() if not _is_recorded(table)}
        if rows:
            await self._manifest.commit(dict.fromkeys(rows), rows)

    @contextlib.contextmanager
    def _hidden(self, keys: Iterable[bytes]) -> Iterator[None]:
        """Hide the directories of tables while their rows are deleted; directories whose rows stay are shown again."""
        names = {key: name_of(key) for key in keys}
        for name in names.values():
            self._tables.doubt(name)
            self._tables.hide(name)
        try:
            yield
        finally:
            for key, name in names.items():
                stays = self._is_own(key, self._manifest.get(key))
                (self._tables.show if stays else self._tables.hide)(name)
                self._tables.decide(name)

    @contextlib.contextmanager
    def _doubted(self, tables: Mapping[bytes, Entry | None]) -> Iterator[None]:
        """Note that the directories of tables are to be shown after their rows are written."""
        names = [name_of(key) for key, table in tables.items() if self._is_own(key, table)]
        for name in names:
            self._tables.doubt(name)
        try:
            yield
        finally:
            for name in names:
                self._tables.decide(name)

    def _show_all(self, tables: Mapping[bytes, Entry | None]) -> None:
        """Show the directories of tables, or reserve them; called in the thread that wrote their rows."""
        for key, table in tables.items():
            self._show(key, table)

    def _show(self, key: bytes, table: Entry | None) -> None:
        if self._is_own(key, table):
            self._tables.show(name_of(key))
        if isinstance(table, Table) and not table.created:
            self._tables.reserve(table.location)

    def _is_own(self, key: bytes, table: Entry | None) -> bool:
        return isinstance(table, Table) and self._tables.is_own(path_of(key), table.location)

    def _place_of_directory(self, key: bytes) -> bytes | None:
        """Return the table key of a place's outermost folder if the folder is, or would be, a table of the root.

        None for other folders, and for a deregistered one: its table may have another name now.
        """
        folder = unpack(key)[1].decode()
        name = folder.removesuffix(SUFFIX)
        is_table = folder.endswith(SUFFIX) and not self._tables.is_hidden(name)
        return place_key((folder,), table_key((name,))) if is_table else None

    def _directory(self, key: bytes) -> Table | None:
        """Return the table that is known by its directory, None when there is none."""
        name = name_of(key)
        return Table(self._tables.location(name), recorded=False) if self._tables.exists(name) else None

    def _directory_keys(self, after: bytes | None) -> Iterator[bytes]:
        """Yield the keys of directories that may be tables, in order."""
        names = self._tables.names()
        start = 0
        if after is not None and after >= ROOT_TABLES:
            inside = after < after_prefix(ROOT_TABLES)
            start = bisect.bisect_right(names, name_of(after)) if inside else len(names)
        for position in range(start, len(names)):
            yield table_key((names[position],))


async def _read(get: Callable[[bytes], Entry | None], keys: Iterable[bytes]) -> dict[bytes, Entry | None]:
    """Return the entries of keys; other requests have turns in between."""
    entries: dict[bytes, Entry | None] = {}
    for number, key in enumerate(keys, 1):
        entries[key] = get(key)
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)
    return entries


def _location(table: Entry | None) -> str | None:
    return table.location if isinstance(table, Table) else None


def _has_row(key: bytes, entry: Entry | None) -> bool:
    """Return whether a known entry has a row, or follows from one."""
    return _is_recorded(entry) and not key.startswith(PLACES)


def _is_recorded(entry: Entry | None) -> bool:
    return not isinstance(entry, Table) or entry.recorded


def _recorded(entry: Entry | None) -> Entry | None:
    return replace(entry, recorded=True) if isinstance(entry, Table) else entry
