"""Served catalogs: a warehouse with its record in the management API."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.context import IcebergContext
from reference_server.polaris.catalog.places import is_plain, is_within, place_of
from reference_server.polaris.catalog.rules import CatalogRules, flag
from reference_server.storage.places import Place

BASE = "default-base-location"
EVERYWHERE = "*"
FILE = "FILE"
LONGEST = 120


@dataclass(frozen=True, slots=True)
class ServedCatalog(Warehouse):
    """A catalog: its `record` in the API's form, and the rules of the revision."""

    record: Mapping[str, Any] = field(kw_only=True)
    rules: CatalogRules = field(kw_only=True)

    @property
    def properties(self) -> Mapping[str, str]:
        """The properties of the catalog."""
        properties: Mapping[str, str] = self.record["properties"]
        return properties

    @property
    def is_external(self) -> bool:
        """Whether another catalog decides about its content."""
        return bool(self.record["type"] == "EXTERNAL")

    @property
    def storage(self) -> Mapping[str, Any]:
        """The storage of the catalog: type, settings and allowed locations."""
        storage: Mapping[str, Any] = self.record["storageConfigInfo"]
        return storage

    @property
    def storage_type(self) -> str:
        """The type of the storage: S3, GCS, AZURE or FILE."""
        return str(self.storage["storageType"])

    @property
    def locations(self) -> list[str]:
        """The allowed locations of its files, as configured."""
        return list(self.storage.get("allowedLocations") or ()) or [self.uri]

    def allows(self, place: Place) -> bool:
        """Return whether files are allowed at a place."""
        allowed = self.locations
        return EVERYWHERE in allowed or any(is_within(place, place_of(location)) for location in allowed)

    def has(self, setting: str) -> bool:
        """Return whether a setting is on; see rules.py."""
        return flag(self.properties, setting, self.rules.flags)

    def is_own(self, _location: str) -> bool:
        """Return False: a table and a namespace of the same name may share a folder. See Warehouse.is_own."""
        return False


def served_catalog(context: IcebergContext) -> ServedCatalog:
    """Return the catalog of a request."""
    return as_catalog(context.warehouse)


def as_catalog(warehouse: Warehouse) -> ServedCatalog:
    """Return a warehouse of this API as the catalog that it is."""
    assert isinstance(warehouse, ServedCatalog), "every warehouse of this API is a catalog"
    return warehouse


def folder_name(path: Path) -> str:
    """Return the folder name of a namespace, a table or a view: its name if that can be a folder, else a hash."""
    name, stripped = path[-1], path[-1].strip()
    control = any(unicodedata.category(character) in ("Cc", "Cs") for character in name)
    if not control and "/" not in name and stripped and is_plain(stripped) and len(name.encode()) <= LONGEST:
        return name
    return hashlib.sha1(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
