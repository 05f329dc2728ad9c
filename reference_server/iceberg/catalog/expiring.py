"""Stored values with an expiry, under keys that begin with the time.

The size of each kind of values is bounded: the oldest are dropped first. The server counts the sizes of the values that
it stores; values of earlier servers are counted at the first use.
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
"""Number of expired values that are dropped with each new one."""


class Shelf:
    """Sizes and expiries (seconds since 1970) of the values under one prefix."""

    def __init__(self) -> None:
        self._values: SortedDict = SortedDict()
        self._total = 0

    def add(self, key: bytes, size: int, until: float) -> None:
        """Count a value."""
        self.remove(key)
        self._values[key] = size, until
        self._total += size

    def remove(self, key: bytes) -> None:
        """Remove a value from the count."""
        size, _ = self._values.pop(key, (0, 0.0))
        self._total -= size

    def superfluous(self, size: int) -> list[bytes]:
        """Return the keys of values to drop: expired ones first, then the oldest until there is room for `size`."""
        keys: list[bytes] = []
        now, total = time.time(), self._total + size
        for key, (kept, until) in self._values.items():
            if total <= limits.KEPT and (until >= now or len(keys) >= SWEPT):
                break
            keys.append(key)
            total -= kept
        return keys


class ExpiringValues:
    """Values that a storage keeps until their expiry: JSON objects with the expiry in `until`."""

    def __init__(self, storage: Storage[bytes]) -> None:
        self._storage = storage
        self._shelves: dict[bytes, Shelf] = {}

    async def put(self, transaction: Transaction[bytes], prefix: bytes, key: bytes, value: bytes, until: float) -> None:
        """Store a value in a transaction, and drop older ones with the same prefix that exceed the limit."""
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
        """Count the values of an earlier server, one at a time: they may be large."""
        shelf, last = Shelf(), None
        while rows := self._storage.scan(prefix, last, 1):
            ((last, value),) = rows
            shelf.add(last, len(value), orjson.loads(value)["until"])
            await asyncio.sleep(0)
        return self._shelves.setdefault(prefix, shelf)
