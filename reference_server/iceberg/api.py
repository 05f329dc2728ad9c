"""The Iceberg REST catalog, put together: document, warehouses, handlers, storage and metadata files."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any
from weakref import WeakValueDictionary

import orjson

from reference_server.api import Api, Handler, Setup, to_reply
from reference_server.context import Context, Reply, Request
from reference_server.errors import CatalogError
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
from reference_server.iceberg.options import IcebergOptions
from reference_server.iceberg.scans.plans import scan_services
from specs.openapi import Operation

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


class IcebergApi(Api):
    """The Iceberg REST catalog over one backend."""

    handler_modules = HANDLER_MODULES
    options = IcebergOptions
    needs_files = True
    varying = ("If-None-Match", "X-Iceberg-Access-Delegation")
    public = frozenset({"/v1/oauth/tokens"})

    def __init__(self, setup: Setup, options: IcebergOptions) -> None:
        """Put the API together. Raises Problem for warehouses, namespaces and functions that cannot be served."""
        super().__init__(setup, options)
        document, backend = setup.document, setup.backend
        warehouses = parse_warehouses(options.warehouses, backend.data_root)
        allowed = AllowedLocations(warehouses)
        file_io = FileIO(allowed, durable=backend.durable)
        file_io.open()
        locks: WeakValueDictionary[Lock, asyncio.Lock] = WeakValueDictionary()
        self._namespaces = parse_namespaces(options.namespaces, document)
        self._functions = read_functions(options.functions, document)
        self.router = PrefixRouter(document, warehouses)
        self._services = Services(
            document=document,
            storage=backend.storage,
            warehouses={warehouse.name: warehouse for warehouse in warehouses},
            allowed=allowed,
            files=MetadataFiles(file_io),
            auth=setup.auth,
            locks=locks,
            handled=frozenset(self.handlers),
            dialect=dialect_of(document),
            page_size=setup.page_size,
            dummy_key_secret=secrets.token_bytes(32),
            scans=scan_services(file_io.read, options.scan_planning, options.scan_bounds),
        )

    async def start(self) -> None:
        """See Api.start: storage has nothing that is half done, but may lack the initial namespaces and functions."""
        services = self._services
        await make_namespaces(services.storage, services.default_warehouse.name, self._namespaces)
        for name in services.warehouses:
            await set_functions(services.storage, name, self._functions)

    def prepare(self, operation: Operation, body: Any) -> None:
        """See Api.prepare: PyIceberg sends the properties of a new namespace unconverted."""
        properties = body.get("properties") if operation.id in LENIENT and isinstance(body, dict) else None
        if isinstance(properties, dict):
            body["properties"] = {name: _text(value) for name, value in properties.items()}

    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> IcebergContext:
        """See Api.context."""
        services = self._services
        warehouse = services.warehouses[path["prefix"]] if "prefix" in path else services.default_warehouse
        return IcebergContext(request, operation, path, body, executor, services, warehouse)

    async def run(self, handler: Handler, context: Context) -> Reply:
        """See Api.run: nothing is an answer without a body, in the status of success that the document has first."""
        try:
            value = await handler(context)
        except MetadataError as error:
            raise as_catalog_error(error) from None
        return Reply(context.operation.successes[0]) if value is None else to_reply(value)

    def render(self, error: CatalogError, request: Request) -> Reply:
        """See Api.render."""
        return render_error(error, request)


def _text(value: object) -> object:
    """Return a number or a truth value as text, and anything else as it is."""
    return orjson.dumps(value).decode() if isinstance(value, bool | int | float) else value
