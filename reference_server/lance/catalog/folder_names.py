"""What the names in a folder say, kept while the folder stays as it is: a look at a folder costs what is new in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
CLOCK_TICK = 0.05  # seconds within which a folder may change without a new time stamp


class Listing(NamedTuple, Generic[T]):
    """The names in a folder, and what `read` made of them, sorted."""

    names: AbstractSet[str]
    items: Sequence[T]


class FolderNames(Generic[T]):
    """A folder whose names are read again when its time stamp is another one, or too young to be trusted.

    `read` makes an item of a name, or None. What is returned is never changed: several threads may ask.
    """

    def __init__(self, folder: Path, read: Callable[[str], T | None]) -> None:
        self._folder = folder
        self._read = read
        self._kept: tuple[int, bool, Listing[T]] = (0, False, Listing(frozenset(), []))

    def listing(self) -> Listing[T]:
        """Return what is in the folder now; nothing when there is none."""
        stamp, trusted, before = self._kept
        try:
            now = self._folder.stat().st_mtime_ns
            if trusted and stamp == now:
                return before
            names = frozenset(os.listdir(self._folder))  # noqa: PTH208 - paths of 100,000 names take long
        except FileNotFoundError:
            return Listing(frozenset(), [])
        after = Listing(names, self._items(before, names))
        self._kept = (now, time.time_ns() - now > CLOCK_TICK * 1e9, after)
        return after

    def _items(self, before: Listing[T], names: AbstractSet[str]) -> Sequence[T]:
        gone = {item for name in before.names - names if (item := self._read(name)) is not None}
        added: list[Any] = [item for name in names - before.names if (item := self._read(name)) is not None]
        if not gone and not added:
            return before.items
        return sorted(
            [*(item for item in before.items if item not in gone), *added] if gone else [*before.items, *added]
        )
