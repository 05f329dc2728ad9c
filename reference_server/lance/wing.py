"""The Lance Namespace API, put together: document, handlers, catalog and data."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping
from concurrent.futures import Executor
from functools import partial
from pathlib import Path as FilePath
from weakref import WeakValueDictionary

from reference_server.backends import Backend
from reference_server.context import Reply, Request
from reference_server.errors import CatalogError, Unsupported
from reference_server.lance import faults
from reference_server.lance.catalog.catalog import Catalog
from reference_server.lance.catalog.entries import Path
from reference_server.lance.catalog.layout import open_layout
from reference_server.lance.catalog.locations import AnyLocations
from reference_server.lance.catalog.recovery import recover
from reference_server.lance.context import LanceContext, bind
from reference_server.lance.data.table_data import TableData
from reference_server.lance.errors import render_error
from reference_server.lance.handlers import (
    batches,
    columns,
    creation,
    indices,
    listings,
    merging,
    namespaces,
    queries,
    rows,
    statistics,
    tables,
    tags,
    transactions,
    versions,
)
from reference_server.lance.nulls import drop_nulls
from reference_server.routing import Router
from reference_server.storage.memory import MemoryStorage
from reference_server.wing import find_handlers, read_json_body, to_reply
from specs.openapi import Document, Operation
from specs.validation import Validators

HANDLER_MODULES = [
    *(namespaces, listings, creation, tables, versions, batches),
    *(rows, merging, queries, columns, statistics, indices, tags, transactions),
]
FAULTS = faults.__name__  # importing the module registers its faults


class LanceWing:
    """The Lance Namespace API over one backend."""

    api = "lance"
    public: frozenset[str] = frozenset()

    def __init__(self, document: Document, backend: Backend, *, page_size: int, managed: bool = False) -> None:
        self.document = document
        self.router = Router(document)
        self._backend = backend
        self._page_size = page_size
        self._validators = Validators(document)
        self._handlers = find_handlers(document, HANDLER_MODULES)
        self._catalog: Catalog = _open_catalog(backend, managed=managed)
        self._data = TableData(backend.data_root)
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def start(self) -> None:
        """See Wing.start."""
        await recover(self._catalog, self._data)

    def state(self) -> Hashable:
        """See Wing.state."""
        return self._catalog.state()

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """See Wing.answer."""
        handler = self._handlers.get(operation.id)
        if handler is None:
            raise Unsupported(f"This server does not have {operation.id}.")
        body = read_json_body(request, operation, self._validators, partial(drop_nulls, self.document))
        context = LanceContext(
            request,
            operation,
            path,
            body,
            executor,
            self._catalog,
            self._data,
            self._backend.storage,
            self._locks,
            self._page_size,
            *bind(request, operation, path, body, self._catalog.locations.forbidden),
        )
        reply = to_reply(await handler(context))
        reply.reusable = context.reusable
        return reply

    def render(self, error: CatalogError, request: Request) -> Reply:
        """See Wing.render."""
        return render_error(error, request)

    def close(self) -> None:
        """See Wing.close."""
        self._catalog.close()
        self._backend.close()


def _open_catalog(backend: Backend, *, managed: bool) -> Catalog:
    """Return the catalog of a backend: on a directory the published layout is the record."""
    if backend.durable:
        return open_layout(FilePath(backend.data_root), managed=managed)
    return Catalog(MemoryStorage(), AnyLocations(managed=managed))
