"""Memory backend: one sorted map that ends with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Generic, TypeVar

from sortedcontainers import SortedDict

from reference_server.json_text import compact
from reference_server.storage import CommitConflict, is_conflict, scanned_keys

V = TypeVar("V")


class MemoryStorage(Generic[V]):
    """A sorted map in memory. It belongs to one event loop: a commit runs without interruption."""

    def __init__(self) -> None:
        self._map: SortedDict = SortedDict()
        self._version = 0

    def get(self, key: bytes) -> V | None:
        """Return the value of `key`, or None."""
        value: V | None = self._map.get(key)
        return value

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, V]]:
        """Return pairs whose key starts with `prefix`, in key order; see Storage.scan."""
        return [(key, self._map[key]) for key in islice(scanned_keys(self._map, prefix, after), limit)]

    def version(self) -> int:
        """Return the number of commits so far."""
        return self._version

    async def commit(
        self,
        expected: Mapping[bytes, V | None],
        writes: Mapping[bytes, V | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """Write all of `writes` without interruption, or raise CommitConflict; see Storage.commit."""
        if is_conflict(self, expected, writes, empty):
            raise CommitConflict
        self._version += 1
        for key, value in writes.items():
            if value is None:
                self._map.pop(key, None)
            else:
                self._map[key] = compact(value) if isinstance(value, bytes) else value

    def close(self) -> None:
        """Drop all values."""
        self._map.clear()
