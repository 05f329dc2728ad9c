"""Apache Polaris, put together: the handlers of the Iceberg catalog, for catalogs of a management API."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from types import ModuleType
from typing import Any, ClassVar

import jsonschema_rs

from reference_server.api import Setup
from reference_server.auth import Principal
from reference_server.context import Context, Reply, Request
from reference_server.errors import InvalidInput, NotFound, PermissionDenied
from reference_server.iceberg.api import HANDLER_MODULES as ICEBERG_MODULES
from reference_server.iceberg.api import IcebergApi
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.iceberg.handlers import config as iceberg_config
from reference_server.iceberg.handlers import tokens as iceberg_tokens
from reference_server.iceberg.scans.content import BYTES
from reference_server.iceberg.scans.plans import SYNC, scan_services
from reference_server.iceberg.services import Services
from reference_server.options import Options
from reference_server.polaris.callers import Callers
from reference_server.polaris.context import CatalogContext, ManagementContext, PolarisServices
from reference_server.polaris.entities.bootstrap import bootstrap
from reference_server.polaris.entities.catalogs import find_catalog
from reference_server.polaris.entities.credentials import find_credentials
from reference_server.polaris.entities.followers import GrantFollower
from reference_server.polaris.handlers import (
    catalog_roles,
    catalogs,
    config,
    grants,
    principal_roles,
    principals,
    tokens,
)
from reference_server.polaris.handlers.bodies import wrap
from reference_server.polaris.options import PolarisOptions
from reference_server.polaris.rules import RULES
from reference_server.routing import Router
from specs.openapi import Operation

OWN_MODULES = [tokens, config, catalogs, principals, principal_roles, catalog_roles, grants]
REPLACED = (iceberg_config, iceberg_tokens)
FOLLOWERS = (GrantFollower(),)
WITHOUT_ROTATION = frozenset({"rotateCredentials", "getConfig", "getToken"})  # allowed where secrets must be changed


class PolarisApi(IcebergApi):
    """Apache Polaris over one backend: each catalog is a warehouse of the Iceberg API."""

    handler_modules: ClassVar[Collection[ModuleType]] = [
        *OWN_MODULES,
        *(module for module in ICEBERG_MODULES if module not in REPLACED),
    ]
    options: ClassVar[type[Options]] = PolarisOptions

    def __init__(self, setup: Setup, options: PolarisOptions) -> None:
        """Put the API together. Raises Problem for credentials of root that cannot be read."""
        rules, storage = RULES[setup.profile.revision], setup.backend.storage
        self._root, self._bootstrap_given = options.root, bool(options.bootstrap)
        self._polaris = PolarisServices(storage, rules, Callers(storage, rules, options.realm))
        super().__init__(setup, options)
        self.router = Router(setup.document)
        self._names = _name_schemas(setup.document.operations.values())

    def open(self, _options: Any) -> None:
        """See IcebergApi.open: there is nothing before catalogs are looked up."""

    def find(self, name: str | None) -> Services | None:
        """See IcebergApi.find."""
        record = find_catalog(self.backend.storage, name) if name else None
        if name is None or record is None:
            return None
        warehouse = Warehouse(name, record["properties"]["default-base-location"].rstrip("/"))
        allowed = AllowedLocations([warehouse])
        file_io = FileIO(allowed, durable=self.backend.durable)
        scans = scan_services(file_io.read, SYNC, BYTES)
        return self.services(
            LocationRules(warehouse, allowed),
            {name: warehouse},
            MetadataFiles(file_io),
            scans,
            followers=FOLLOWERS,
        )

    async def start(self) -> None:
        """See Api.start: a new storage gets root, whose random secret is shown this once."""
        made = await bootstrap(self.backend.storage, self._root, federated_roles=self._polaris.rules.federated_roles)
        if made and not self._bootstrap_given:
            sys.stderr.write(f"Credentials of root, shown only now: {self._root.client_id}:{self._root.secret}\n")

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """See Api.authenticate."""
        return self._polaris.callers.authenticate(headers)

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """See Api.answer: names are checked before anything else."""
        for name, schema in self._names.get(operation.id, ()):
            if not schema.is_valid(path[name]):
                raise InvalidInput(f"Invalid value: {name}: {path[name]!r:.300} is no name")
        return await super().answer(request, operation, path, executor)

    def prepare(self, operation: Operation, body: Any) -> None:
        """See Api.prepare."""
        super().prepare(operation, body)
        wrap(operation.id, body)

    def authorize(self, principal: Principal, operation: Operation, _target: Any) -> None:
        """See Api.authorize."""
        if operation.id in WITHOUT_ROTATION:
            return
        credentials = find_credentials(self.backend.storage, principal.name)
        if credentials and credentials.rotation_required:
            raise PermissionDenied(
                f"Principal '{principal.name}' is not authorized for op {operation.id} because it must rotate "
                "credentials first"
            )

    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> Context:
        """See Api.context."""
        if "prefix" not in path:
            return ManagementContext(request, operation, path, body, executor, self._polaris)
        services = self.find(path["prefix"])
        if services is None:
            raise NotFound(f"Catalog does not exist: {path['prefix']:.300}")
        return CatalogContext(request, operation, path, body, executor, services, self._polaris)


Schemas = dict[str, list[tuple[str, jsonschema_rs.Draft202012Validator]]]


def _name_schemas(operations: Collection[Operation]) -> Schemas:
    """Return the schemas of path parameters that have a pattern, by operation."""
    schemas: Schemas = {}
    for operation in operations:
        for parameter in operation.parameters:
            if parameter.location == "path" and "pattern" in parameter.schema:
                validator = jsonschema_rs.Draft202012Validator(parameter.schema)
                schemas.setdefault(operation.id, []).append((parameter.name, validator))
    return schemas
