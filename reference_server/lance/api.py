"""The Lance Namespace API assembled: document, handlers, catalog and data."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Hashable, Mapping
from concurrent.futures import Executor
from pathlib import Path as FilePath
from typing import Any
from weakref import WeakValueDictionary

from reference_server.api import Api, Setup
from reference_server.backends import Backend
from reference_server.body_fields import make_integers
from reference_server.context import Reply, Request
from reference_server.errors import CatalogError, MethodNotAllowed, RouteNotFound, error_kind
from reference_server.lance import faults
from reference_server.lance.catalog.catalog import EntryCatalog
from reference_server.lance.catalog.entries import Entry, Path
from reference_server.lance.catalog.layout import open_layout
from reference_server.lance.catalog.locations import AnyLocations
from reference_server.lance.catalog.recovery import recover
from reference_server.lance.client_faults import CLIENT_FAULTS
from reference_server.lance.context import TRANSACTIONS, LanceContext, bind
from reference_server.lance.data.table_data import TableData
from reference_server.lance.errors import render_error, usual_name
from reference_server.lance.handlers import (
    backfills,
    batches,
    branches,
    columns,
    creation,
    field_metadata,
    indices,
    listings,
    materialized_views,
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
from reference_server.lance.options import LanceOptions
from reference_server.lance.remote_client import DATABASE, as_documented, as_expected
from reference_server.lance.rules import RULES
from reference_server.lance.seeds import read_seed
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Step
from reference_server.storage.memory import MemoryStorage
from specs.apis import require_extra_of
from specs.lance.errors import error_codes
from specs.lance.identifiers import DELIMITER
from specs.openapi import Operation

HANDLER_MODULES = [
    *(namespaces, listings, creation, tables, versions, batches, branches),
    *(
        rows,
        merging,
        queries,
        columns,
        field_metadata,
        backfills,
        statistics,
        indices,
        tags,
        transactions,
        materialized_views,
    ),
]
DATA_WORKERS = 6
"""Threads that read and write rows; the other threads serve the catalog."""
NAMESPACES = "/v1/namespace/"
FAULTS = faults.__name__  # importing the module registers its faults


class LanceApi(Api):
    """The Lance Namespace API over one backend."""

    handler_modules = HANDLER_MODULES
    options = LanceOptions
    client_faults = CLIENT_FAULTS
    varying = (DATABASE,)

    def __init__(self, setup: Setup, options: LanceOptions) -> None:
        require_extra_of("lance")
        super().__init__(setup, options)
        self._page_size = setup.page_size
        self._rules = setup.profile.in_force(RULES)
        self._catalog: EntryCatalog = _open_catalog(setup.backend, managed=options.managed_versions)
        self._data = TableData(setup.backend.data_root)
        self._data_executor = setup.shared.workers("lakeproof-data", DATA_WORKERS)
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def start(self) -> None:
        """Complete the unfinished work of a killed server."""
        await recover(self._catalog, self._data)

    def state(self) -> Hashable:
        """Return a value that changes with every change of the catalog."""
        return self._catalog.state()

    def route(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """Return the operation of a path; a final slash is ignored where no path has one. See Api.route."""
        try:
            return super().route(method, path)
        except (RouteNotFound, MethodNotAllowed):
            if not path.endswith("/"):
                raise
            return super().route(method, path[:-1])

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """Return the answer to a request, also to one of LanceDB's remote client; see Api.answer."""
        reply = await super().answer(as_documented(request, operation), operation, path, executor)
        return as_expected(request, operation, reply)

    def prepare(self, operation: Operation, body: Any) -> None:
        """Replace whole floats by integers where the document declares integers."""
        make_integers(self.document, operation, body)

    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> LanceContext:
        """Return the context of an operation with its parsed identifier. Raises CatalogError."""
        return LanceContext(
            request,
            operation,
            path,
            body,
            executor,
            self._catalog,
            self._data,
            self._data_executor,
            self.backend.storage,
            self._locks,
            self._page_size,
            self._rules,
            *bind(request, operation, path, body, self._catalog.locations.forbidden),
        )

    def read_seed(self, seed: Node) -> list[Step]:
        """Return the steps that plant namespaces and tables; see Api.read_seed."""
        return read_seed(seed)

    def render(self, error: CatalogError, request: Request) -> Reply:
        """Return an error in Lance's error body."""
        return render_error(error, request)

    @property
    def known_errors(self) -> Collection[str]:
        """The names of numbered errors. See Api.known_errors."""
        return error_codes()

    def error_of(self, operation: Operation, status: int, name: str, message: str) -> CatalogError:
        """Return an error with any status; see Api.error_of."""
        return error_kind(status, name or usual_name(operation.id, status))(message)

    def objects(self, operation: Operation, path: Mapping[str, str]) -> dict[str, str]:
        """Return the names in a path; an identifier in string form is a namespace, or a namespace and a table."""
        names = super().objects(operation, path)
        if "id" in names and not operation.path.startswith(TRANSACTIONS):
            parts = names["id"].strip(DELIMITER).split(DELIMITER)
            table = [] if operation.path.startswith(NAMESPACES) else [parts.pop()]
            names |= {"namespace": ".".join(parts), **({"table": table[0]} if table else {})}
        return names

    def close(self) -> None:
        """Close the catalog and the backend."""
        self._catalog.close()
        super().close()


def _open_catalog(backend: Backend, *, managed: bool) -> EntryCatalog:
    """Return the catalog of a backend: on a directory the published layout is the record."""
    if backend.durable:
        return open_layout(FilePath(backend.data_root), managed=managed)
    entries: MemoryStorage[Entry] = MemoryStorage()
    return EntryCatalog(entries, AnyLocations(managed=managed))
