"""What follows from a storage alone, kept as long as the storage is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from reference_server.storage import Storage

MOST = 10_000
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Calls a function that reads a storage, once for each argument and version of the storage.

    The version is compared at each call, never a clock: a commit holds from the next call. What the function raises is
    not kept.
    """

    def __init__(self, storage: Storage[Any], look_up: Callable[[K], V]) -> None:
        self._storage = storage
        self._look_up = look_up
        self._version: Hashable = None
        self._known: dict[K, V] = {}

    def __call__(self, key: K) -> V:
        """Return what the function returns for an argument in the present version of the storage."""
        version = self._storage.version()
        if version != self._version or len(self._known) >= MOST:
            self._version, self._known = version, {}
        if key not in self._known:
            self._known[key] = self._look_up(key)
        return self._known[key]
