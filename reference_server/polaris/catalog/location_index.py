"""Where things of a catalog lie, as keys of a storage, so that what would overlap is found by looking up its place.

lies-at   / catalog / <storage> / <folder>... / "" / kind / <path>   ->  nothing
lies      / catalog / kind / <path>                                  ->  its location, UTF-8
placed    / catalog                                                  ->  changes with each place that a client chose

Two things overlap if one lies in the other and neither is called like the beginning of the other: a table may share
the folder of its namespace, and of a namespace of its name.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.polaris.catalog.places import Place, place_of
from reference_server.storage import pack, unpack

LIES_AT, LIES, PLACED = "lies-at", "lies", "placed"
END = ""


def location_of(change: Change, kind: Kind, path: Path) -> str | None:
    """Return where something lies, None for what has no place."""
    value = change.transaction.get(_lies(change.warehouse, kind, path))
    return None if value is None else value.decode()


def claim(change: Change, kind: Kind, path: Path, location: str, *, chosen: bool) -> None:
    """Note where something lies from now on. Of two places that are `chosen` at the same time one has to wait."""
    release(change, kind, path)
    guard = pack(PLACED, change.warehouse)
    change.transaction.get(guard)
    if chosen:
        change.transaction.put(guard, secrets.token_bytes(8))
    change.transaction.put(_lies_at(change.warehouse, place_of(location), kind, path), b"")
    change.transaction.put(_lies(change.warehouse, kind, path), location.encode())


def release(change: Change, kind: Kind, path: Path) -> None:
    """Note that something lies nowhere any more."""
    location = location_of(change, kind, path)
    if location is not None:
        change.transaction.put(_lies_at(change.warehouse, place_of(location), kind, path), None)
        change.transaction.put(_lies(change.warehouse, kind, path), None)


def overlapping(change: Change, path: Path, location: str) -> Path | None:
    """Return the name of something that overlaps with what is to have a path and a location, None for nothing."""
    place = place_of(location)
    for other in _at(change, place):
        shorter = min(len(path), len(other))
        if path[:shorter] != other[:shorter]:
            return other
    return None


def _at(change: Change, place: Place) -> Iterator[Path]:
    """Yield the paths of what lies at a place, in it, or around it."""
    scan, start = change.transaction.scan, (LIES_AT, change.warehouse)
    for depth in range(1, len(place)):
        for key, _ in scan(pack(*start, *place[:depth], END)):
            yield _path(key)
    for key, _ in scan(pack(*start, *place)):
        yield _path(key)


def _path(key: bytes) -> Path:
    return tuple(level.decode() for level in unpack(unpack(key)[-1]))


def _lies_at(catalog: str, place: Place, kind: Kind, path: Path) -> bytes:
    return pack(LIES_AT, catalog, *place, END, kind, pack(*path))


def _lies(catalog: str, kind: Kind, path: Path) -> bytes:
    return pack(LIES, catalog, kind, pack(*path))


class LocationFollower:
    """See Follower: a place is free again when its thing is dropped, and goes along with a new name."""

    def started(self, _change: Change) -> None:
        """Nothing has to be so."""

    def removed(self, change: Change, kind: Kind, path: Path) -> None:
        """Free its place."""
        release(change, kind, path)

    def moved(self, change: Change, kind: Kind, path: Path, target: Path) -> None:
        """Give its place to the new name."""
        location = location_of(change, kind, path)
        if location is not None:
            release(change, kind, path)
            claim(change, kind, target, location, chosen=True)
