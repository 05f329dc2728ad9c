"""The catalog on storage: one key for each namespace and each table.

    namespace / <path of the parent> / <name>  ->  properties
    table     / <path of the parent> / <name>  ->  C or D (created, declared), then location and properties

Children of a namespace lie beside each other, so a page of a listing is one scan, and it parses
nothing.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Coroutine, Hashable
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
from reference_server.lance.catalog import Listed, ListRequest, Path, Properties, Table
from reference_server.pagination import Page, take_page
from reference_server.storage import CommitConflict, Storage, pack, unpack

ATTEMPTS = 50
SLUG_LENGTH = 80
NAMESPACE, TABLE, VERSION = "namespace", "table", "version"
CREATED, DECLARED = ord("C"), ord("D")
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

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

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
        key = _key(NAMESPACE, path)
        if not path or self._storage.get(key) is not None:
            raise NamespaceAlreadyExists(f"The namespace {show(path)} exists already.")
        await self._storage.commit({key: None, **parent}, {key: orjson.dumps(properties)})

    @retried
    async def drop_namespace(self, path: Path, *, cascade: bool) -> list[Table]:
        """See Catalog.drop_namespace."""
        if not path:
            raise InvalidInput("The root namespace cannot be dropped.")
        expected = {_key(NAMESPACE, path): self._namespace(path)}
        tables: list[Table] = []
        left = [path]
        prefixes = []
        while left:
            here = left.pop()
            prefixes += [_children(NAMESPACE, here), _children(TABLE, here)]
            namespaces, entries = (self._storage.scan(prefix, limit=None if cascade else 1) for prefix in prefixes[-2:])
            if (namespaces or entries) and not cascade:
                raise NamespaceNotEmpty(f"The namespace {show(path)} is not empty.")
            left += [(*here, _name(key)) for key, _ in namespaces]
            tables += [_load(value) for _, value in entries]
            expected.update(namespaces + entries)
        await self._storage.commit(expected, dict.fromkeys(expected), prefixes)
        return tables

    async def list_namespaces(self, path: Path, request: ListRequest) -> Page[str]:
        """See Catalog.list_namespaces."""
        self._parent((*path, ""))
        return self._page(_children(NAMESPACE, path), request, lambda name, _: name)

    async def table(self, path: Path) -> Table:
        """See Catalog.table."""
        return _load(self._table(path))

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
        await self._storage.commit({key: None, **parent}, {key: _dump(table)})

    async def replace_table(self, path: Path, before: Table, after: Table) -> None:
        """See Catalog.replace_table."""
        key = table_key(path)
        try:
            await self._storage.commit({key: _dump(before)}, {key: _dump(after)})
        except CommitConflict:
            raise ConcurrentModification(f"The table {show(path)} was changed at the same time.") from None

    @retried
    async def remove_table(self, path: Path, *, dropping: bool) -> Table:
        """See Catalog.remove_table."""
        value = self._table(path)
        key = table_key(path)
        await self._storage.commit({key: value}, {key: None})
        return _load(value)

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
            if _load(value).location != table.location:
                break
            with suppress(CommitConflict):
                expected = {source: value, destination: None, **parent}
                await self._storage.commit(expected, {source: None, destination: _dump(moved)})
                return
        raise ConcurrentModification(f"The table {show(path)} was changed at the same time.")

    async def list_tables(self, path: Path, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_tables."""
        self._parent((*path, ""))
        return self._page(
            _children(TABLE, path), request, lambda name, value: Listed((*path, name), value[0] == CREATED)
        )

    async def list_all_tables(self, request: ListRequest) -> Page[Listed]:
        """See Catalog.list_all_tables."""

        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, Listed]]:
            return [self._listed(key, value) for key, value in self._storage.scan(pack(TABLE), after, count)]

        return take_page(pack(TABLE), request.token, request.limit, request.maximum, fetch)

    def _listed(self, key: bytes, value: bytes) -> tuple[bytes, Listed]:
        return key, Listed(_path(key), value[0] == CREATED)

    def _page(self, prefix: bytes, request: ListRequest, read: Callable[[str, bytes], T]) -> Page[T]:
        start = len(prefix)

        def fetch(after: bytes | None, count: int) -> list[tuple[bytes, T]]:
            return [
                (key, read(key[start:-1].decode(), value)) for key, value in self._storage.scan(prefix, after, count)
            ]

        return take_page(prefix, request.token, request.limit, request.maximum, fetch)

    def _namespace(self, path: Path) -> bytes:
        value = self._storage.get(_key(NAMESPACE, path))
        if value is None:
            raise NamespaceNotFound(f"The namespace {show(path)} does not exist.")
        return value

    def _parent(self, path: Path) -> dict[bytes, bytes | None]:
        """Return what a commit below the parent of `path` expects: that the parent is as it is now."""
        parent = path[:-1]
        return {_key(NAMESPACE, parent): self._namespace(parent)} if parent else {}

    def _table(self, path: Path) -> bytes:
        value = self._storage.get(table_key(path))
        if value is None:
            self._parent(path)
            raise TableNotFound(f"The table {show(path)} does not exist.")
        return value


def _children(kind: str, path: Path) -> bytes:
    return pack(kind, pack(*path))


def _key(kind: str, path: Path) -> bytes:
    return pack(kind, pack(*path[:-1]), path[-1]) if path else pack(kind)


def table_key(path: Path) -> bytes:
    """Return the key of a table's entry."""
    return _key(TABLE, path)


def new_location(path: Path) -> str:
    """Return a location that was never used: a random prefix, then as much of the name as is safe."""
    slug = re.sub(r"[^A-Za-z0-9_.$-]", "_", "$".join(path))[:SLUG_LENGTH]
    return f"{secrets.token_hex(4)}_{slug}"


def _name(key: bytes) -> str:
    return unpack(key)[-1].decode()


def _path(key: bytes) -> Path:
    _, parent, name = unpack(key)
    return (*(part.decode() for part in unpack(parent)), name.decode())


def _load(value: bytes) -> Table:
    return Table(**orjson.loads(memoryview(value)[1:]), created=value[0] == CREATED)


def _dump(table: Table) -> bytes:
    body = orjson.dumps({"location": table.location, "properties": table.properties})
    return bytes([CREATED if table.created else DECLARED]) + body


def show(path: Path) -> str:
    """Return a path as messages show it."""
    return repr(list(path))
