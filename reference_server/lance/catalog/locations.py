"""Where tables lie below the root, as far as a catalog cares."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from reference_server.lance.catalog.entries import Path, Properties, Table
from reference_server.lance.catalog.unfinished import Note


class Locations(Protocol):
    """The locations of tables, in the way of one kind of catalog.

    `forbidden` are characters that no name may have, beside those that no catalog allows. `managed` says that clients
    keep versions of tables through the catalog.
    """

    forbidden: str
    managed: bool

    def root_properties(self) -> Properties:
        """Return the properties of the root namespace."""

    def location_for(self, path: Path, unused: str) -> str:
        """Return where a table that is declared under this name will have its data.

        `unused` is a location that was never used, for a catalog that does not care.
        """

    def place(self, path: Path, written: str) -> str:
        """Return the location of data that were just written at `written`, for a new table.

        A catalog that wants them elsewhere moves them. Raises TableAlreadyExists.
        """

    def is_fixed(self, path: Path, table: Table) -> bool:
        """True when a table lies where its name says: it stays there when overwritten, and moves when renamed."""

    def copy(self, table: Table, path: Path) -> str:
        """Let a table lie at an unused location too, for the name `path`, and return the location."""

    def discard(self, location: str) -> None:
        """Delete what lies at a location."""

    def unfinished(self) -> AbstractContextManager[Note]:
        """Note locations for the time of a `with` block: what lies there and in no table goes if the server ends."""

    def deregistered(self, path: Path) -> Table | None:
        """Return a table that was deregistered, but can still be dropped by its name; None when there is none."""

    def follows(self, path: Path) -> bool:
        """True when what is said about the tables of a namespace follows from the catalog's state alone."""


class AnyLocations:
    """Tables lie wherever they were written: nothing follows from their names."""

    forbidden = ""

    def __init__(self, *, managed: bool = False) -> None:
        self.managed = managed

    def root_properties(self) -> Properties:
        """See Locations.root_properties: the root has none."""
        return {}

    def location_for(self, _path: Path, unused: str) -> str:
        """See Locations.location_for."""
        return unused

    def place(self, _path: Path, written: str) -> str:
        """See Locations.place."""
        return written

    def is_fixed(self, _path: Path, _table: Table) -> bool:
        """See Locations.is_fixed."""
        return False

    def copy(self, table: Table, _path: Path) -> str:
        """See Locations.copy: no table has to move."""
        return table.location

    def discard(self, location: str) -> None:
        """See Locations.discard: there are no copies."""

    def unfinished(self) -> AbstractContextManager[Note]:
        """See Locations.unfinished: nothing outlives the server."""
        return nullcontext(lambda _location: None)

    def deregistered(self, _path: Path) -> Table | None:
        """See Locations.deregistered."""
        return None

    def follows(self, _path: Path) -> bool:
        """See Locations.follows."""
        return True
