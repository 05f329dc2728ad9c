"""What follows from a storage alone, kept as long as the storage is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

MOST = 10_000
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Versioned(Protocol):
    """What has a version that changes with every commit, from any process."""

    def version(self) -> Hashable:
        """See Storage.version."""


class Remembered(Generic[K, V]):
    """Calls a function that reads a storage, once for each argument and version of the storage.

    The version is compared at each call, never a clock: a commit holds from the next call. What the function raises is
    not kept. Of values, as many are kept as have up to `most` together, by what `measure` says of each; a larger one is
    not. Several threads may call it.
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
        """Return what the function returns for an argument in the present version of the storage."""
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
