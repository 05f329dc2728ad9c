"""Rules for the locations of tables and views, applied by a commit that creates or moves one."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable

from reference_server.errors import InvalidInput, NamespaceNotFound
from reference_server.iceberg.catalog.catalog import Properties, WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_index import Occupant, claim, lying, tables_at
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.metadata.reading import Json
from reference_server.storage.places import Place

LOCATION = "location"


def folder_of_namespace(change: WarehouseChange, path: Path) -> str:
    """Return the property `location` of a namespace, "" for a missing namespace and for one without it."""
    try:
        location = change.properties(path).get(LOCATION, "")
    except NamespaceNotFound:
        return ""
    return location.rstrip("/") or location


class LocationRules:
    """Rules of a warehouse: objects may lie wherever the server may write, but not at, in or around each other.

    No object of any warehouse may lie in or around a table's folder, so that a purge deletes no files of others. A
    purge deletes no files of views, so views may share a place. A new table gets a place that was never used. A
    registered table may lie anywhere that can be read: also exactly at another table's place, as the same table under
    two names. Then a purge deletes no files until one of the tables is left. A namespace has no place; new tables and
    views in it lie below its property `location`, if it has one.
    """

    def __init__(self, warehouse: Warehouse, allowed: AllowedLocations) -> None:
        self.warehouse = warehouse
        self.allowed = allowed

    def new(self, change: WarehouseChange, path: Path) -> str:
        """Return a location for a new table or view whose request has none. `check` knows its place."""
        folder = folder_of_namespace(change, path[:-1])
        if folder:
            return self.warehouse.new_location(path, folder)
        location = self.warehouse.new_location(path)
        place = self.allowed.check(location)
        if lying(change, place):
            location = self.warehouse.new_location((secrets.token_hex(8), path[-1]))
            place = self.allowed.check(location)
        change.places[location] = place
        return location

    def check(
        self, change: WarehouseChange, kind: Kind, path: Path, metadata: Json, previous: Json | None = None
    ) -> Place | None:
        """Return the new place of a table or view, whose metadata were `previous`; None if it does not move.

        Raises CatalogError for a place that is not allowed.
        """
        location = metadata["location"]
        if previous is not None and location == previous["location"]:
            return None
        place = change.places.get(location) or self.allowed.check(location)
        self.check_free(change, kind, path, location, place)
        return place

    def place(
        self, change: WarehouseChange, kind: Kind, path: Path, metadata: Json, previous: Json | None = None
    ) -> None:
        """Index the location of a table or view in a change. Raises the errors of `check`."""
        place = self.check(change, kind, path, metadata, previous)
        if place is not None:
            claim(change, kind, path, metadata["location"], place)

    def place_registered(self, change: WarehouseChange, kind: Kind, path: Path, metadata: Json) -> None:
        """Index the location of a registered table or view. Raises CatalogError for a place that is not allowed."""
        location = metadata["location"]
        place = self.allowed.place_of(location)
        same = tables_at(change, place) if kind is Kind.TABLE else ()
        self._check(change, kind, location, place, (Occupant(kind, change.warehouse, path), *same))
        claim(change, kind, path, location, place)

    def check_free(self, change: WarehouseChange, kind: Kind, path: Path, location: str, place: Place) -> None:
        """Raise CatalogError for a location at, in or around which another object lies."""
        self._check(change, kind, location, place, (Occupant(kind, change.warehouse, path),))

    def _check(
        self, change: WarehouseChange, kind: Kind, location: str, place: Place, beside: Collection[Occupant]
    ) -> None:
        if self.allowed.is_around(place):
            raise InvalidInput(
                f"The location {location!r:.300} is or holds a whole warehouse or the system's temporary directory."
            )
        for other in self._beside(change, place):
            both_views = kind is other.kind is Kind.VIEW
            if other not in beside and not both_views:
                raise InvalidInput(
                    f"The location {location!r:.300} is at, in or around that of the {other.kind.label.lower()} "
                    f"{show(other.path):.300}."
                )

    def _beside(self, change: WarehouseChange, place: Place) -> Iterable[Occupant]:
        """Return the objects that are in the way of one at this place."""
        return lying(change, place)

    def files_of_dropped(self, _change: WarehouseChange, _kind: Kind, _path: Path) -> list[str]:
        """Return the files to delete with an object that is about to be dropped."""
        return []

    def namespace_properties(self, _change: WarehouseChange, _path: Path, properties: Properties) -> Properties:
        """Return the properties of a new namespace. Raises CatalogError for a place that is not allowed."""
        return properties

    def check_properties(self, change: WarehouseChange, path: Path, properties: Properties) -> None:
        """Raise CatalogError for namespace properties that name a place that is not allowed."""


class PlainLocationRules(LocationRules):
    """Rules of Iceberg's own catalogs: the location follows from the name, and nothing keeps objects apart.

    A table that is created after another one of its name was renamed lies in the folder of that one.
    """

    def new(self, change: WarehouseChange, path: Path) -> str:
        """Return the location of a new table or view whose request has none. `check` knows its place."""
        folder = folder_of_namespace(change, path[:-1])
        if folder:
            return self.warehouse.plain_location(path, folder)
        location = self.warehouse.plain_location(path)
        change.places[location] = self.allowed.check(location)
        return location

    def _beside(self, _change: WarehouseChange, _place: Place) -> Iterable[Occupant]:
        return ()
