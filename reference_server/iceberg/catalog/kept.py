"""What a storage keeps for a time, under keys that begin with the time: so much of each kind, and the oldest go.

How much there is, is counted by the server that keeps it; what is there at its first use is counted then.
"""

from __future__ import annotations

import asyncio
import time

import orjson
from sortedcontainers import SortedDict

from reference_server import limits
from reference_server.storage import Storage
from reference_server.storage.transactions import Transaction

SWEPT = 100
"""How many values that have expired go with each new one."""


class Shelf:
    """The sizes of the values under one prefix, and until when they are kept (seconds since 1970)."""

    def __init__(self) -> None:
        self._values: SortedDict = SortedDict()
        self._total = 0

    def add(self, key: bytes, size: int, until: float) -> None:
        """Count a value."""
        self.remove(key)
        self._values[key] = size, until
        self._total += size

    def remove(self, key: bytes) -> None:
        """Count a value no more."""
        size, _ = self._values.pop(key, (0, 0.0))
        self._total -= size

    def superfluous(self, size: int) -> list[bytes]:
        """Return the keys of values that go: the first that have expired, and the oldest to make room for `size`."""
        keys: list[bytes] = []
        now, total = time.time(), self._total + size
        for key, (kept, until) in self._values.items():
            if total <= limits.KEPT and (until >= now or len(keys) >= SWEPT):
                break
            keys.append(key)
            total -= kept
        return keys


class Kept:
    """The values that a storage keeps for a time: JSON objects that say `until` when."""

    def __init__(self, storage: Storage[bytes]) -> None:
        self._storage = storage
        self._shelves: dict[bytes, Shelf] = {}

    async def put(self, transaction: Transaction[bytes], prefix: bytes, key: bytes, value: bytes, until: float) -> None:
        """Let a transaction keep a value, in place of older ones with the same prefix where they are too much."""
        shelf = self._shelves.get(prefix) or await self._counted(prefix)
        superfluous = [old for old in shelf.superfluous(len(value)) if old != key]
        for old in superfluous:
            transaction.put(old, None)
        transaction.put(key, value)

        async def count() -> None:
            for old in superfluous:
                shelf.remove(old)
            shelf.add(key, len(value), until)

        transaction.on_commit(count)

    async def _counted(self, prefix: bytes) -> Shelf:
        """Count what an earlier server has left, one value at a time: they may be large."""
        shelf, last = Shelf(), None
        while rows := self._storage.scan(prefix, last, 1):
            ((last, value),) = rows
            shelf.add(last, len(value), orjson.loads(value)["until"])
            await asyncio.sleep(0)
        return self._shelves.setdefault(prefix, shelf)
