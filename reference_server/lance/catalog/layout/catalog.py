"""The catalog over the published directory layout.

What is in the manifest table comes first. A table of the root namespace may be known by its directory
alone; before anything is done to such a table in more than one step it gets a row, so that a server
that is killed between two steps leaves it as it was.
"""

from __future__ import annotations

import bisect
import contextlib
import heapq
import os
import shutil
from collections.abc import Callable, Coroutine, Hashable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any, TypeVar

from reference_server.backends import OWN_FOLDER
from reference_server.errors import TableAlreadyExists, TableNotFound
from reference_server.lance.catalog.batch import Batch
from reference_server.lance.catalog.catalog import Listed, ListRequest, Path, Properties, Table
from reference_server.lance.catalog.keys import TABLE, load_table, new_location, show, table_key
from reference_server.lance.catalog.layout.manifest import TABLE as TABLE_FOLDER
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.layout.root_tables import RootTables
from reference_server.lance.catalog.removal import clear_removed, remove_tree
from reference_server.lance.catalog.storage_catalog import StorageCatalog
from reference_server.pagination import Page, take_page
from reference_server.storage import pack

MANAGED = "table_version_management"
T = TypeVar("T")


class LayoutCatalog(StorageCatalog):
    """See Catalog. Names may not hold the "$" that joins them in the manifest."""

    forbidden = "$"

    def __init__(self, root: FilePath, *, managed: bool = False) -> None:
        self._root = root
        self._tables = RootTables(root, root / OWN_FOLDER / "in-doubt")
        self._manifest = ManifestStorage(root, root / OWN_FOLDER / "lock")
        super().__init__(self._manifest, managed=managed)
        if managed:
            self._manifest.set_metadata({MANAGED: "true"})
        elif (root / TABLE_FOLDER).exists():
            self._manifest.version()
            self.managed = self._manifest.metadata.get(MANAGED) == "true"

    def close(self) -> None:
        """Finish what waits."""
        self._manifest.close()

    def state(self) -> Hashable:
        """See Catalog.state."""
        return self._manifest.version()

    def follows(self, path: Path) -> bool:
        """See Catalog.follows: what lies in the root is also a matter of directories."""
        return bool(path)

    async def namespace(self, path: Path) -> Properties:
        """See Catalog.namespace. The root's properties are the metadata of the manifest table."""
        if path:
            return await super().namespace(path)
        self._manifest.version()
        return {name: value for name, value in self._manifest.metadata.items() if name != MANAGED}

    async def table(self, path: Path) -> Table:
        """See Catalog.table."""
        try:
            return await super().table(path)
        except TableNotFound:
            if self._is_directory(path):
                return Table(self._tables.location(path[-1]))
            raise

    def location_for(self, path: Path, unused: str) -> str:
        """See Catalog.location_for: a root table lies where its name says, if nothing lies there."""
        own = len(path) == 1 and self._tables.is_free(path[-1])
        return self._tables.location(path[-1]) if own else unused

    async def place(self, path: Path, written: str) -> str:
        """See Catalog.place. To take the place is to take the name: one of two gets it."""
        location = self.location_for(path, written)
        if location != written:
            try:
                (self._root / written).rename(self._root / location)
            except OSError:
                raise TableAlreadyExists(f"The table {show(path)} exists already.") from None
        return location

    def keeps_place(self, path: Path, table: Table) -> bool:
        """See Catalog.keeps_place."""
        return self._is_own(path, table)

    async def add_table(self, path: Path, table: Table) -> None:
        """See Catalog.add_table. A table without data is marked as reserved."""
        if self._is_directory(path) and not self._is_own(path, table):
            raise TableAlreadyExists(f"The table {show(path)} exists already.")
        with self._adding([(path, table)]):
            await super().add_table(path, table)

    async def remove_table(self, path: Path, *, dropping: bool) -> Table:
        """See Catalog.remove_table.

        A directory of the root is hidden before its row goes. One that was deregistered before can
        still be dropped.
        """
        if dropping and len(path) == 1 and self._tables.is_hidden(path[-1]) and self._row(path) is None:
            return Table(self._tables.location(path[-1]))
        with self._removing([(path, await self._adopted(path))]):
            return await super().remove_table(path, dropping=dropping)

    async def rename_table(self, path: Path, target: Path) -> None:
        """See Catalog.rename_table.

        A table that lies where its root name says moves to a location that no name claims, by hard
        links: every step leaves the old or the new name with all data.
        """
        if self._is_directory(target):
            raise TableAlreadyExists(f"The table {show(target)} exists already.")
        table = await self._adopted(path)
        if not self._is_own(path, table):
            await super().rename_table(path, target)
            return
        moved = replace(table, location=new_location(target))
        _link_tree(self._root / table.location, self._root / moved.location)
        try:
            with self._removing([(path, table)]):
                await self._move(path, table, target, moved)
        except Exception:
            remove_tree(self._root, moved.location)
            raise
        remove_tree(self._root, table.location)

    async def commit_batch(self, build: Callable[[Batch], Coroutine[Any, Any, T]], paths: Sequence[Path]) -> T:
        """See Catalog.commit_batch."""
        for path in paths:
            if self._is_directory(path):
                await self._adopted(path)
        with contextlib.ExitStack() as changing:

            async def build_in_doubt(batch: Batch) -> T:
                outcome = await build(batch)
                changing.enter_context(self._removing(batch.removed))
                changing.enter_context(self._adding(batch.added))
                return outcome

            return await super().commit_batch(build_in_doubt, paths)

    async def recover(self) -> None:
        """See Catalog.recover. The row decides."""
        for name in self._tables.in_doubt():
            if self._has_own_row((name,)):
                self._show((name,), Table(self._tables.location(name)))
            self._tables.decide(name)
        clear_removed(self._root)

    async def list_tables(self, path: Path, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_tables."""
        if path:
            return await super().list_tables(path, request)
        prefix = pack(TABLE, b"")
        return take_page(prefix, request.token, request.limit, request.maximum, self._root_page)

    async def list_all_tables(self, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_all_tables. The root's tables come first, as its key sorts first."""
        root, rest = pack(TABLE, b""), pack(TABLE)

        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, Listed]]:
            page = self._root_page(after, count) if after is None or after.startswith(root) else []
            last = page[-1][0] if page else after
            start = last if last is not None and not last.startswith(root) else root + b"\xff"
            more = self._storage.scan(rest, start, count - len(page))
            return page + [self._listed(key, value) for key, value in more]

        return take_page(rest, request.token, request.limit, request.maximum, fetch)

    def _root_page(self, after: bytes | None, count: int) -> list[tuple[bytes, Listed]]:
        """Return root tables by name: rows, and directories without a row that are tables."""
        prefix = pack(TABLE, b"")
        rows = self._storage.scan(prefix, after, count)
        known = {key for key, _ in rows}
        directories = ((key, b"") for key in self._directory_keys(prefix, after) if key not in known)
        page: list[tuple[bytes, Listed]] = []
        for key, value in heapq.merge(rows, directories):
            if len(page) == count:
                break
            if value:
                page.append(self._listed(key, value))
            elif self._storage.get(key) is None:
                name = key[len(prefix) : -1].decode()
                if self._tables.exists(name):
                    page.append((key, Listed((name,), created=False)))
        return page

    def _directory_keys(self, prefix: bytes, after: bytes | None) -> Iterator[bytes]:
        names = self._tables.names()
        start = 0
        if after is not None and after.startswith(prefix):
            start = bisect.bisect_right(names, after[len(prefix) : -1].decode())
        for position in range(start, len(names)):
            yield prefix + pack(names[position])

    def _is_own(self, path: Path, table: Table) -> bool:
        return len(path) == 1 and table.location == self._tables.location(path[-1])

    def _is_directory(self, path: Path) -> bool:
        return len(path) == 1 and self._tables.exists(path[-1])

    async def _adopted(self, path: Path) -> Table:
        """Return a table that has a row, giving it one if it has none. Raises TableNotFound."""
        table = await self.table(path)
        if self._is_directory(path) and self._row(path) is None:
            await super().add_table(path, table)
        return table

    @contextlib.contextmanager
    def _removing(self, tables: Sequence[tuple[Path, Table]]) -> Iterator[None]:
        """Hide the directories of tables while their rows go; those whose rows stay are shown again."""
        own = [path[-1] for path, table in tables if self._is_own(path, table)]
        for name in own:
            self._tables.doubt(name)
            self._tables.hide(name)
        try:
            yield
        finally:
            for name in own:
                change = self._tables.show if self._has_own_row((name,)) else self._tables.hide
                change(name)
                self._tables.decide(name)

    @contextlib.contextmanager
    def _adding(self, tables: Sequence[tuple[Path, Table]]) -> Iterator[None]:
        """Show the directories of tables, or reserve them, once their rows are there."""
        own = [path[-1] for path, table in tables if self._is_own(path, table)]
        for name in own:
            self._tables.doubt(name)
        try:
            yield
            for path, table in tables:
                row = self._row(path)
                if row is not None and row.location == table.location:  # an attempt that lost added none
                    self._show(path, table)
        finally:
            for name in own:
                self._tables.decide(name)

    def _show(self, path: Path, table: Table) -> None:
        if self._is_own(path, table):
            self._tables.show(path[-1])
        if not table.created:
            self._tables.reserve(table.location)

    def _row(self, path: Path) -> Table | None:
        value = self._storage.get(table_key(path))
        return None if value is None else load_table(value)

    def _has_own_row(self, path: Path) -> bool:
        row = self._row(path)
        return row is not None and self._is_own(path, row)


def _link_tree(source: FilePath, target: FilePath) -> None:
    """Make a copy of a dataset that shares its files, which are never changed once they are written."""
    shutil.copytree(source, target, copy_function=os.link)
