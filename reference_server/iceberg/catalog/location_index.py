"""Index of the locations of all warehouses' objects, updated by the changes that place them: see storage/places.py.

lies-at / <folder>... / "" / <kind, warehouse, path>  ->  empty
lies    / warehouse / kind / <path>                   ->  its location and its folders
"""

from __future__ import annotations

from typing import NamedTuple

from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.storage import pack, unpack
from reference_server.storage.places import Place, enter, leave, neighbours, occupants

LIES = "lies"
OWNERS = (Kind.TABLE, Kind.GENERIC_TABLE)
"""Kinds with files of their own at their place; a view has only its metadata."""


class Occupant(NamedTuple):
    """An object at a place."""

    kind: Kind
    warehouse: str
    path: Path


def location_of(change: WarehouseChange, kind: Kind, path: Path) -> str | None:
    """Return the location of an object, None for one without a place."""
    value = change.transaction.get(_lies(change, kind, path))
    return None if value is None else unpack(value)[0].decode()


def claim(change: WarehouseChange, kind: Kind, path: Path, location: str, place: Place) -> None:
    """Index the new location of an object."""
    release(change, kind, path)
    enter(change.transaction, place, _name(change, kind, path), b"")
    change.transaction.put(_lies(change, kind, path), pack(location, *place))


def release(change: WarehouseChange, kind: Kind, path: Path) -> None:
    """Remove the location of an object from the index."""
    value = change.transaction.get(_lies(change, kind, path))
    if value is not None:
        place = tuple(folder.decode() for folder in unpack(value)[1:])
        leave(change.transaction, place, _name(change, kind, path))
        change.transaction.put(_lies(change, kind, path), None)


def tables_at(change: WarehouseChange, place: Place) -> list[Occupant]:
    """Return the tables exactly at a place, in any warehouse. No other change adds one until the commit."""
    there = map(_occupant, occupants(change.transaction, place))
    return [occupant for occupant in there if occupant.kind in OWNERS]


def is_shared(change: WarehouseChange, kind: Kind, path: Path) -> bool:
    """Return whether other tables lie exactly at an object's place: they share its files, which must stay."""
    value = change.transaction.get(_lies(change, kind, path))
    if value is None:
        return False
    place = tuple(folder.decode() for folder in unpack(value)[1:])
    return any(other != Occupant(kind, change.warehouse, path) for other in tables_at(change, place))


def lying(change: WarehouseChange, place: Place) -> list[Occupant]:
    """Return the objects at, in or around a place, in any warehouse. No other change adds one until the commit."""
    return [_occupant(name) for name in neighbours(change.transaction, place)]


def _occupant(name: bytes) -> Occupant:
    kind, warehouse, path = unpack(name)
    return Occupant(Kind(kind.decode()), warehouse.decode(), tuple(level.decode() for level in unpack(path)))


def _name(change: WarehouseChange, kind: Kind, path: Path) -> bytes:
    return pack(kind, change.warehouse, pack(*path))


def _lies(change: WarehouseChange, kind: Kind, path: Path) -> bytes:
    return pack(LIES, change.warehouse, kind, pack(*path))


class LocationFollower:
    """Frees the place of a dropped object, and moves it with a renamed one; see Follower."""

    def started(self, _change: WarehouseChange) -> None:
        """Check nothing."""

    def removed(self, change: WarehouseChange, kind: Kind, path: Path) -> None:
        """Free the object's place."""
        release(change, kind, path)

    def moved(self, change: WarehouseChange, kind: Kind, path: Path, target: Path) -> None:
        """Give the object's place to the new name."""
        value = change.transaction.get(_lies(change, kind, path))
        if value is not None:
            location, *place = (part.decode() for part in unpack(value))
            release(change, kind, path)
            claim(change, kind, target, location, tuple(place))
