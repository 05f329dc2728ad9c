"""Where tables lie in the published directory layout: those of the root namespace where their name says."""

from __future__ import annotations

import os
import shutil
from contextlib import AbstractContextManager
from pathlib import Path as FilePath

from reference_server.errors import TableAlreadyExists
from reference_server.lance.catalog.entries import Path, Properties, Table
from reference_server.lance.catalog.keys import new_location, show
from reference_server.lance.catalog.layout.manifest import ManifestStorage
from reference_server.lance.catalog.layout.root_tables import RootTables
from reference_server.lance.catalog.removal import remove_tree
from reference_server.lance.catalog.unfinished import Note, unfinished
from reference_server.machine import machine_fault

MANAGED = "table_version_management"


class LayoutLocations:
    """See Locations. Names may not hold the "$" that joins them in the manifest."""

    forbidden = "$"

    def __init__(self, root: FilePath, tables: RootTables, manifest: ManifestStorage, *, managed: bool = False) -> None:
        self._root = root
        self._tables = tables
        self._manifest = manifest
        if managed:
            manifest.set_metadata({MANAGED: "true"})
        self.managed = managed or manifest.table_metadata().get(MANAGED) == "true"

    def root_properties(self) -> Properties:
        """See Locations.root_properties: they are the metadata of the manifest table."""
        return {name: value for name, value in self._manifest.table_metadata().items() if name != MANAGED}

    def location_for(self, path: Path, unused: str) -> str:
        """See Locations.location_for: a root table lies where its name says, if nothing lies there."""
        has_own_folder = len(path) == 1 and self._tables.is_free(path[-1])
        return self._tables.location(path[-1]) if has_own_folder else unused

    def place(self, path: Path, written: str) -> str:
        """See Locations.place. Taking the place takes the name: only one of two requests gets it."""
        location = self.location_for(path, written)
        if location != written:
            try:
                (self._root / written).rename(self._root / location)
            except OSError as error:
                if machine_fault(error):
                    raise
                raise TableAlreadyExists(f"The table {show(path)} exists already.") from None
        return location

    def is_fixed(self, path: Path, table: Table) -> bool:
        """See Locations.is_fixed."""
        return self._tables.is_own(path, table.location)

    def copy(self, table: Table, path: Path) -> str:
        """See Locations.copy: the copy shares the files, which are never changed once they are written."""
        location = new_location(path)
        shutil.copytree(self._root / table.location, self._root / location, copy_function=os.link)
        return location

    def discard(self, location: str) -> None:
        """See Locations.discard."""
        remove_tree(self._root, location)

    def unfinished(self) -> AbstractContextManager[Note]:
        """See Locations.unfinished."""
        return unfinished(self._root)

    def deregistered(self, path: Path) -> Table | None:
        """See Locations.deregistered: a directory of the root that is hidden."""
        hidden = len(path) == 1 and self._tables.is_hidden(path[-1])
        return Table(self._tables.location(path[-1])) if hidden else None

    def follows(self, path: Path) -> bool:
        """See Locations.follows: what lies in the root is also a matter of directories."""
        return bool(path)
