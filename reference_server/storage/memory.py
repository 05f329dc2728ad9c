"""The memory backend: one sorted map, gone with the process."""

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
        """See Storage.get."""
        value: V | None = self._map.get(key)
        return value

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, V]]:
        """See Storage.scan."""
        return [(key, self._map[key]) for key in islice(scanned_keys(self._map, prefix, after), limit)]

    def version(self) -> int:
        """See Storage.version."""
        return self._version

    async def commit(
        self,
        expected: Mapping[bytes, V | None],
        writes: Mapping[bytes, V | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """See Storage.commit."""
        if is_conflict(self, expected, writes, empty):
            raise CommitConflict
        self._version += 1
        for key, value in writes.items():
            if value is None:
                self._map.pop(key, None)
            else:
                self._map[key] = compact(value) if isinstance(value, bytes) else value

    def close(self) -> None:
        """See Storage.close."""
        self._map.clear()
