"""Directory listing cache, keyed by mtime: a listing costs only the new names."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
CLOCK_TICK = 0.05  # seconds within which a folder may change without a new time stamp


class FolderListing(NamedTuple, Generic[T]):
    """The names in a folder, and the items that `read` returned for them, sorted."""

    names: AbstractSet[str]
    items: Sequence[T]


class FolderNames(Generic[T]):
    """A folder whose names are read again when its time stamp has changed, or is too recent to be trusted.

    `read` returns the item of a name, or None. Listings are never changed: several threads may use them.
    """

    def __init__(self, folder: Path, read: Callable[[str], T | None]) -> None:
        self._folder = folder
        self._read = read
        self._kept: tuple[int, bool, FolderListing[T]] = (0, False, FolderListing(frozenset(), []))

    def listing(self) -> FolderListing[T]:
        """Return the current listing, an empty one for a missing folder."""
        stamp, trusted, before = self._kept
        try:
            now = self._folder.stat().st_mtime_ns
            if trusted and stamp == now:
                return before
            names = frozenset(os.listdir(self._folder))  # noqa: PTH208 - paths of 100,000 names take long
        except FileNotFoundError:
            return FolderListing(frozenset(), [])
        after = FolderListing(names, self._items(before, names))
        self._kept = (now, time.time_ns() - now > CLOCK_TICK * 1e9, after)
        return after

    def _items(self, before: FolderListing[T], names: AbstractSet[str]) -> Sequence[T]:
        gone = {item for name in before.names - names if (item := self._read(name)) is not None}
        added: list[Any] = [item for name in names - before.names if (item := self._read(name)) is not None]
        if not gone and not added:
            return before.items
        return sorted(
            [*(item for item in before.items if item not in gone), *added] if gone else [*before.items, *added]
        )
