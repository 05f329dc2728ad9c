"""Where things lie: a key of a storage for each, made of its folders, so that one look-up a folder finds neighbours.

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
"""The prefix of all these keys."""
V = TypeVar("V")
Place = tuple[str, ...]
"""Folders, the outermost first; the first one may be a storage."""


def check_size(location: str) -> None:
    """Raise InvalidInput for a location that is too large to be looked at.

    To follow one costs the square of its folders.
    """
    if len(location) > limits.LOCATION:
        raise InvalidInput(f"The location {location!r:.300} has more than {limits.LOCATION} characters.")
    if sum(map(bool, location.rpartition("://")[2].split("/"))) > limits.FOLDERS:
        raise InvalidInput(f"The location {location!r:.300} has more than {limits.FOLDERS} folders.")


def place_key(place: Place, name: bytes) -> bytes:
    """Return the key that says that something of this name lies at a place."""
    return pack(LIES_AT, *place, END, name)


def neighbours(transaction: Transaction[V], place: Place) -> list[bytes]:
    """Return the names of what lies at a place, in it or around it. No other change adds any until the commit."""
    *outer, inside = accumulate(map(pack, place), initial=PLACES)
    prefixes = [*(folder + pack(END) for folder in outer[1:]), inside]
    return [unpack(key)[-1] for prefix in prefixes for key, _ in transaction.hold(prefix)]


def overlap(first: Place, second: Place) -> bool:
    """True when one of two places is the other, or lies in it."""
    return all(one == other for one, other in zip(first, second, strict=False))


def occupants(transaction: Transaction[V], place: Place) -> list[bytes]:
    """Return the names of what lies just at a place. No other change adds or removes any until the commit."""
    return [unpack(key)[-1] for key, _ in transaction.hold(pack(LIES_AT, *place, END))]


def enter(transaction: Transaction[V], place: Place, name: bytes, value: V) -> None:
    """Note that something lies at a place."""
    key = place_key(place, name)
    transaction.get(key)
    transaction.put(key, value)


def leave(transaction: Transaction[V], place: Place, name: bytes) -> None:
    """Note that something lies at a place no more."""
    transaction.put(place_key(place, name), None)
