"""Locations of tables below the root, independent of the kind of catalog."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from reference_server.lance.catalog.entries import Path, Properties, Table
from reference_server.lance.catalog.removal import Note


class Locations(Protocol):
    """Locations of tables in one kind of catalog.

    `forbidden` are characters that no name may contain, beside those that no catalog allows. With `managed`, clients
    commit versions of tables through the catalog.
    """

    forbidden: str
    managed: bool

    def root_properties(self) -> Properties:
        """Return the properties of the root namespace."""

    def location_for(self, path: Path, unused: str) -> str:
        """Return the location for the data of a table that is declared under this name.

        `unused` is a never used location, for a catalog without a rule of its own.
        """

    def place(self, path: Path, written: str) -> str:
        """Return the final location of a new table's data, which were just written at `written`.

        A catalog with a rule of its own moves them. Raises TableAlreadyExists.
        """

    def is_fixed(self, path: Path, table: Table) -> bool:
        """Return whether a table lies where its name says: overwriting keeps it there, and renaming moves it."""

    def copy(self, table: Table, path: Path) -> str:
        """Copy a table to an unused location, for the name `path`, and return the location."""

    def discard(self, location: str) -> None:
        """Delete the data at a location."""

    def unfinished(self) -> AbstractContextManager[Note]:
        """Note locations during a `with` block: if the server is killed, data there without a table are deleted."""

    def deregistered(self, path: Path) -> Table | None:
        """Return a deregistered table that can still be dropped by its name; None when there is none."""

    def follows(self, path: Path) -> bool:
        """Return whether answers about the tables of a namespace depend on the catalog's state alone."""


class AnyLocations:
    """Locations in a catalog where tables stay where they were written: none follows from a name."""

    forbidden = ""

    def __init__(self, *, managed: bool = False) -> None:
        self.managed = managed

    def root_properties(self) -> Properties:
        """Return no properties; see Locations.root_properties."""
        return {}

    def location_for(self, _path: Path, unused: str) -> str:
        """Return the unused location."""
        return unused

    def place(self, _path: Path, written: str) -> str:
        """Return the location where the data were written."""
        return written

    def is_fixed(self, _path: Path, _table: Table) -> bool:
        """Return False: no location follows from a name."""
        return False

    def copy(self, table: Table, _path: Path) -> str:
        """Return the same location: no table has to move. See Locations.copy."""
        return table.location

    def discard(self, location: str) -> None:
        """Do nothing: there are no copies. See Locations.discard."""

    def unfinished(self) -> AbstractContextManager[Note]:
        """Note nothing: no data outlive the server. See Locations.unfinished."""
        return nullcontext(lambda _location: None)

    def deregistered(self, _path: Path) -> Table | None:
        """Return None: a deregistered table cannot be found by its name."""
        return None

    def follows(self, _path: Path) -> bool:
        """Return True: all tables are in the catalog's state."""
        return True
