"""Apache Polaris assembled: the handlers of the Iceberg catalog, for catalogs of a management API."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from types import ModuleType
from typing import Any, ClassVar

import jsonschema_rs

from reference_server.api import Handler, RequestTarget, Setup
from reference_server.auth import Principal
from reference_server.context import Context, Reply, Request
from reference_server.errors import CatalogError, InvalidInput, NamespaceNotFound, NotFound, TableNotFound
from reference_server.iceberg.api import HANDLER_MODULES as ICEBERG_MODULES
from reference_server.iceberg.api import IcebergApi
from reference_server.iceberg.catalog.idempotency import has_kept
from reference_server.iceberg.catalog.location_index import LocationFollower
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.unfinished import delete_old_folders, take_back
from reference_server.iceberg.context import Services
from reference_server.iceberg.errors import WarehouseNotFound, stated_error
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.iceberg.handlers import config as iceberg_config
from reference_server.iceberg.handlers import tokens as iceberg_tokens
from reference_server.iceberg.scans.plans import ScanServices
from reference_server.options import Options
from reference_server.polaris import faults
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.access.rules import rules_of
from reference_server.polaris.access.stored import StoredAccessState
from reference_server.polaris.callers import Callers
from reference_server.polaris.catalog.checks import check_catalog
from reference_server.polaris.catalog.notified import NotificationFollower
from reference_server.polaris.catalog.policy_mappings import PolicyFollower
from reference_server.polaris.catalog.rules import CATALOG_RULES
from reference_server.polaris.catalog.served import as_catalog
from reference_server.polaris.catalog.vending import ACCESS
from reference_server.polaris.catalog.warehouses import Warehouses
from reference_server.polaris.client_faults import CLIENT_FAULTS
from reference_server.polaris.context import CatalogContext, ManagementContext, PolarisServices
from reference_server.polaris.entities.bootstrap import ROOT_PRINCIPAL, SERVICE_ADMIN, bootstrap
from reference_server.polaris.entities.followers import GrantFollower
from reference_server.polaris.entities.keys import entity_key
from reference_server.polaris.handlers import (
    applicable_policies,
    catalog_roles,
    catalogs,
    config,
    generic_tables,
    grants,
    notifications,
    policies,
    principal_roles,
    principals,
    tokens,
)
from reference_server.polaris.handlers.bodies import check, wrap
from reference_server.polaris.handlers.notifications import read_timestamp, require_external
from reference_server.polaris.options import PolarisOptions
from reference_server.polaris.routing import TolerantRouter
from reference_server.polaris.rules import RULES
from reference_server.polaris.securables import catalog
from reference_server.polaris.seeds import read_seed
from reference_server.polaris.violations import in_body, in_path
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Step
from specs.iceberg.errors import usual_type as iceberg_type
from specs.openapi import Operation
from specs.polaris.errors import known_types, usual_type
from specs.validation import Mismatch, first_mismatch

OWN_MODULES = [tokens, config, catalogs, principals, principal_roles, catalog_roles, grants]
OWN_MODULES += [notifications, generic_tables, policies, applicable_policies]
REPLACED = (iceberg_config, iceberg_tokens)
CONFIG, NOTIFICATION = "getConfig", "sendNotification"
MAPPING = ("attachPolicy", "detachPolicy")
PREFIX = "{prefix}"  # in the paths of operations on a catalog's content
FAULTS = faults.__name__  # importing the package registers its faults
FOLLOWERS = (GrantFollower(), LocationFollower(), PolicyFollower(), NotificationFollower())


class PolarisApi(IcebergApi):
    """Apache Polaris over one backend: each catalog is a warehouse of the Iceberg API."""

    handler_modules: ClassVar[Collection[ModuleType]] = [
        *OWN_MODULES,
        *(module for module in ICEBERG_MODULES if module not in REPLACED),
    ]
    options: ClassVar[type[Options]] = PolarisOptions
    client_faults = CLIENT_FAULTS
    varying = (*IcebergApi.varying, generic_tables.HEADER)
    secretive: ClassVar[frozenset[str]] = frozenset({"createCatalog", "resetCredentials"})

    def __init__(self, setup: Setup, options: PolarisOptions) -> None:
        """Assemble the API. Raises Problem for unreadable credentials of root."""
        storage, shared = setup.backend.storage, setup.shared
        overlaps = options.allow_overlapping_locations
        rules = replace(setup.profile.in_force(RULES), catalogs_may_overlap=overlaps)
        catalog_rules = setup.profile.in_force(CATALOG_RULES)
        catalog_rules = replace(catalog_rules, flags={**catalog_rules.flags, **options.flags})
        self._root, self._root_known = options.root, bool(options.bootstrap or setup.tenant)
        self.authorizer = Authorizer(rules_of(setup.profile), StoredAccessState(storage))
        callers = Callers(storage, rules, options.realm, setup.auth.lifetimes)
        self._polaris = PolarisServices(storage, rules, callers, options.pages_by_size)
        self._warehouses = Warehouses(setup.backend, catalog_rules, self._shared)
        super().__init__(setup, options)
        operations = setup.document.operations.values()
        self.router = shared.once("tolerant router", lambda: TolerantRouter(setup.document))
        self._names = shared.once("names", lambda: _name_schemas(operations))
        own = {operation.id for operation in operations if setup.profile.suite_of(operation.id) == setup.profile.api}
        self._own = own - {NOTIFICATION}

    def open(self, _options: Any) -> None:
        """Do nothing: catalogs are opened when they are looked up. See IcebergApi.open."""

    def find(self, name: str | None) -> Services | None:
        """Return the services of a catalog, None for one that does not exist."""
        record = self.backend.storage.get(entity_key(catalog(name))) if name else None
        return None if name is None or record is None else self._warehouses.find(name, record)

    def _shared(self, locations: LocationRules, files: MetadataFiles, scans: ScanServices) -> Services:
        """Return the services of one catalog's requests."""
        warehouses = {locations.warehouse.name: locations.warehouse}
        return self.services(locations, warehouses, files, scans, ACCESS, FOLLOWERS)

    async def start(self) -> None:
        """Bootstrap a new storage and print the random secret of root once; see IcebergApi.start."""
        await take_back(self.backend.storage, self.find)
        await delete_old_folders(self.backend.storage, self.find)
        made = await bootstrap(self.backend.storage, self._root, federated_roles=self._polaris.rules.federated_roles)
        if made and not self._root_known:
            sys.stderr.write(f"Credentials of root, shown only now: {self._root.client_id}:{self._root.secret}\n")

    def authenticate(self, headers: Mapping[str, str]) -> Principal:
        """Return the principal of an access token. Raises Unauthenticated and RealmNotFound."""
        return self._polaris.callers.authenticate(headers)

    @property
    def issues_tokens(self) -> bool:
        """Return True: all callers have tokens of this server."""
        return True

    async def answer(
        self, request: Request, operation: Operation, path: Mapping[str, str], executor: Executor
    ) -> Reply:
        """Check the names in the path, then answer; see Api.answer.

        An internal catalog refuses every notification, whatever its body.
        """
        for name, schema in self._names.get(operation.id, ()):
            broken = first_mismatch(schema, path[name])
            if broken is not None:
                raise self._polaris.rules.invalid_value(in_path(operation, name, broken.keyword, broken.rule))
        try:
            return await super().answer(request, operation, path, executor)
        except InvalidInput:
            if operation.id == NOTIFICATION and (services := self.find(path["prefix"])) is not None:
                self.authorizer.authorize(request.principal, operation.id, RequestTarget(path, {}, request))
                require_external(as_catalog(services.locations.warehouse))
            raise

    def invalid_body(self, operation: Operation, mismatch: Mismatch) -> CatalogError:
        """Return the error for an invalid body, for Polaris' own operations in its words; see Api.invalid_body."""
        message = in_body(operation, mismatch) if operation.id in self._own else None
        return self._polaris.rules.invalid_value(message) if message else super().invalid_body(operation, mismatch)

    @property
    def seeder(self) -> Principal:
        """The principal root."""
        return Principal(ROOT_PRINCIPAL, (SERVICE_ADMIN,))

    def read_seed(self, seed: Node) -> list[Step]:
        """Return the steps that plant catalogs, roles and principals; see Api.read_seed."""
        return read_seed(seed, self.find, self.backend.data_root)

    def prepare(self, operation: Operation, body: Any) -> None:
        """Wrap a bare body, and convert the timestamp of a notification, before validation."""
        if operation.id == NOTIFICATION:
            read_timestamp(body)
        wrap(operation.id, body)

    def authorize(self, principal: Principal, operation: Operation, target: RequestTarget) -> None:
        """Authorize a principal; see Api.authorize.

        The objects of a repeated request may be gone since, through the request itself, and with them the privileges on
        them. Its principal then gets the stored answer again; nothing is done. While all its objects exist, the current
        privileges decide, and a principal that has lost them is refused.
        """
        check(operation.id, target.body, self._polaris.rules)
        if "prefix" in target.path and self.find(target.path["prefix"]) is None:
            raise _missing(operation, target.path["prefix"])
        try:
            self.authorizer.authorize(principal, operation.id, target)
        except NotFound as missing:
            warehouse = target.path.get("prefix", "")
            if not has_kept(self.backend.storage, target.request, operation, warehouse):
                raise _of_any_kind(missing) if operation.id in MAPPING else missing from None

    def context(
        self, request: Request, operation: Operation, path: Mapping[str, str], body: Any, executor: Executor
    ) -> Context:
        """Return the context of a catalog's or a management operation. Raises CatalogError."""
        prefixed = PREFIX in operation.path
        if operation.id != CONFIG and not prefixed:
            return ManagementContext(request, operation, path, body, executor, self._polaris)
        name = path["prefix"] if prefixed else _warehouse(request)
        services = self.find(name)
        if services is None:
            raise _missing(operation, name)
        return CatalogContext(request, operation, path, body, executor, services, self._polaris)

    @property
    def known_errors(self) -> Collection[str]:
        """The types of errors, those of Iceberg's catalog included. See Api.known_errors."""
        return {*super().known_errors, *known_types()}

    def error_of(self, operation: Operation, status: int, name: str, message: str) -> CatalogError:
        """Return an error with any status and type; see Api.error_of."""
        usual = iceberg_type(operation.id, status) or usual_type(operation.id, status)
        return stated_error(operation.id, status, name or usual, message)

    async def run(self, handler: Handler, context: Context) -> Reply:
        """Apply the catalog's own checks before the handler; see Api.run."""

        async def checked(context: Any) -> Any:
            if isinstance(context, CatalogContext):
                check_catalog(context)
            return await handler(context)

        return await super().run(checked, context)


