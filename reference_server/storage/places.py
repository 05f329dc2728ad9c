"""Index of places: a storage key for each object, made of its folders, so that one lookup per folder finds neighbours.

lies-at / <folder>... / "" / <name>  ->  any value
"""

from __future__ import annotations

from itertools import accumulate
from typing import TypeVar

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.storage import pack, unpack
from reference_server.storage.transactions import Transaction

LIES_AT, END = "lies-at", ""
PLACES = pack(LIES_AT)
"""Prefix of all these keys."""
V = TypeVar("V")
Place = tuple[str, ...]
"""Folders, the outermost first; the first one may be a storage."""


def check_size(location: str) -> None:
    """Raise InvalidInput for a location that is too long to be processed.

    Following a location costs the square of its number of folders.
    """
    if len(location) > limits.LOCATION:
        raise InvalidInput(f"The location {location!r:.300} has more than {limits.LOCATION} characters.")
    if sum(map(bool, location.rpartition("://")[2].split("/"))) > limits.FOLDERS:
        raise InvalidInput(f"The location {location!r:.300} has more than {limits.FOLDERS} folders.")


def place_key(place: Place, name: bytes) -> bytes:
    """Return the key of an object of this name at a place."""
    return pack(LIES_AT, *place, END, name)


def neighbours(transaction: Transaction[V], place: Place) -> list[bytes]:
    """Return the names of the objects at, in or around a place. No other change adds one until the commit."""
    *outer, inside = accumulate(map(pack, place), initial=PLACES)
    prefixes = [*(folder + pack(END) for folder in outer[1:]), inside]
    return [unpack(key)[-1] for prefix in prefixes for key, _ in transaction.hold(prefix)]


def overlap(first: Place, second: Place) -> bool:
    """Return whether one of two places is equal to the other or inside of it."""
    return all(one == other for one, other in zip(first, second, strict=False))


def occupants(transaction: Transaction[V], place: Place) -> list[bytes]:
    """Return the names of the objects exactly at a place. No other change adds or removes one until the commit."""
    return [unpack(key)[-1] for key, _ in transaction.hold(pack(LIES_AT, *place, END))]


def enter(transaction: Transaction[V], place: Place, name: bytes, value: V) -> None:
    """Add an object at a place to the index."""
    key = place_key(place, name)
    transaction.get(key)
    transaction.put(key, value)


def leave(transaction: Transaction[V], place: Place, name: bytes) -> None:
    """Remove an object at a place from the index."""
    transaction.put(place_key(place, name), None)
