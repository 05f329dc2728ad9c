"""The catalog on storage: one key for each namespace and each table; `keys.py` says which.

Children of a namespace lie beside each other, so a page of a listing is one scan, and it parses
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import orjson

from reference_server.errors import (
    ConcurrentModification,
    InvalidInput,
    NamespaceAlreadyExists,
    NamespaceNotEmpty,
    NamespaceNotFound,
    TableAlreadyExists,
    TableNotFound,
)
from reference_server.lance.catalog.batch import Batch
from reference_server.lance.catalog.catalog import Listed, ListRequest, Path, Properties, Record, Table
from reference_server.lance.catalog.keys import (
    CREATED,
    NAMESPACE,
    PENDING,
    TABLE,
    VERSION,
    VERSION_BYTES,
    catalog_key,
    children,
    dump_table,
    load_table,
    name_of,
    path_of,
    show,
    table_key,
    version_key,
)
from reference_server.pagination import Page, take_page
from reference_server.storage import CommitConflict, Storage, pack, unpack

ATTEMPTS = 50
P = ParamSpec("P")
T = TypeVar("T")
Change = Callable[Concatenate["StorageCatalog", P], Coroutine[Any, Any, T]]


def retried(change: Change[P, T]) -> Change[P, T]:
    """Read and commit again when somebody else was quicker; the second look tells what has changed."""

    @wraps(change)
    async def attempt(self: StorageCatalog, *args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(ATTEMPTS):
            try:
                return await change(self, *args, **kwargs)
            except CommitConflict:
                continue
        raise ConcurrentModification("Others kept changing the same object; try again.")

    return cast("Change[P, T]", attempt)


class StorageCatalog:
    """See Catalog."""

    forbidden = ""

    def __init__(self, storage: Storage[bytes], *, managed: bool = False) -> None:
        self._storage = storage
        self.managed = managed

    def close(self) -> None:
        """See Catalog.close; the storage is the backend's."""

    def state(self) -> Hashable:
        """See Catalog.state."""
        return self._storage.version()

    def follows(self, _path: Path) -> bool:
        """See Catalog.follows."""
        return True

    async def namespace(self, path: Path) -> Properties:
        """See Catalog.namespace."""
        properties: Properties = orjson.loads(self._namespace(path)) if path else {}
        return properties

    @retried
    async def create_namespace(self, path: Path, properties: Properties) -> None:
        """See Catalog.create_namespace."""
        parent = self._parent(path)
        key = catalog_key(NAMESPACE, path)
        if not path or self._storage.get(key) is not None:
            raise NamespaceAlreadyExists(f"The namespace {show(path)} exists already.")
        await self._storage.commit({key: None, **parent}, {key: orjson.dumps(properties)})

    @retried
    async def drop_namespace(self, path: Path, *, cascade: bool) -> list[Table]:
        """See Catalog.drop_namespace."""
        if not path:
            raise InvalidInput("The root namespace cannot be dropped.")
        expected = {catalog_key(NAMESPACE, path): self._namespace(path)}
        tables: list[Table] = []
        left = [path]
        prefixes = []
        while left:
            here = left.pop()
            prefixes += [children(NAMESPACE, here), children(TABLE, here)]
            namespaces, entries = (self._storage.scan(prefix, limit=None if cascade else 1) for prefix in prefixes[-2:])
            if (namespaces or entries) and not cascade:
                raise NamespaceNotEmpty(f"The namespace {show(path)} is not empty.")
            left += [(*here, name_of(key)) for key, _ in namespaces]
            tables += [load_table(value) for _, value in entries]
            expected.update(namespaces + entries)
        await self._storage.commit(expected, dict.fromkeys(expected), prefixes)
        return tables

    async def list_namespaces(self, path: Path, request: ListRequest) -> Page[str]:
        """See Catalog.list_namespaces."""
        self._parent((*path, ""))
        return self._page(children(NAMESPACE, path), request, lambda name, _: name)

    async def table(self, path: Path) -> Table:
        """See Catalog.table."""
        return load_table(self._table(path))

    def location_for(self, _path: Path, unused: str) -> str:
        """See Catalog.location_for."""
        return unused

    async def place(self, _path: Path, written: str) -> str:
        """See Catalog.place."""
        return written

    def keeps_place(self, _path: Path, _table: Table) -> bool:
        """See Catalog.keeps_place."""
        return False

    @retried
    async def add_table(self, path: Path, table: Table) -> None:
        """See Catalog.add_table."""
        parent = self._parent(path)
        key = table_key(path)
        if self._storage.get(key) is not None:
            raise TableAlreadyExists(f"The table {show(path)} exists already.")
        await self._storage.commit({key: None, **parent}, {key: dump_table(table)})

    async def replace_table(self, path: Path, before: Table, after: Table) -> None:
        """See Catalog.replace_table."""
        key = table_key(path)
        try:
            await self._storage.commit({key: dump_table(before)}, {key: dump_table(after)})
        except CommitConflict:
            raise ConcurrentModification(f"The table {show(path)} was changed at the same time.") from None

    @retried
    async def remove_table(self, path: Path, *, dropping: bool) -> Table:
        """See Catalog.remove_table."""
        value = self._table(path)
        key = table_key(path)
        await self._storage.commit({key: value}, {key: None})
        return load_table(value)

    async def rename_table(self, path: Path, target: Path) -> None:
        """See Catalog.rename_table."""
        table = await self.table(path)
        await self._move(path, table, target, table)

    async def _move(self, path: Path, table: Table, target: Path, moved: Table) -> None:
        """Take one entry away and add another, in one commit."""
        source, destination = table_key(path), table_key(target)
        for _ in range(ATTEMPTS):
            value = self._table(path)
            parent = self._parent(target)
            if self._storage.get(destination) is not None:
                raise TableAlreadyExists(f"The table {show(target)} exists already.")
            if load_table(value).location != table.location:
                break
            with suppress(CommitConflict):
                expected = {source: value, destination: None, **parent}
                await self._storage.commit(expected, {source: None, destination: dump_table(moved)})
                return
        raise ConcurrentModification(f"The table {show(path)} was changed at the same time.")

    async def list_tables(self, path: Path, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_tables."""
        self._parent((*path, ""))
        return self._page(
            children(TABLE, path), request, lambda name, value: Listed((*path, name), value[0] == CREATED)
        )

    async def list_all_tables(self, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_all_tables."""

        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, Listed]]:
            return [self._listed(key, value) for key, value in self._storage.scan(pack(TABLE), after, count)]

        return take_page(pack(TABLE), request.token, request.limit, request.maximum, fetch)

    # Versions

    def versions(self, kind: str, path: Path) -> dict[int, Record]:
        """See Catalog.versions."""
        found = self._storage.scan(pack(kind, pack(*path)))
        return {int.from_bytes(key[-VERSION_BYTES:], "big"): orjson.loads(value) for key, value in found}

    def tables_with_pending_versions(self) -> list[Path]:
        """See Catalog.tables_with_pending_versions."""
        keys = (key[:-VERSION_BYTES] for key, _ in self._storage.scan(pack(PENDING)))
        return list(dict.fromkeys(tuple(part.decode() for part in unpack(unpack(key)[1])) for key in keys))

    async def settle_versions(
        self, path: Path, records: Mapping[int, Record | None], pending: Mapping[int, Record] | None = None
    ) -> None:
        """See Catalog.settle_versions."""
        writes: dict[bytes, bytes | None] = {}
        expected = {
            version_key(PENDING, path, version): orjson.dumps(record) for version, record in (pending or {}).items()
        }
        for version, record in records.items():
            writes[version_key(PENDING, path, version)] = None
            if self.managed:
                writes[version_key(VERSION, path, version)] = None if record is None else orjson.dumps(record)
        with suppress(CommitConflict):  # somebody else has settled them
            await self._storage.commit(expected, writes)

    async def recover(self) -> None:
        """See Catalog.recover: storage has nothing that is half done."""

    async def commit_batch(self, build: Callable[[Batch], Coroutine[Any, Any, T]], _paths: Sequence[Path]) -> T:
        """See Catalog.commit_batch."""
        for _ in range(ATTEMPTS):
            batch = Batch.on(self._storage)
            outcome = await build(batch)
            with suppress(CommitConflict):
                await self._storage.commit(batch.expected, batch.writes)
                return outcome
        raise ConcurrentModification("Others kept changing the same tables; try again.")

    def _listed(self, key: bytes, value: bytes) -> tuple[bytes, Listed]:
        return key, Listed(path_of(key), value[0] == CREATED)

    def _page(self, prefix: bytes, request: ListRequest, read: Callable[[str, bytes], T]) -> Page[T]:
        start = len(prefix)

        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, T]]:
            return [
                (key, read(key[start:-1].decode(), value)) for key, value in self._storage.scan(prefix, after, count)
            ]

        return take_page(prefix, request.token, request.limit, request.maximum, fetch)

    def _namespace(self, path: Path) -> bytes:
        value = self._storage.get(catalog_key(NAMESPACE, path))
        if value is None:
            raise NamespaceNotFound(f"The namespace {show(path)} does not exist.")
        return value

    def _parent(self, path: Path) -> dict[bytes, bytes | None]:
        """Return what a commit below the parent of `path` expects: that the parent is as it is now."""
        parent = path[:-1]
        return {catalog_key(NAMESPACE, parent): self._namespace(parent)} if parent else {}

    def _table(self, path: Path) -> bytes:
        value = self._storage.get(table_key(path))
        if value is None:
            self._parent(path)
            raise TableNotFound(f"The table {show(path)} does not exist.")
        return value
