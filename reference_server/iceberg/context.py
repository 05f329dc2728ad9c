"""Context of a request to the Iceberg API: names parsed from its path, and the services of its warehouse."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, MutableMapping, Sequence
from concurrent.futures import Executor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ParamSpec, TypeVar

from reference_server.auth import Auth
from reference_server.context import Context, run_in_thread
from reference_server.errors import CatalogError, InvalidInput
from reference_server.iceberg.catalog.catalog import Follower, PageRequest, WarehouseCatalog
from reference_server.iceberg.catalog.expiring import ExpiringValues
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.names import Path, levels, with_unit_separator
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.dialects import Dialect
from reference_server.iceberg.files.metadata_files import MetadataFile, MetadataFiles, Reader
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.iceberg.metadata.format_versions import NEWEST
from reference_server.iceberg.metadata.properties import FOR_NEW_TABLES
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.table_documents import read_table
from reference_server.iceberg.metadata.view_documents import read_view
from reference_server.iceberg.scans.plans import ScanServices
from reference_server.pagination import Page
from reference_server.storage import Storage
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Document

P = ParamSpec("P")
T = TypeVar("T")
Lock = tuple[str, Path]
Locks = MutableMapping[Lock, asyncio.Lock]
Credential = dict[str, Any]
EVERYWHERE = ""  # no warehouse has this name: locks of locations apply to all warehouses
AT_ONCE = 1_000
"""Number of names of a listing that are read before other requests have a turn."""


@dataclass(frozen=True, slots=True)
class Access:
    """Access of clients to the files of a table; both are functions of a request, a table and its metadata.

    `fields` returns the additional fields of an answer that shows the table, for a list of requested ways of access;
    `credentials` the result of loadCredentials.
    """

    fields: Callable[[IcebergContext, Path, Json, Sequence[str]], dict[str, Any]]
    credentials: Callable[[IcebergContext, Path, Json], list[Credential]]


@dataclass(frozen=True)
class Services:
    """Services of the requests to a `warehouse`; `warehouses` are all that clients may name, the default one first.

    `handled` are the operations served, `dialect` translates commits of the document. Dummy keys are derived from
    `dummy_key_secret`; `scans` are the services of scan plans, `planners` the threads that make them, `kept` the stored
    values with an expiry, `followers` the parts that change with the catalog. `separator` stands between the levels of
    a namespace in paths; with `require_prefix` every path has a prefix. New tables have the `default_properties`.
    """

    document: Document
    storage: Storage[bytes]
    auth: Auth
    locks: Locks
    handled: frozenset[str]
    dialect: Dialect
    page_size: int
    dummy_key_secret: bytes
    warehouse: Warehouse
    warehouses: Mapping[str, Warehouse]
    allowed: AllowedLocations
    locations: LocationRules
    access: Access
    files: MetadataFiles
    scans: ScanServices
    planners: Executor
    kept: ExpiringValues
    followers: Sequence[Follower]
    separator: str = UNIT_SEPARATOR
    require_prefix: bool = False
    default_properties: dict[str, str] = field(default_factory=lambda: FOR_NEW_TABLES)

    @cached_property
    def newest_format(self) -> int:
        """The newest format version of tables in the document."""
        fields = self.document.raw["components"]["schemas"]["TableMetadata"]["properties"]
        return int(fields["format-version"].get("maximum", NEWEST))

    @cached_property
    def default_warehouse(self) -> Warehouse:
        """The warehouse of paths without a prefix."""
        return next(iter(self.warehouses.values()))


@dataclass(slots=True)
class IcebergContext(Context):
    """A request bound to a warehouse.

    `until` is the expiry of the credentials in its answer, in seconds since 1970, None while it has none.
    """

    services: Services
    until: int | None = field(default=None, init=False)

    @property
    def warehouse(self) -> Warehouse:
        """The warehouse that the path names; the default one for a path without a prefix."""
        return self.services.warehouse

    @property
    def catalog(self) -> WarehouseCatalog:
        """The catalog of the warehouse, for reading."""
        return WarehouseCatalog(self.services.storage, self.warehouse.name)

    @property
    def namespace(self) -> Path:
        """The namespace in the path. Raises InvalidInput for an empty level."""
        return levels(self.path["namespace"])

    def levels(self, text: str) -> Path:
        """Return the levels of a namespace in the query. Raises InvalidInput and NamespaceNotFound."""
        separator = self.services.separator
        return levels(text if separator == UNIT_SEPARATOR else with_unit_separator(text, separator))

    def object_path(self, kind: str) -> Path:
        """Return namespace and name of the object in the path: a `table`, `view` or `function`."""
        return (*self.namespace, self.path[kind])

    def end_of_credentials(self) -> int:
        """Return the expiry of the credentials in the answer: one for all of them."""
        if self.until is None:
            self.until = self.services.auth.lifetimes.end_of_credentials()
        return self.until

    @property
    def page(self) -> PageRequest:
        """The requested page of a listing. Where the document has a default size, listings are always paged."""
        default = self.operation.default("pageSize")
        size = self.query("pageSize")
        return PageRequest(
            self.query("pageToken"),
            default if size is None else size,
            self.services.page_size,
            paged=default is not None,
        )

    async def names(self, kind: Kind, path: Path) -> Page[str]:
        """Return the requested page of the names in a namespace. Raises NamespaceNotFound.

        While a whole listing is read, other requests have turns until one of them commits: the result is the state at
        one time.
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
        """Return a table's metadata file. Raises FileNotFound and InvalidInput; see `check_format`, too."""
        file = await self._file(location, "table-uuid", _table)
        if self.services.newest_format < NEWEST:
            self.check_format(file.metadata)
        return file

    def check_format(self, metadata: Json) -> None:
        """Raise InvalidInput for a table of a format version that the document lacks."""
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
        """Run work like `run`, in the threads for scan plans, which take longer the more files a table has."""
        return await run_in_thread(self.services.planners, partial(function, *args, **kwargs))

    async def table_location(self, file: str | None) -> str | None:
        """Return the location of the table in a metadata file, None for no file and for an unreadable one."""
        with suppress(CatalogError, MetadataError):
            return None if file is None else str((await self.table_file(file)).metadata["location"])
        return None

    @asynccontextmanager
    async def alone(self, paths: Iterable[Path], location: str | None = None) -> AsyncIterator[None]:
        """Lock tables or views against other changes in this process; other processes are not locked out.

        The `location` of a purged or registered table is locked as well: no table is registered there while its files
        are being deleted.
        """
        keys = [(self.warehouse.name, path) for path in sorted(set(paths))]
        if location is not None:
            keys.append((EVERYWHERE, (location,)))
        async with AsyncExitStack() as stack:
            for key in keys:
                await stack.enter_async_context(self.services.locks.setdefault(key, asyncio.Lock()))
            yield


def now() -> int:
    """Return the time in ms since 1970."""
    return time.time_ns() // 1_000_000


def new_uuid() -> str:
    """Return a new, unique UUID."""
    return str(uuid.uuid4())


def _table(document: Any, location: str) -> Json:
    """Read a table; version 1 without a UUID gets one derived from the location of its file."""
    return read_table(document, uuid=str(uuid.uuid5(uuid.NAMESPACE_URL, location)))


def _view(document: Any, _location: str) -> Json:
    return read_view(document)
