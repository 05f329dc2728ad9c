"""Rules for the locations of a catalog's namespaces, tables and views.

Each lies in the folder of its namespace, the top-level namespaces in the base location of the catalog, and no two
children of one namespace overlap; settings of the catalog lift these rules. In an external catalog all allowed
locations are equal. A table whose default folder is taken, for example by a former table of its name, gets another one
beside it.
"""

from __future__ import annotations

import secrets

from reference_server.errors import PermissionDenied
from reference_server.iceberg.catalog.catalog import Properties, WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_index import Occupant, claim, location_of, lying
from reference_server.iceberg.catalog.location_rules import LocationRules
from reference_server.iceberg.catalog.names import Path, show
from reference_server.iceberg.errors import IllegalArgument
from reference_server.iceberg.metadata.reading import Json
from reference_server.polaris.catalog.object_store import CatalogLocations
from reference_server.polaris.catalog.places import check_plain, is_within, place_of
from reference_server.polaris.catalog.rules import (
    CUSTOM_NAMESPACES,
    EXTERNAL_FILES,
    OVERLAPPING,
    UNSTRUCTURED,
    VIEW_FILES,
)
from reference_server.polaris.catalog.served import ServedCatalog, folder_name
from reference_server.storage.places import Place

LOCATION = "location"
WRITTEN_TO = ("write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path")
"""Table properties with a folder for new files; the last two are older names of the first."""


