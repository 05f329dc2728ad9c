"""Prober of a Polaris target: recognises it, finds its operations and a storage for tables before the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.author.probing import first_recognised
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import in_prefix, names_below_prefix
from conformance.iceberg.fallbacks import find_tables
from conformance.iceberg.prober import IcebergProber
from conformance.polaris.callers import CONTENT, EVERY_ROLE, SETTINGS, TABLES
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE
from conformance.polaris.inventory import GENERIC_TABLE, POLICY
from conformance.polaris.operations import OPERATIONS
from conformance.polaris.storage import STORAGES, storages_for
from conformance.target.fallbacks import Fallbacks
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.outcomes import UNREADABLE, Blocked, NotTested, Skipped, Unoffered, Violation
from specs.identifiers import encode_segment
from specs.openapi import Operation

ICEBERG = "iceberg"
CALLERS = (PRINCIPAL, PRINCIPAL_ROLE)
# Path parameters that name an object of a kind.
PARAMETERS = {
    GENERIC_TABLE: "generic-table",
    POLICY: "policy-name",
    **{entity.id: entity.path[-1] for entity in (*CALLERS, CATALOG_ROLE)},
}
OF_CATALOG = ("/{prefix}/namespaces",)  # paths of operations on a catalog itself
LISTS = {entity.list: entity.listed for entity in (CATALOG, PRINCIPAL, PRINCIPAL_ROLE)}


class PolarisProber(IcebergProber):
    """Prober that also creates a catalog for the tables of the run and a principal with all privileges in it.

    Requirements on tables call as this principal, those on management with the credentials of the run.
    """

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        target.settings = replace(target.settings, scope=target.settings.scope or EVERY_ROLE)
        self.catalog = PolarisCatalog(target)

    def first_request(self) -> Exchange:
        """List the catalogs, which every administrator may do, and create the catalog and principal of the run.

        If the list of catalogs does not identify the server, the lists of principals and principal roles may, or the
        configuration of the catalog in the settings: a server may have no management operations.
        """
        self._log_in()
        self.target.managing = self.target.client.headers
        self.catalog = PolarisCatalog(self.target)
        lists = [partial(self._sent, partial(self.catalog.send, list, expect=None)) for list in LISTS]
        configuration = self._first_requests() if self.target.settings.warehouse else ()
        first_answer = first_recognised((*lists, *configuration), self.recognises)
        if self.recognises(first_answer):
            if self.target.read_only:
                self._choose()
            else:
                self._prepare()
        return first_answer

    def recognises(self, first_answer: Exchange) -> bool:
        """True for a 2xx answer with the list of the requested entity type, or for the configuration of a catalog."""
        if first_answer.operation not in LISTS:
            return super().recognises(first_answer)
        listed = read_object(first_answer.response_body).get(LISTS[first_answer.operation])
        return first_answer.succeeded and isinstance(listed, list)

    def _choose(self) -> None:
        """Choose the given catalog, or the first that is listed, and read its configuration as the run's caller.

        Without one, requests in a catalog go to a missing one.
        """
        names = self.catalog.inventory.named(CATALOG)
        warehouse = self.target.settings.warehouse or next(iter(names), "")
        if warehouse:
            self.target.settings = replace(self.target.settings, warehouse=warehouse)
            self._configure(warehouse)
            self.catalog.tables = IcebergCatalog(self.target)
        else:
            self.target.client.known.locate = in_prefix(encode_segment(self.target.missing_name))

    def _prepare(self) -> None:
        """Create a catalog and a principal for the requirements on tables; a failure blocks these requirements.

        In a catalog given by --warehouse, the caller of the run stays if it may not create a principal.
        """
        given = self.catalog.inventory.warehouse
        try:
            if given:
                self.catalog.begin_example()
                self._enter(given)
            else:
                self._find()
        except (Violation, NotTested, *UNREADABLE):
            if given:
                self._configure(given)
        finally:
            self.target.sandbox.keep()

    def explore(self) -> Iterator[None]:
        """Create one entity of each type if it is unclear how they are dropped, then explore the catalog."""
        if self.catalog.inventory.undroppable():
            self.catalog.begin_example()
            self._sent(self.catalog.new_thing)
            yield
        yield from super().explore()
        if not self.catalog.inventory.warehouse:
            offered = self.catalog.inventory.has(CATALOG.create)
            self.target.client.known.locate = partial(_without_catalog, CATALOG.create if offered else "")

    def browse(self) -> None:
        """Find existing objects and entities, and read each kind once: their answers are checked like all others."""
        super().browse()
        inventory, warehouse = self.catalog.inventory, self.target.settings.warehouse
        outer = {entity.id: tuple((name,) for name in inventory.named(entity)) for entity in (CATALOG, *CALLERS)}
        roles = inventory.named(CATALOG_ROLE, {"catalogName": warehouse}) if warehouse else []
        ids = {**outer, CATALOG_ROLE.id: tuple((warehouse, role) for role in roles)}
        self.target.given = self.target.given.with_ids(ids)
        self._read(self._names())
        if not warehouse:
            self.target.client.known.locate = partial(_in_missing_catalog, encode_segment(self.target.missing_name))

    def _names(self) -> dict[str, Any]:
        """Return the values of path parameters that name existing objects."""
        given = self.target.given
        named = {PARAMETERS[kind]: given.of(kind)[0][-1] for kind in PARAMETERS if given.of(kind)}
        warehouse = self.target.settings.warehouse
        named |= {"catalogName": warehouse} if warehouse else {}
        return {**named, "namespace": given.home} if given.home else named

    def _read(self, names: Mapping[str, Any]) -> None:
        """Send each of Polaris' own GET operations whose path these names fill."""
        catalog = PolarisCatalog(self.target)
        catalog.begin_example()
        for operation in OPERATIONS.values():
            known = operation.id in self.target.document.operations and operation.method == "GET"
            path = names_below_prefix(operation)
            if known and path and {*path} <= names.keys():
                self._sent(partial(catalog.send, operation.id, {name: names[name] for name in path}, expect=None))

    def _find(self) -> None:
        """Find a storage type for catalogs, and one on which tables can be created."""
        storages = storages_for(self.target)
        fallbacks = (
            Fallbacks(CATALOG.id, (CATALOG.create,), storages, lambda catalog: catalog.new(CATALOG)),
            Fallbacks(TABLES, ("createTable",), storages, self._make_warehouse, (CATALOG.id,)),
        )
        self.target.ways.find(fallbacks, self.catalog)

    def _make_warehouse(self, catalog: PolarisCatalog) -> None:
        """Create a catalog on the storage type under trial, and a table in it."""
        storage = STORAGES[self.target.ways.chosen[TABLES]]
        (name,) = catalog.new(CATALOG, storage=storage, properties=SETTINGS)
        self._enter(name)
        find_tables(catalog.tables)

    def _enter(self, warehouse: str) -> None:
        """Continue as a new principal with all privileges on content of a catalog, and read its configuration."""
        caller = self.catalog.new_caller(CONTENT, catalog=warehouse)
        self.target.preparation = list(self.target.client.steps)
        credential = f"{caller.credentials.id}:{caller.credentials.secret}"
        settings = self.target.settings
        self.target.settings = replace(settings, warehouse=warehouse, credential=credential, token="")
        self.target.log_in(caller.client.headers)
        self._configure(warehouse)
        self.catalog.tables = IcebergCatalog(self.target)

    def _configure(self, warehouse: str) -> None:
        """Read the configuration of a catalog by getConfig."""
        answer = self._sent(partial(IcebergCatalog(self.target).get_config, warehouse=warehouse, expect=None))
        self._configuration = answer
        self._config = read_object(answer.response_body)
        self._read_config()

    def _probe(self, operation: Operation) -> None:
        """Send an operation once, with an empty body, which creates nothing."""
        if self.target.profile.suite_of(operation.id) == ICEBERG:
            super()._probe(operation)
            return
        catalog = PolarisCatalog(self.target)
        catalog.begin_example()
        path: dict[str, Any] = dict.fromkeys(names_below_prefix(operation), self.target.missing_name)
        body: dict[str, Any] | None = {} if operation.request else None
        self._sent(partial(catalog.send, operation.id, path, body, expect=None))

    def _named(self, operation: Operation) -> bool | None:
        """True for management operations, which no configuration of a catalog lists; else as for Iceberg."""
        return super()._named(operation) if "{prefix}" in operation.path else True


def _in_missing_catalog(missing: str, path: str) -> str:
    """Return a path of a read-only run that found no catalog, in one that does not exist.

    Raises Skipped for what lists or changes a catalog itself.
    """
    if path.endswith(OF_CATALOG):
        raise Skipped("the run found no catalog to read", "--warehouse NAME")
    return in_prefix(missing)(path)


def _without_catalog(refused: str, path: str) -> str:
    """Return a path of a run that has no catalog, unless it is one in a catalog.

    `refused` is the offered operation that created none: raises Blocked by it, Unoffered without it.
    """
    if "{prefix}" not in path:
        return path
    if refused:
        raise Blocked("the run could create no catalog", refused)
    raise Unoffered(f"this needs {CATALOG.create}, which the server does not offer", CATALOG.create)
