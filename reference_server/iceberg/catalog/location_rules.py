"""Where tables and views may lie: the rules of a warehouse, as a commit that makes or moves one asks for them."""

from __future__ import annotations

from reference_server.iceberg.catalog.catalog import Change, Properties
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.metadata.reading import Json


class LocationRules:
    """The rules of a warehouse in which everything may lie where the server may write.

    A new table gets a place that was never used. What is registered may lie anywhere that can be read, and a
    namespace has no place.
    """

    def __init__(self, warehouse: Warehouse, allowed: AllowedLocations) -> None:
        self.warehouse = warehouse
        self.allowed = allowed

    def new(self, _change: Change, path: Path) -> str:
        """Return the location of a new table or view for which the client wants none."""
        return self.warehouse.new_location(path)

    def check(self, _change: Change, _kind: Kind, _path: Path, metadata: Json, previous: Json | None = None) -> None:
        """Raise CatalogError for a place to which a table or view may not be brought, from where `previous` says."""
        if previous is None or metadata["location"] != previous["location"]:
            self.allowed.check(metadata["location"])

    def check_registered(self, change: Change, kind: Kind, path: Path, metadata: Json) -> None:
        """Raise CatalogError where a table or view with these metadata may not be registered."""

    def files_of_dropped(self, _kind: Kind, _location: str) -> list[str]:
        """Return the files that go with something that is dropped, whose metadata file is at a location."""
        return []

    def namespace_properties(self, _change: Change, _path: Path, properties: Properties) -> Properties:
        """Return the properties that a new namespace gets. Raises CatalogError for a place where it may not lie."""
        return properties

    def check_properties(self, change: Change, path: Path, properties: Properties) -> None:
        """Raise CatalogError where a namespace may not be given properties, which may say where it lies."""
