"""The Iceberg REST catalog, put together: document, warehouses, handlers, storage and metadata files."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Executor
from weakref import WeakValueDictionary

import orjson

from reference_server.auth import Auth
from reference_server.backends import Backend
from reference_server.context import Reply, Request
from reference_server.errors import CatalogError, Unsupported
from reference_server.iceberg import faults
from reference_server.iceberg.catalog.function_files import read_functions
from reference_server.iceberg.catalog.initial_namespaces import make_namespaces, parse_namespaces
from reference_server.iceberg.catalog.prefixes import PrefixRouter
from reference_server.iceberg.catalog.warehouses import AllowedLocations, parse_warehouses
from reference_server.iceberg.context import IcebergContext, Lock, Services
from reference_server.iceberg.dialects import dialect_of
from reference_server.iceberg.errors import as_catalog_error, render_error
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.iceberg.handlers import (
    commits,
    config,
    credentials,
    functions,
    listings,
    metrics,
    namespaces,
    registrations,
    scan_plans,
    signing,
    tables,
    tokens,
    views,
)
from reference_server.iceberg.handlers.functions import set_functions
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.iceberg.scans.plans import SYNC, scan_services
from reference_server.wing import find_handlers, read_json_body, to_reply
from specs.openapi import Document, Operation
from specs.validation import Validators

HANDLER_MODULES = [
    config,
    tokens,
    namespaces,
    listings,
    tables,
    registrations,
    commits,
    views,
    functions,
    credentials,
    signing,
    scan_plans,
    metrics,
]
FAULTS = faults.__name__  # importing the package registers its faults
LENIENT = frozenset({"createNamespace"})


class IcebergWing:
    """The Iceberg REST catalog over one backend."""

    api = "iceberg"
    public = frozenset({"/v1/oauth/tokens"})

    def __init__(
        self,
        document: Document,
        backend: Backend,
        *,
        page_size: int,
        auth: Auth | None = None,
        warehouses: Sequence[str] = (),
        namespaces: Sequence[str] = (),
        functions: str = "",
        scan_planning: str = SYNC,
    ) -> None:
        """Put the wing together. Raises Problem for warehouses, namespaces and functions that cannot be served."""
        found = parse_warehouses(warehouses, backend.data_root)
        allowed = AllowedLocations(found)
        file_io = FileIO(allowed, durable=backend.durable)
        file_io.open()
        locks: WeakValueDictionary[Lock, asyncio.Lock] = WeakValueDictionary()
        self._namespaces = parse_namespaces(namespaces, document)
        self._functions = read_functions(functions, document)
        self.document = document
        self.router = PrefixRouter(document, found)
        self._backend = backend
        self._validators = Validators(document)
        self._handlers = find_handlers(document, HANDLER_MODULES)
        self._services = Services(
            document=document,
            storage=backend.storage,
            warehouses={one.name: one for one in found},
            allowed=allowed,
            files=MetadataFiles(file_io),
            auth=auth or Auth(),
            locks=locks,
            handled=frozenset(self._handlers),
            dialect=dialect_of(document),
            page_size=page_size,
            seal=secrets.token_bytes(32),
            scans=scan_services(file_io.read, scan_planning),
        )

    async def start(self) -> None:
        """See Wing.start: storage has nothing that is half done, but may lack the first namespaces and functions."""
        services = self._services
        await make_namespaces(services.storage, services.default_warehouse.name, self._namespaces)
        for name in services.warehouses:
            await set_functions(services.storage, name, self._functions)

    def state(self) -> Hashable:
        """See Wing.state."""
        return self._backend.storage.version()

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """See Wing.answer."""
        handler = self._handlers.get(operation.id)
        if handler is None:
            raise Unsupported(f"This server does not have {operation.id}.")
        services = self._services
        body = read_json_body(_mended(request, operation), operation, self._validators)
        warehouse = services.warehouses[path["prefix"]] if "prefix" in path else services.default_warehouse
        context = IcebergContext(request, operation, path, body, executor, services, warehouse)
        try:
            value = await handler(context)
        except MetadataError as error:
            raise as_catalog_error(error) from None
        reply = Reply(operation.successes[0]) if value is None else to_reply(value)
        reply.reusable = context.reusable
        return reply

    def render(self, error: CatalogError, request: Request) -> Reply:
        """See Wing.render."""
        return render_error(error, request)

    def close(self) -> None:
        """See Wing.close."""
        self._backend.close()


def _mended(request: Request, operation: Operation) -> Request:
    """Return a request as it was meant: PyIceberg sends the properties of a new namespace as it is given them."""
    if operation.id not in LENIENT:
        return request
    try:
        body = orjson.loads(request.body)
        properties = body["properties"]
        texts = {name: _text(value) for name, value in properties.items()}
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
        return request
    return request.altered(body=orjson.dumps({**body, "properties": texts}))


def _text(value: object) -> object:
    """Return a number or a truth value as text, and anything else as it is."""
    return orjson.dumps(value).decode() if isinstance(value, bool | int | float) else value
