"""A request to the Iceberg API: its warehouse, namespace and names taken apart."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from reference_server.context import Context, run_in_thread
from reference_server.errors import CatalogError, InvalidInput
from reference_server.iceberg.catalog.catalog import Catalog, PageRequest
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.files.metadata_files import MetadataFile, Reader
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.iceberg.metadata.format_versions import NEWEST
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.table_documents import read_table
from reference_server.iceberg.metadata.view_documents import read_view
from reference_server.iceberg.services import Services
from reference_server.pagination import Page
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, split_levels

P = ParamSpec("P")
T = TypeVar("T")
EVERYWHERE = ""  # no warehouse has this name: locations are those of all
AT_ONCE = 1_000
"""How many names of a listing are read before other requests have a turn."""


@dataclass(slots=True)
class IcebergContext(Context):
    """A request bound to a warehouse."""

    services: Services

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse that the path names, or the one of paths without a prefix."""
        return self.services.warehouse

    @property
    def catalog(self) -> Catalog:
        """The catalog of the warehouse, for reading."""
        return Catalog(self.services.storage, self.warehouse.name)

    @property
    def namespace(self) -> Path:
        """The namespace that the path names. Raises InvalidInput for one with an empty level."""
        return levels(self.path["namespace"])

    def object_path(self, kind: str) -> Path:
        """Return the namespace and name of what the path names: `table`, `view` or `function`."""
        return (*self.namespace, self.path[kind])

    @property
    def page(self) -> PageRequest:
        """Which page a listing asks for. Where the document has a default size, listings always come in pages."""
        default = self.operation.default("pageSize")
        size = self.query("pageSize")
        return PageRequest(
            self.query("pageToken"),
            default if size is None else size,
            self.services.page_size,
            paged=default is not None,
        )

    async def names(self, kind: Kind, path: Path) -> Page[str]:
        """Return what a listing asks for of the names in a namespace. Raises NamespaceNotFound.

        Others have turns while everything is listed, unless they use them for changes: it is how it was at one time.
        """
        request, catalog, storage = self.page, self.catalog, self.services.storage
        names: list[str] = []
        state = storage.version()
        part = replace(request, size=AT_ONCE, maximum=AT_ONCE, paged=True)
        while request.is_everything and storage.version() == state:
            page = catalog.list_names(kind, path, part)
            names += page.items
            if page.token is None:
                return Page(names, None)
            part = replace(part, token=page.token)
            await asyncio.sleep(0)
        return catalog.list_names(kind, path, request)

    async def table_file(self, location: str) -> MetadataFile:
        """Return a table's metadata file. Raises FileNotFound and InvalidInput, see also `check_format`."""
        file = await self._file(location, "table-uuid", _table)
        if self.services.newest_format < NEWEST:
            self.check_format(file.metadata)
        return file

    def check_format(self, metadata: Json) -> None:
        """Raise InvalidInput for a table of a format version that the document does not have."""
        version = metadata["format-version"]
        if version > self.services.newest_format:
            raise InvalidInput(f"The format version {version} is above {self.services.newest_format}, the newest here.")

    async def view_file(self, location: str) -> MetadataFile:
        """Return a view's metadata file. Raises FileNotFound and InvalidInput."""
        return await self._file(location, "view-uuid", _view)

    async def _file(self, location: str, identity: str, reader: Reader) -> MetadataFile:
        files = self.services.files
        cached = files.recall(location, identity)
        return await self.run(files.read, location, identity, reader) if cached is None else cached

    async def run_plan(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do what `run` does, in the threads for scan plans: they take the longer the more files a table has."""
        return await run_in_thread(self.services.planners, partial(function, *args, **kwargs))

    async def table_location(self, file: str | None) -> str | None:
        """Return the location of the table in a metadata file, None for no file and for an unreadable one."""
        with suppress(CatalogError, MetadataError):
            return None if file is None else str((await self.table_file(file)).metadata["location"])
        return None

    @asynccontextmanager
    async def alone(self, paths: Iterable[Path], location: str | None = None) -> AsyncIterator[None]:
        """Lock these tables or views against other changes in this process; other processes are not locked.

        The `location` of a table that is purged or registered is locked too: nothing is registered there while its
        files are being deleted.
        """
        keys = [(self.warehouse.name, path) for path in sorted(set(paths))]
        if location is not None:
            keys.append((EVERYWHERE, (location,)))
        async with AsyncExitStack() as stack:
            for key in keys:
                await stack.enter_async_context(self.services.locks.setdefault(key, asyncio.Lock()))
            yield


def levels(text: str) -> Path:
    """Return the levels of a namespace, percent-decoded before. Raises InvalidInput for an empty level."""
    try:
        return tuple(split_levels(text, UNIT_SEPARATOR))
    except IdentifierError as error:
        raise InvalidInput(f"The namespace cannot be read: {error}.") from None


def now() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000


def new_uuid() -> str:
    """Return a new, unique UUID."""
    return str(uuid.uuid4())


def _table(document: Any, location: str) -> Json:
    """Read a table; one of version 1 without a UUID gets one that follows from the location of its file."""
    return read_table(document, uuid=str(uuid.uuid5(uuid.NAMESPACE_URL, location)))


def _view(document: Any, _location: str) -> Json:
    return read_view(document)