def _missing(operation: Operation, name: str) -> CatalogError:
    """Return the refusal of a request for a missing catalog, with a status that its operation declares."""
    message = f"Unable to find warehouse {name:.300}"
    if operation.declared(404) is None:
        return InvalidInput(message)
    return WarehouseNotFound(message) if operation.id == CONFIG else NamespaceNotFound(message)


def _of_any_kind(missing: NotFound) -> NotFound:
    """Return the error for a missing target of a policy, which might have been a table or a view."""
    if not isinstance(missing, TableNotFound):
        return missing
    return TableNotFound(missing.message.replace("Table", "Table or view", 1))


def _warehouse(request: Request) -> str:
    """Return the catalog in a getConfig request. Raises InvalidInput."""
    name = request.query.get("warehouse", [""])[-1]
    if not name:
        raise InvalidInput("Please specify a warehouse")
    return name


Schemas = dict[str, list[tuple[str, jsonschema_rs.Draft202012Validator]]]


def _name_schemas(operations: Collection[Operation]) -> Schemas:
    """Return the schemas of path parameters that have a pattern, by operation."""
    schemas: Schemas = {}
    for operation in operations:
        for parameter in operation.path_parameters():
            if "pattern" in parameter.schema:
                validator = jsonschema_rs.Draft202012Validator(parameter.schema)
                schemas.setdefault(operation.id, []).append((parameter.name, validator))
    return schemas
