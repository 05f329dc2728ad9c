"""Catalog of one warehouse on storage: one key for each namespace, table and view.

`WarehouseCatalog` reads. `WarehouseChange` reads and writes through a transaction; `changes.py` commits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import orjson

from reference_server.errors import (
    CatalogError,
    InvalidInput,
    NamespaceAlreadyExists,
    NamespaceNotEmpty,
    NamespaceNotFound,
    NotFound,
    TableAlreadyExists,
    TableNotFound,
)
from reference_server.iceberg.catalog.keys import Kind, children, object_key, with_names
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.errors import ViewAlreadyExists, ViewNotFound
from reference_server.pagination import Page, take_page
from reference_server.storage import Readable
from reference_server.storage.places import Place
from reference_server.storage.transactions import Transaction

Properties = dict[str, str]
MISSING: dict[Kind, type[NotFound]] = {
    Kind.TABLE: TableNotFound,
    Kind.VIEW: ViewNotFound,
    Kind.GENERIC_TABLE: TableNotFound,
}
TAKEN: dict[Kind, type[CatalogError]] = {
    Kind.TABLE: TableAlreadyExists,
    Kind.VIEW: ViewAlreadyExists,
    Kind.GENERIC_TABLE: TableAlreadyExists,
}
"""Kinds that share one set of names, and the error for a name that is taken."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Requested page of a listing; without a token the whole listing, whatever the size, unless it is `paged`."""

    token: str | None
    size: int | None
    maximum: int
    paged: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether the request asks validly for the whole listing in one answer."""
        return not self.paged and self.token is None and (self.size is None or self.size > 0)


class WarehouseCatalog:
    """Namespaces, tables and views of a warehouse."""

    def __init__(self, store: Readable[bytes], warehouse: str) -> None:
        self._store = store
        self.warehouse = warehouse

    def properties(self, path: Path) -> Properties:
        """Return the properties of a namespace. Raises NamespaceNotFound."""
        value = self._store.get(self._key(Kind.NAMESPACE, path)) if path else b"{}"
        if value is None:
            raise NamespaceNotFound(f"Namespace does not exist: {show(path)}")
        properties: Properties = orjson.loads(value)
        return properties

    def require_namespace(self, path: Path) -> None:
        """Raise NamespaceNotFound unless the namespace exists; the root always does."""
        if path and self._store.get(self._key(Kind.NAMESPACE, path)) is None:
            raise NamespaceNotFound(f"Namespace does not exist: {show(path)}")

    def find(self, kind: Kind, path: Path) -> str | None:
        """Return the metadata location of a table or view, None when there is none."""
        value = self._store.get(self._key(kind, path))
        return None if value is None else value.decode()

    def location(self, kind: Kind, path: Path) -> str:
        """Return the metadata location of a table or view. Raises TableNotFound or ViewNotFound."""
        entry = self.find(kind, path)
        if entry is None:
            raise MISSING[kind](f"{kind.label} does not exist: {show(path)}")
        return entry

    def list_names(self, kind: Kind, path: Path, request: PageRequest) -> Page[str]:
        """Return a page of the names of one kind that a namespace holds. Raises NamespaceNotFound."""
        self.require_namespace(path)
        prefix = children(kind, self.warehouse, path)

        def fetch(after: bytes | None, count: int | None) -> list[tuple[bytes, str]]:
            return with_names(self._store.scan(prefix, after, count), prefix)

        if request.paged or request.token is not None:
            return take_page(prefix, request.token, request.size, request.maximum, fetch)
        if request.size is not None and request.size < 1:
            raise InvalidInput(f"The page size must be at least 1, not {request.size}.")
        return Page([name for _, name in fetch(None, None)], None)

    def _key(self, kind: Kind, path: Path) -> bytes:
        return object_key(kind, self.warehouse, path)


class Follower(Protocol):
    """State that an API stores about objects beside the catalog: dropped and renamed in the same change."""

    def started(self, change: WarehouseChange) -> None:
        """Check a change that is being built. Raises CatalogError for one that is not allowed."""

    def removed(self, change: WarehouseChange, kind: Kind, path: Path) -> None:
        """Drop the state of a removed object."""

    def moved(self, change: WarehouseChange, kind: Kind, path: Path, target: Path) -> None:
        """Move the state of a renamed object."""


class WarehouseChange(WarehouseCatalog):
    """A change of a warehouse under construction: its reads and its future writes."""

    def __init__(self, transaction: Transaction[bytes], warehouse: str, followers: Sequence[Follower] = ()) -> None:
        super().__init__(transaction, warehouse)
        self.transaction = transaction
        self._followers = followers
        self.places: dict[str, Place] = {}  # of the locations that were chosen for new objects
        self.new_files: list[str] = []
        self.old_files: list[str] = []
        self.old_trees: list[str] = []

    def add_namespace(self, path: Path, properties: Properties) -> None:
        """Add a namespace below one that exists. Raises NamespaceAlreadyExists and NamespaceNotFound."""
        self.require_no_namespace(path)
        self.transaction.put(self._key(Kind.NAMESPACE, path), orjson.dumps(properties))

    def require_no_namespace(self, path: Path) -> None:
        """Raise NamespaceAlreadyExists if the namespace exists, NamespaceNotFound if its parent does not."""
        self.require_namespace(path[:-1])
        if self.transaction.get(self._key(Kind.NAMESPACE, path)) is not None:
            raise NamespaceAlreadyExists(f"Namespace already exists: {show(path)}")

    def set_properties(self, path: Path, properties: Properties) -> None:
        """Replace the properties of a namespace that exists."""
        self.transaction.put(self._key(Kind.NAMESPACE, path), orjson.dumps(properties))

    def remove_namespace(self, path: Path) -> None:
        """Remove an empty namespace. Raises NamespaceNotFound and NamespaceNotEmpty."""
        self.require_namespace(path)
        prefixes = [children(kind, self.warehouse, path) for kind in Kind]
        if any(self._store.scan(prefix, limit=1) for prefix in prefixes):
            raise NamespaceNotEmpty(f"Namespace {show(path)} is not empty.")
        self.transaction.put(self._key(Kind.NAMESPACE, path), None)
        self.transaction.require_empty(*prefixes)
        for follower in self._followers:
            follower.removed(self, Kind.NAMESPACE, path)

    def require_free(self, kind: Kind, path: Path) -> None:
        """Raise NamespaceNotFound, or TableAlreadyExists or ViewAlreadyExists for a name that is taken."""
        self.require_namespace(path[:-1])
        if self.find(kind, path) is not None:
            raise TAKEN[kind](f"{kind.label} already exists: {show(path)}")
        for other, taken in TAKEN.items():
            if other is not kind and self.find(other, path) is not None:
                raise taken(f"{other.label} with same name already exists: {show(path)}")

    def add(self, kind: Kind, path: Path, location: str) -> None:
        """Add a table or view. Raises what `require_free` raises."""
        self.require_free(kind, path)
        self.transaction.put(self._key(kind, path), location.encode())

    def replace(self, kind: Kind, path: Path, location: str) -> None:
        """Point a table or view to another metadata file. Raises TableNotFound or ViewNotFound."""
        self.location(kind, path)
        self.transaction.put(self._key(kind, path), location.encode())

    def remove(self, kind: Kind, path: Path) -> str:
        """Remove a table or view and return its metadata location. Raises TableNotFound or ViewNotFound."""
        location = self._take_out(kind, path)
        for follower in self._followers:
            follower.removed(self, kind, path)
        return location

    def move(self, kind: Kind, path: Path, target: Path) -> None:
        """Rename a table or view. Raises the errors of `remove` and `add`."""
        location = self.location(kind, path)
        for taken in (other for other in TAKEN if self.find(other, target) is not None):
            names = f"Cannot rename {show(path)} to {show(target)}. {taken.label} already exists: {show(target)}"
            raise TAKEN[taken](names)
        self._take_out(kind, path)
        self.add(kind, target, location)
        for follower in self._followers:
            follower.moved(self, kind, path, target)

    def _take_out(self, kind: Kind, path: Path) -> str:
        location = self.location(kind, path)
        self.transaction.put(self._key(kind, path), None)
        return location
