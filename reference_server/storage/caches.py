"""Caches of values read from a storage: one per version of the storage, one per turn of the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

MOST = 10_000
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Versioned(Protocol):
    """An object with a version that changes with every commit, from any process."""

    def version(self) -> Hashable:
        """Return a value that changes with every commit, from any process."""


class VersionedCache(Generic[K, V]):
    """Caches a function that reads a storage, for each argument and version of the storage.

    The version is compared at each call, never a clock: a commit is visible at the next call. Exceptions are not
    cached. `measure` returns the size of a value; values are cached up to a total of `most`, and a larger one is not.
    Several threads may call it.
    """

    def __init__(
        self, storage: Versioned, look_up: Callable[[K], V], measure: Callable[[V], int] = lambda _: 1, most: int = MOST
    ) -> None:
        self._storage = storage
        self._look_up = look_up
        self._measure = measure
        self._most = most
        self._size = 0
        self._kept: tuple[Hashable, dict[K, V]] = (None, {})

    def __call__(self, key: K) -> V:
        """Return the function's result for an argument in the current version of the storage."""
        version = self._storage.version()
        before, known = self._kept
        if version != before or self._size >= self._most:
            known = {}
            self._kept, self._size = (version, known), 0
        if key in known:
            return known[key]
        value = self._look_up(key)
        size = self._measure(value)
        if size < self._most:
            known[key] = value
            self._size += size
        return value


class RefreshPerTick(Generic[T]):
    """Calls a function once per turn of the event loop: later calls in the turn return the same result.

    A request that comes after a change of another process is read in a later turn. Threads have no turns: each of their
    calls calls the function.
    """

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._seen: list[T] = []
        self._seen_in = 0  # thread of the loop during its turn

    def __call__(self) -> T:
        """Return the function's result of this turn. Raises the function's errors."""
        if self._seen_in == threading.get_ident():
            return self._seen[0]
        value = self._look()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return value
        loop.call_soon(self._end)
        self._seen, self._seen_in = [value], threading.get_ident()
        return value

    def _end(self) -> None:
        self._seen, self._seen_in = [], 0
