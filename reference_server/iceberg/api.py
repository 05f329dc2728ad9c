"""The Iceberg REST catalog assembled: document, warehouses, handlers, storage and metadata files."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Executor
from types import ModuleType
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from reference_server.api import Api, Handler, Setup, to_reply
from reference_server.context import Context, Reply, Request
from reference_server.errors import CatalogError
from reference_server.iceberg import faults
from reference_server.iceberg.catalog.catalog import Follower
from reference_server.iceberg.catalog.delegation import ACCESS
from reference_server.iceberg.catalog.entity_tags import ETAG, takes_conditions
from reference_server.iceberg.catalog.expiring import ExpiringValues
from reference_server.iceberg.catalog.function_files import read_functions
from reference_server.iceberg.catalog.initial_namespaces import make_namespaces, parse_namespaces
from reference_server.iceberg.catalog.location_index import LocationFollower
from reference_server.iceberg.catalog.location_rules import LocationRules, PlainLocationRules
from reference_server.iceberg.catalog.location_survey import survey
from reference_server.iceberg.catalog.prefixes import PrefixRouter, PrefixRoutes
from reference_server.iceberg.catalog.unfinished import delete_old_folders, take_back
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse, parse_warehouses
from reference_server.iceberg.client_faults import CLIENT_FAULTS
from reference_server.iceberg.context import Access, IcebergContext, Locks, Services
from reference_server.iceberg.dialects import dialect_of
from reference_server.iceberg.errors import (
    OAUTH_CODES,
    TYPES,
    WarehouseNotFound,
    as_catalog_error,
    render_error,
    stated_error,
)
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
from reference_server.iceberg.metadata.properties import FOR_NEW_TABLES
from reference_server.iceberg.options import IcebergOptions
from reference_server.iceberg.scans.plans import ScanServices, scan_services
from reference_server.iceberg.seeds.reading import CONTENT, content_steps
from reference_server.options import Options
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Step
from specs.iceberg.errors import known_types
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Operation
from specs.problems import Problem, did_you_mean

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
TOKENS = "getToken"
FOLLOWERS = (LocationFollower(),)
PLANNERS = 6
"""Threads for scan plans; the other threads serve the catalog."""


class IcebergApi(Api):
    """The Iceberg REST catalog over one backend."""

    handler_modules: ClassVar[Collection[ModuleType]] = HANDLER_MODULES
    options: ClassVar[type[Options]] = IcebergOptions
    client_faults = CLIENT_FAULTS
    needs_files = True
    varying: ClassVar[tuple[str, ...]] = ("If-None-Match", "X-Iceberg-Access-Delegation")

    def __init__(self, setup: Setup, options: Any) -> None:
        """Assemble the API. Raises Problem for warehouses, namespaces and functions that cannot be served."""
        super().__init__(setup, options)
        self._page_size = setup.page_size
        self._locks: Locks = WeakValueDictionary()
        self._kept = ExpiringValues(self.backend.storage)
        self._planners = setup.shared.workers("lakeproof-plans", PLANNERS)
        self._dialect = dialect_of(setup.document)
        self._dummy_key_secret = secrets.token_bytes(32)
        self.public = frozenset(op.path for op in setup.document.operations.values() if op.id == TOKENS)
        self._tenant = setup.tenant
        self._file_io: FileIO | None = None
        self._separator, self._require_prefix = UNIT_SEPARATOR, False
        self._default_properties = FOR_NEW_TABLES
        self.open(options)
        routes = setup.shared.once("prefixes", lambda: PrefixRoutes(setup.document))
        self.router = PrefixRouter(routes, self._is_served, self._separator)

    def _is_served(self, name: str | None) -> bool:
        """Return whether paths with a prefix, or without one, lead to a warehouse."""
        return self.find(name) is not None and not (name is None and self._require_prefix)

    def open(self, options: Any) -> None:
        """Open warehouses, namespaces and functions. Raises Problem for one that cannot be served."""
        self._separator, self._require_prefix = options.namespace_separator, options.require_prefix
        self._default_properties = {} if options.no_default_properties else FOR_NEW_TABLES
        if not self._separator:
            raise Problem("--namespace-separator: the separator is empty.", "Give a text such as a dot.")
        warehouses = parse_warehouses(options.warehouses, self.backend.data_root, self._tenant)
        allowed = AllowedLocations(warehouses)
        file_io = FileIO(allowed, durable=self.backend.durable)
        file_io.open()
        self._file_io = file_io
        scans = scan_services(file_io.read, options.scan_planning, options.scan_bounds)
        self._namespaces = parse_namespaces(options.namespaces, self.document)
        self._functions = read_functions(options.functions, self.document)
        rules = PlainLocationRules if options.plain_locations else LocationRules
        files, by_name = MetadataFiles(file_io), {warehouse.name: warehouse for warehouse in warehouses}
        self._services = {
            warehouse.name: self.services(rules(warehouse, allowed), by_name, files, scans) for warehouse in warehouses
        }
        self._default = self._services[warehouses[0].name]

    def services(
        self,
        locations: LocationRules,
        warehouses: Mapping[str, Warehouse],
        files: MetadataFiles,
        scans: ScanServices,
        access: Access = ACCESS,
        followers: Sequence[Follower] = FOLLOWERS,
    ) -> Services:
        """Return the services of a warehouse's requests; see Services."""
        return Services(
            document=self.document,
            storage=self.backend.storage,
            auth=self.auth,
            locks=self._locks,
            handled=frozenset(self.handlers),
            dialect=self._dialect,
            page_size=self._page_size,
            dummy_key_secret=self._dummy_key_secret,
            warehouse=locations.warehouse,
            warehouses=warehouses,
            allowed=locations.allowed,
            locations=locations,
            access=access,
            files=files,
            scans=scans,
            planners=self._planners,
            kept=self._kept,
            followers=followers,
            separator=self._separator,
            require_prefix=self._require_prefix,
            default_properties=self._default_properties,
        )

    def close(self) -> None:
        """Release all resources; the folders of a tenant in warehouses on S3 are deleted, as it is gone."""
        if self._tenant and self._file_io is not None:
            for services in self._services.values():
                if services.warehouse.bucket is not None:
                    self._file_io.delete_tree(services.warehouse.uri)
        super().close()

    def find(self, name: str | None) -> Services | None:
        """Return the services of a warehouse, None for one that does not exist.

        The name None means the warehouse of paths without a prefix. Every request calls this: warehouses may come and
        go.
        """
        return self._default if name is None else self._services.get(name)

    async def start(self) -> None:
        """Clean up after a killed server, then add missing locations, namespaces and functions; see Api.start."""
        storage = self.backend.storage
        await take_back(storage, self.find)
        await delete_old_folders(storage, self.find)
        for services in self._services.values():
            await survey(services)
        await make_namespaces(storage, self._default.warehouse.name, self._namespaces)
        for name in self._services:
            await set_functions(storage, name, self._functions)

    def read_seed(self, seed: Node) -> list[Step]:
        """Return the steps that plant the content of the default warehouse, and of others; see Api.read_seed."""
        fields = seed.fields(*CONTENT, "warehouses")
        steps = content_steps(fields, self.find)
        for name, content in fields.get("warehouses", Node(None)).entries():
            if self.find(name) is None:
                raise content.problem(f"there is no warehouse {name!r}", did_you_mean(name, self._services))
            steps += content_steps(content.fields(*CONTENT), self.find, name)
        return steps

    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> Context:
        """Return the context of an operation on a warehouse. Raises CatalogError."""
        name = path.get("prefix")
        services = self.find(name)
        if services is None:
            raise WarehouseNotFound(f"Warehouse does not exist: {name:.300}")
        return IcebergContext(request, operation, path, body, executor, services)

    async def run(self, handler: Handler, context: Context) -> Reply:
        """Run a handler; None becomes an answer without a body, with the first success status. See Api.run."""
        try:
            value = await handler(context)
        except MetadataError as error:
            raise as_catalog_error(error) from None
        if value is None:
            return Reply(context.operation.successes[0])
        reply = to_reply(value)
        if ETAG in reply.headers and not takes_conditions(self.document):
            del reply.headers[ETAG]
        return reply

    def render(self, error: CatalogError, request: Request) -> Reply:
        """Return an error in Iceberg's error body."""
        return render_error(error, request)

    @property
    def known_errors(self) -> Collection[str]:
        """The types of errors, and the codes of refused tokens. See Api.known_errors."""
        return {*known_types(), *TYPES.values(), *OAUTH_CODES}

    def error_of(self, operation: Operation, status: int, name: str, message: str) -> CatalogError:
        """Return an error with any status and type; see Api.error_of."""
        return stated_error(operation.id, status, name, message)
