"""Where the things of all warehouses lie, kept by the changes that bring them there: see storage/places.py.

lies-at / <folder>... / "" / <kind, warehouse, path>  ->  nothing
lies    / warehouse / kind / <path>                   ->  its location and its folders
noted   / warehouse                                   ->  its things are all entered, see `enter_all`
"""

from __future__ import annotations

from typing import NamedTuple

from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.storage import pack, unpack
from reference_server.storage.places import Place, enter, leave, neighbours, occupants

LIES = "lies"
OWNERS = (Kind.TABLE, Kind.GENERIC_TABLE)
"""Kinds with files of their own at their place; a view has no more than its metadata."""


class Occupant(NamedTuple):
    """What lies somewhere."""

    kind: Kind
    warehouse: str
    path: Path


def location_of(change: Change, kind: Kind, path: Path) -> str | None:
    """Return where something lies, None for what has no place."""
    value = change.transaction.get(_lies(change, kind, path))
    return None if value is None else unpack(value)[0].decode()


def claim(change: Change, kind: Kind, path: Path, location: str, place: Place) -> None:
    """Note where something lies from now on."""
    release(change, kind, path)
    enter(change.transaction, place, _name(change, kind, path), b"")
    change.transaction.put(_lies(change, kind, path), pack(location, *place))


def release(change: Change, kind: Kind, path: Path) -> None:
    """Note that something lies nowhere any more."""
    value = change.transaction.get(_lies(change, kind, path))
    if value is not None:
        place = tuple(folder.decode() for folder in unpack(value)[1:])
        leave(change.transaction, place, _name(change, kind, path))
        change.transaction.put(_lies(change, kind, path), None)


def tables_at(change: Change, place: Place) -> list[Occupant]:
    """Return the tables that lie just at a place, in any warehouse; until the commit there are no others."""
    there = map(_occupant, occupants(change.transaction, place))
    return [occupant for occupant in there if occupant.kind in OWNERS]


def is_shared(change: Change, kind: Kind, path: Path) -> bool:
    """Return whether other tables lie just where something does: then its files are theirs too, and have to stay."""
    value = change.transaction.get(_lies(change, kind, path))
    if value is None:
        return False
    place = tuple(folder.decode() for folder in unpack(value)[1:])
    return any(other != Occupant(kind, change.warehouse, path) for other in tables_at(change, place))


def lying(change: Change, place: Place) -> list[Occupant]:
    """Return what lies at a place, in it, or around it, in any warehouse; until the commit nothing is added."""
    return [_occupant(name) for name in neighbours(change.transaction, place)]


def _occupant(name: bytes) -> Occupant:
    kind, warehouse, path = unpack(name)
    return Occupant(Kind(kind.decode()), warehouse.decode(), tuple(level.decode() for level in unpack(path)))


def _name(change: Change, kind: Kind, path: Path) -> bytes:
    return pack(kind, change.warehouse, pack(*path))


def _lies(change: Change, kind: Kind, path: Path) -> bytes:
    return pack(LIES, change.warehouse, kind, pack(*path))


class LocationFollower:
    """See Follower: a place is free again when its thing is dropped, and goes along with a new name."""

    def started(self, _change: Change) -> None:
        """Nothing has to be so."""

    def removed(self, change: Change, kind: Kind, path: Path) -> None:
        """Free its place."""
        release(change, kind, path)

    def moved(self, change: Change, kind: Kind, path: Path, target: Path) -> None:
        """Give its place to the new name."""
        value = change.transaction.get(_lies(change, kind, path))
        if value is not None:
            location, *place = (part.decode() for part in unpack(value))
            release(change, kind, path)
            claim(change, kind, target, location, tuple(place))
