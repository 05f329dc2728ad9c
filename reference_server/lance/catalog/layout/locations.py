"""Locations of tables in the published directory layout: those of root tables follow from their names."""

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
from reference_server.lance.catalog.removal import Note, remove_tree, unfinished
from reference_server.machine import machine_fault

MANAGED = "table_version_management"


class LayoutLocations:
    """Locations of the layout; see Locations. Names must not contain the "$" that joins them in the manifest."""

    forbidden = "$"

    def __init__(self, root: FilePath, tables: RootTables, manifest: ManifestStorage, *, managed: bool = False) -> None:
        self._root = root
        self._tables = tables
        self._manifest = manifest
        if managed:
            manifest.set_metadata({MANAGED: "true"})
        self.managed = managed or manifest.table_metadata().get(MANAGED) == "true"

    def root_properties(self) -> Properties:
        """Return the metadata of the manifest table; see Locations.root_properties."""
        return {name: value for name, value in self._manifest.table_metadata().items() if name != MANAGED}

    def location_for(self, path: Path, unused: str) -> str:
        """Return the folder of a root table's name if it is free, else `unused`; see Locations.location_for."""
        has_own_folder = len(path) == 1 and self._tables.is_free(path[-1])
        return self._tables.location(path[-1]) if has_own_folder else unused

    def place(self, path: Path, written: str) -> str:
        """Move a root table to the folder of its name, which only one request can take; see Locations.place."""
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
        """Return whether a table lies in the root folder of its name."""
        return self._tables.is_own(path, table.location)

    def copy(self, table: Table, path: Path) -> str:
        """Copy a table; the copy shares the files, which never change once written. See Locations.copy."""
        location = new_location(path)
        shutil.copytree(self._root / table.location, self._root / location, copy_function=os.link)
        return location

    def discard(self, location: str) -> None:
        """Delete the directory at a location."""
        remove_tree(self._root, location)

    def unfinished(self) -> AbstractContextManager[Note]:
        """Note locations in a file during a `with` block, for the next server if this one is killed."""
        return unfinished(self._root)

    def deregistered(self, path: Path) -> Table | None:
        """Return the table of a hidden directory of the root; see Locations.deregistered."""
        hidden = len(path) == 1 and self._tables.is_hidden(path[-1])
        return Table(self._tables.location(path[-1])) if hidden else None

    def follows(self, path: Path) -> bool:
        """Return whether a namespace is not the root, where tables depend on directories too; see Locations.follows."""
        return bool(path)