class CatalogLocationRules(LocationRules):
    """Location rules of one catalog."""

    def __init__(self, catalog: ServedCatalog, allowed: CatalogLocations) -> None:
        super().__init__(catalog, allowed)
        self._catalog = catalog

    def new(self, change: WarehouseChange, path: Path) -> str:
        """Return a free location in the folder of the namespace for a new table or view."""
        location = self._default(change, path)
        taken = self._all_overlapping(change, path, place_of(location))
        return location if not taken else f"{location}-{secrets.token_hex(8)}"

    def check(
        self, change: WarehouseChange, kind: Kind, path: Path, metadata: Json, previous: Json | None = None
    ) -> Place | None:
        """Return the new place of a table or view, None if it does not move. Raises PermissionDenied."""
        places = _places(metadata)
        if previous is not None and places == _places(previous):
            return None
        location = metadata[LOCATION]
        own_place = self._check_places(change, path, places)
        if previous is not None and location == previous[LOCATION]:
            return None
        self.check_free(change, kind, path, location, own_place)
        return own_place

    def place_registered(self, change: WarehouseChange, kind: Kind, path: Path, metadata: Json) -> None:
        """Index the location of a registered table or view. Raises PermissionDenied.

        Views that were registered with one metadata file share a folder.
        """
        if kind is Kind.TABLE:
            self.place(change, kind, path, metadata)
            return
        place = self._check_places(change, path, _places(metadata))
        claim(change, kind, path, metadata[LOCATION], place)

    def files_of_dropped(self, change: WarehouseChange, kind: Kind, path: Path) -> list[str]:
        """Return the metadata file of a view, unless another view was registered with it; see LocationRules.

        A view of an older server without a known place leaves its file.
        """
        lies = location_of(change, kind, path)
        if kind is not Kind.VIEW or lies is None or not self._catalog.has(VIEW_FILES):
            return []
        file = change.location(kind, path)
        beside = (thing for thing in lying(change, place_of(lies)) if thing.kind is kind and thing.path != path)
        return [] if any(change.find(kind, other.path) == file for other in beside) else [file]

    def namespace_properties(self, change: WarehouseChange, path: Path, properties: Properties) -> Properties:
        """Return the properties of a new namespace with its location. Raises PermissionDenied and InvalidInput."""
        location = properties.get(LOCATION) or f"{self._default(change, path)}{self._catalog.rules.folder_end}"
        self._place_namespace(change, path, location)
        return {**properties, LOCATION: location}

    def check_properties(self, change: WarehouseChange, path: Path, properties: Properties) -> None:
        """Check and index a location in new namespace properties. Raises PermissionDenied and InvalidInput."""
        if LOCATION in properties:
            self._place_namespace(change, path, properties[LOCATION])

    def check_inside(self, change: WarehouseChange, path: Path, location: str) -> Place:
        """Return the place of a table or view. Raises PermissionDenied for one outside of catalog or namespace."""
        place = self._check_allowed(location)
        if self._catalog.is_external or self._catalog.has(UNSTRUCTURED):
            return place
        namespace = self._of_namespace(change, path[:-1])
        if not is_within(place, place_of(namespace)):
            raise PermissionDenied(
                f"Invalid locations '[{location:.300}]' for identifier '{show(path):.300}': {location:.300} is not in "
                f"the list of allowed locations: [{namespace}]"
            )
        return place

    def check_free(self, change: WarehouseChange, kind: Kind, path: Path, location: str, place: Place) -> None:
        """Raise PermissionDenied for the location of a sibling, unless the catalog allows it."""
        for taken in self._all_overlapping(change, path, place):
            if taken.warehouse == change.warehouse and taken.path[:-1] == path[:-1]:
                there = location_of(change, taken.kind, taken.path) or show(taken.path)
                raise PermissionDenied(
                    f"Unable to create {kind.label.lower()} at location '{location:.300}' because it conflicts with "
                    f"existing table or namespace at location '{there.rstrip('/'):.300}/'"
                )

    def _check_places(self, change: WarehouseChange, path: Path, places: list[str]) -> Place:
        """Return the place of a table or view, whose location is the first of these. Raises the errors of `check`."""
        own_place = self.check_inside(change, path, places[0])
        for location in places[1:]:
            if self._catalog.has(EXTERNAL_FILES):
                self._check_allowed(location)
            else:
                self.check_inside(change, path, location)
        return own_place

    def _check_allowed(self, location: str) -> Place:
        """Return the place of a location. Raises InvalidInput, and PermissionDenied for one outside of the catalog."""
        place = self.allowed.check(location)
        check_plain(location)
        return place

    def _all_overlapping(self, change: WarehouseChange, path: Path, place: Place) -> list[Occupant]:
        """Return the objects that overlap with a place, none where overlaps are allowed.

        An object whose path begins with the other's does not count: a table may share the folder of its namespace, and
        of a namespace of its name.
        """
        things = lying(change, place) if not self._catalog.has(OVERLAPPING) else []
        return [thing for thing in things if not _begins(thing.path, path) and not _begins(path, thing.path)]

    def _place_namespace(self, change: WarehouseChange, path: Path, location: str) -> None:
        check_plain(location)
        default, place = self._default(change, path), place_of(location)
        custom = place != place_of(default)
        self.check_free(change, Kind.NAMESPACE, path, location, place)
        if custom and not self._catalog.rules.custom_places and not self._catalog.has(CUSTOM_NAMESPACES):
            raise IllegalArgument(
                f"Namespace {show(path):.300} has a custom location, which is not enabled. Expected location: "
                f"[{default}]. Got location: [{location:.300}]."
            )
        claim(change, Kind.NAMESPACE, path, location, place)

    def _default(self, change: WarehouseChange, path: Path) -> str:
        """Return the default location of an object."""
        return f"{self._of_namespace(change, path[:-1])}/{folder_name(path)}"

    def _of_namespace(self, change: WarehouseChange, path: Path) -> str:
        if not path:
            return self._catalog.uri
        return (location_of(change, Kind.NAMESPACE, path) or self._default(change, path)).rstrip("/")


def _begins(path: Path, longer: Path) -> bool:
    return longer[: len(path)] == path


def _places(metadata: Json) -> list[str]:
    properties = metadata.get("properties") or {}
    return [metadata[LOCATION], *(properties[name] for name in WRITTEN_TO if name in properties)]
