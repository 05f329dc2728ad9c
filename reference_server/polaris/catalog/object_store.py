"""Files of catalogs: local ones in place, those of a cloud in a folder of the server, one for each storage.

The server has no keys for any cloud, and a mock must not write there. The files that it writes for a catalog on S3, GCS
or Azure are found again; clients that read and write files themselves need a catalog on a storage that they reach.
"""

from __future__ import annotations

from pathlib import Path as FilePath

from reference_server.backends import OWN_FOLDER
from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse, local_path
from reference_server.polaris.catalog.places import LOCAL, place_of
from reference_server.polaris.catalog.served import EVERYWHERE, FILE, ServedCatalog
from reference_server.storage.places import Place

OBJECTS = "objects"


class CatalogLocations(AllowedLocations):
    """Allowed locations of one catalog."""

    def __init__(self, catalog: ServedCatalog, data_root: str) -> None:
        self._catalog = catalog
        self._objects = FilePath(data_root) / OWN_FOLDER / OBJECTS
        self.remote: dict[str, Warehouse] = {} if catalog.storage_type == FILE else {catalog.storage_type: catalog}

    def warehouse_of(self, _location: str) -> Warehouse | None:
        """Return None: no storage of a cloud is accessed. See AllowedLocations."""
        return None

    def place_of(self, location: str) -> Place:
        """Return the folders of a location, equal for all its spellings. Raises InvalidInput."""
        return place_of(location)

    def path_of(self, location: str) -> FilePath | None:
        """Return the path of a location on disk, in the server's folder for a cloud. Raises InvalidInput."""
        place = place_of(location)
        if place[0] == LOCAL:
            return local_path(location)
        scheme, _, bucket = place[0].partition("://")
        return self._objects.joinpath(scheme, bucket, *place[1:])

    def check(self, location: str) -> Place:
        """Return the place of a location. Raises InvalidInput, and PermissionDenied for one outside of the catalog."""
        place = place_of(location)
        if not self._catalog.allows(place) or not self._is_real(place, location):
            allowed = ", ".join(self._catalog.locations)
            raise PermissionDenied(
                f"Invalid locations '[{location:.300}]': {location:.300} is not in the list of allowed locations: "
                f"[{allowed}]"
            )
        return place

    def _is_real(self, place: Place, location: str) -> bool:
        """Return whether a local location, with links resolved, is in the catalog and not in the server's folder."""
        if place[0] != LOCAL:
            return True
        try:
            real = self.path_of(location).resolve()  # type: ignore[union-attr]
            outer = [local_path(allowed) for allowed in self._catalog.locations if allowed != EVERYWHERE]
            inside = EVERYWHERE in self._catalog.locations or any(
                directory is not None and real.is_relative_to(directory.resolve()) for directory in outer
            )
        except (OSError, RuntimeError) as error:
            raise InvalidInput(f"The location {location!r:.300} cannot be resolved: {error}.") from None
        return inside and OWN_FOLDER not in real.parts
