"""Transactions: a change that is built from what is there, committed, and built again when another commit came first.

What a change reads through its transaction must be so still when its writes are committed: that makes it atomic.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from sortedcontainers import SortedDict

from reference_server.storage import CommitConflict, Storage, scanned_keys

ATTEMPTS = 50
V = TypeVar("V")
T = TypeVar("T")
Action = Callable[[], Awaitable[None]]


class Transaction(Generic[V]):
    """A storage seen through the writes of one change; every read is recorded.

    `expected` and `writes` are the arguments of the commit. Actions may be left that undo what the change did
    outside of the storage, or that finish it.
    """

    def __init__(self, storage: Storage[V]) -> None:
        self._storage = storage
        self.expected: dict[bytes, V | None] = {}
        self.writes: SortedDict = SortedDict()
        self._empty: list[bytes] = []
        self._undo: list[Action] = []
        self._finish: list[Action] = []

    def get(self, key: bytes) -> V | None:
        """Return the value of a key after the writes so far; what is stored has to stay so until the commit."""
        if key in self.writes:
            written: V | None = self.writes[key]
            return written
        if key not in self.expected:
            self.expected[key] = self._storage.get(key)
        return self.expected[key]

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, V]]:
        """Return what is there after the writes so far: see Storage.scan. That it stays so is not required."""
        written = {key: self.writes[key] for key in scanned_keys(self.writes, prefix, after)}
        stored = self._storage.scan(prefix, after, None if limit is None else limit + len(written))
        entries: dict[bytes, V | None] = {**dict(stored), **written}
        return [(key, value) for key in sorted(entries) if (value := entries[key]) is not None][:limit]

    def hold(self, prefix: bytes) -> list[tuple[bytes, V]]:
        """Return what `scan` returns; what is stored there has to stay so until the commit.

        A key there that this change adds has to be read first.
        """
        for key, _ in self._storage.scan(prefix):
            self.get(key)
        self._empty.append(prefix)
        return self.scan(prefix)

    def put(self, key: bytes, value: V | None) -> None:
        """Write a value with the commit; None deletes the key."""
        self.writes[key] = value

    def require_empty(self, *prefixes: bytes) -> None:
        """Commit only if no key is left under these prefixes."""
        self._empty += prefixes

    def on_undo(self, action: Action) -> None:
        """Run this when nothing was written: the change was refused, or another commit came first."""
        self._undo.append(action)

    def on_commit(self, action: Action) -> None:
        """Run this after everything was written."""
        self._finish.append(action)

    async def commit(self) -> None:
        """Write everything, or nothing and raise CommitConflict. A transaction without writes needs no commit."""
        if self.writes:
            await self._storage.commit(self.expected, self.writes, self._empty)

    async def run(self, build: Callable[[Transaction[V]], Awaitable[T]]) -> T:
        """Build the change and commit it, once. Raises what `build` raises, and CommitConflict.

        Only a conflict is sure to have written nothing: after any other failure of the commit nothing is undone.
        """
        try:
            outcome = await build(self)
        except BaseException:
            await _run_all(self._undo)
            raise
        try:
            await self.commit()
        except CommitConflict:
            await _run_all(self._undo)
            raise
        await _run_all(self._finish)
        return outcome


async def transact(
    storage: Storage[V], build: Callable[[Transaction[V]], Awaitable[T]], contended: Callable[[], Exception]
) -> T:
    """Carry out a change and return what `build` returns.

    `build` reads and writes through the transaction that it is given, and is called again with a new one when what
    it has read did not last. Raises what it raises, and what `contended` makes when others never let it through.
    """
    for _ in range(ATTEMPTS):
        with suppress(CommitConflict):
            return await Transaction(storage).run(build)
    raise contended()


async def _run_all(actions: list[Action]) -> None:
    for action in actions:
        await action()
