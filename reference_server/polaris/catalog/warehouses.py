"""Catalogs as warehouses of the Iceberg API: looked up at each request, and cached while unchanged."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from reference_server.backends import Backend
from reference_server.iceberg.context import Services
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.iceberg.scans.content import BYTES
from reference_server.iceberg.scans.plans import SYNC, ScanServices, scan_services
from reference_server.polaris.catalog.location_rules import CatalogLocationRules
from reference_server.polaris.catalog.object_store import CatalogLocations
from reference_server.polaris.catalog.places import ROOT
from reference_server.polaris.catalog.rules import CatalogRules
from reference_server.polaris.catalog.served import BASE, ServedCatalog

KEPT = 64
Record = Mapping[str, Any]
Open = Callable[[CatalogLocationRules, MetadataFiles, ScanServices], Services]


class Warehouses:
    """Services of the catalogs that were requested last."""

    def __init__(self, backend: Backend, rules: CatalogRules, services: Open) -> None:
        """Cache the services that `services` makes for a catalog."""
        self._backend = backend
        self._rules = rules
        self._services = services
        self._kept: OrderedDict[str, tuple[bytes, Services]] = OrderedDict()

    def find(self, name: str, record: bytes) -> Services:
        """Return the services of a catalog, which are opened once for each version of its record."""
        kept = self._kept.get(name)
        if kept is not None and kept[0] == record:
            self._kept.move_to_end(name)
            return kept[1]
        services = self._open(orjson.loads(record))
        self._kept[name] = (record, services)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return services

    def _open(self, record: Record) -> Services:
        base = record["properties"][BASE].rstrip("/")
        uri = ROOT if base in ("", "file:") else base
        catalog = ServedCatalog(record["name"], uri, record=record, rules=self._rules)
        allowed = CatalogLocations(catalog, self._backend.data_root)
        file_io = FileIO(allowed, durable=self._backend.durable)
        scans = scan_services(file_io.read, SYNC, BYTES)
        return self._services(CatalogLocationRules(catalog, allowed), MetadataFiles(file_io), scans)
