"""Where tables and views may lie: the rules of a warehouse, as a commit that makes or moves one asks for them."""

from __future__ import annotations

import secrets
from collections.abc import Collection

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import Change, Properties
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_index import Occupant, claim, lying, tables_at
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.metadata.reading import Json
from reference_server.storage.places import Place


class LocationRules:
    """The rules of a warehouse in which everything may lie where the server may write, and nothing else lies.

    Nothing lies in a table's folder or around it, whatever warehouse it is of, so that a purge takes along nothing of
    others; nothing of a view is purged, so views may share a place. A new table gets a place that was never used. What
    is registered may lie anywhere that can be read: also just where another table lies, as the same table under another
    name does. Until one of them is left, a purge deletes no files. A namespace has no place.
    """

    def __init__(self, warehouse: Warehouse, allowed: AllowedLocations) -> None:
        self.warehouse = warehouse
        self.allowed = allowed

    def new(self, change: Change, path: Path) -> str:
        """Return the location of a new table or view for which the client wants none. Its place is known to `check`."""
        location = self.warehouse.new_location(path)
        place = self.allowed.check(location)
        if lying(change, place):
            location = self.warehouse.new_location((secrets.token_hex(8), path[-1]))
            place = self.allowed.check(location)
        change.places[location] = place
        return location

    def check(
        self, change: Change, kind: Kind, path: Path, metadata: Json, previous: Json | None = None
    ) -> Place | None:
        """Return the place to which a table or view is brought from where `previous` says, None where it stays.

        Raises CatalogError for a place where it may not lie.
        """
        location = metadata["location"]
        if previous is not None and location == previous["location"]:
            return None
        place = change.places.get(location) or self.allowed.check(location)
        self.check_free(change, kind, path, location, place)
        return place

    def place(self, change: Change, kind: Kind, path: Path, metadata: Json, previous: Json | None = None) -> None:
        """Note where a table or view lies once the change is committed. Raises what `check` raises."""
        place = self.check(change, kind, path, metadata, previous)
        if place is not None:
            claim(change, kind, path, metadata["location"], place)

    def place_registered(self, change: Change, kind: Kind, path: Path, metadata: Json) -> None:
        """Note where a registered table or view lies. Raises CatalogError where it may not be registered."""
        location = metadata["location"]
        place = self.allowed.place_of(location)
        same = tables_at(change, place) if kind is Kind.TABLE else ()
        self._check(change, kind, location, place, (Occupant(kind, change.warehouse, path), *same))
        claim(change, kind, path, location, place)

    def check_free(self, change: Change, kind: Kind, path: Path, location: str, place: Place) -> None:
        """Raise CatalogError for a location at, in or around which something else lies."""
        self._check(change, kind, location, place, (Occupant(kind, change.warehouse, path),))

    def _check(self, change: Change, kind: Kind, location: str, place: Place, beside: Collection[Occupant]) -> None:
        if self.allowed.is_around(place):
            raise InvalidInput(
                f"The location {location!r:.300} is or holds a whole warehouse or the system's temporary directory."
            )
        for other in lying(change, place):
            both_views = kind is other.kind is Kind.VIEW
            if other not in beside and not both_views:
                raise InvalidInput(
                    f"The location {location!r:.300} is at, in or around that of the {other.kind.label.lower()} "
                    f"{show(other.path):.300}."
                )

    def files_of_dropped(self, _change: Change, _kind: Kind, _path: Path) -> list[str]:
        """Return the files that go with something that is to be dropped and is still there."""
        return []

    def namespace_properties(self, _change: Change, _path: Path, properties: Properties) -> Properties:
        """Return the properties that a new namespace gets. Raises CatalogError for a place where it may not lie."""
        return properties

    def check_properties(self, change: Change, path: Path, properties: Properties) -> None:
        """Raise CatalogError where a namespace may not be given properties, which may say where it lies."""
