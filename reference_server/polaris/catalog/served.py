"""A catalog as it is served: a warehouse with the record that the management API keeps of it."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.context import IcebergContext
from reference_server.polaris.catalog.flags import flag
from reference_server.polaris.catalog.places import is_plain, is_within, place_of
from reference_server.polaris.catalog.revisions import CatalogRules
from reference_server.storage.places import Place

BASE = "default-base-location"
EVERYWHERE = "*"
FILE = "FILE"
LONGEST = 120


@dataclass(frozen=True, slots=True)
class ServedCatalog(Warehouse):
    """A catalog: its `record` as the API shows it, and the rules of the revision."""

    record: Mapping[str, Any] = field(kw_only=True)
    rules: CatalogRules = field(kw_only=True)

    @property
    def properties(self) -> Mapping[str, str]:
        """Its properties."""
        properties: Mapping[str, str] = self.record["properties"]
        return properties

    @property
    def is_external(self) -> bool:
        """Whether another catalog decides what is in it."""
        return bool(self.record["type"] == "EXTERNAL")

    @property
    def storage(self) -> Mapping[str, Any]:
        """Its storage: type, settings and allowed locations."""
        storage: Mapping[str, Any] = self.record["storageConfigInfo"]
        return storage

    @property
    def storage_type(self) -> str:
        """S3, GCS, AZURE or FILE."""
        return str(self.storage["storageType"])

    @property
    def locations(self) -> list[str]:
        """Where its files may lie, as it was said."""
        return list(self.storage.get("allowedLocations") or ()) or [self.uri]

    def allows(self, place: Place) -> bool:
        """Return whether files may lie at a place."""
        allowed = self.locations
        return EVERYWHERE in allowed or any(is_within(place, place_of(location)) for location in allowed)

    def has(self, setting: str) -> bool:
        """Return whether a setting is on; see flags.py."""
        return flag(self.properties, setting, self.rules.flags)

    def is_own(self, _location: str) -> bool:
        """See Warehouse.is_own: a folder may be that of a table and of a namespace of the same name."""
        return False


def served_catalog(context: IcebergContext) -> ServedCatalog:
    """Return the catalog that a request is for."""
    warehouse = context.warehouse
    assert isinstance(warehouse, ServedCatalog), "every warehouse of this API is a catalog"
    return warehouse


def folder_name(path: Path) -> str:
    """Return what the folder of a namespace, a table or a view is called: its name, as far as that can be a folder."""
    name, stripped = path[-1], path[-1].strip()
    control = any(unicodedata.category(character) in ("Cc", "Cs") for character in name)
    if not control and "/" not in name and stripped and is_plain(stripped) and len(name.encode()) <= LONGEST:
        return name
    return hashlib.sha1(name.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()
