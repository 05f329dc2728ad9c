"""Transactions: a change is built on the current state, committed, and built again after a conflict.

The reads of a change through its transaction must still hold when its writes are committed: that makes it atomic.
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

    `expected` and `writes` are the arguments of the commit. Registered actions undo or finish the effects of the change
    outside of the storage.
    """

    def __init__(self, storage: Storage[V]) -> None:
        self._storage = storage
        self.expected: dict[bytes, V | None] = {}
        self.writes: SortedDict = SortedDict()
        self._empty: list[bytes] = []
        self._undo: list[Action] = []
        self._finish: list[Action] = []

    def get(self, key: bytes) -> V | None:
        """Return the value of a key after the writes so far; the stored value must not change until the commit."""
        if key in self.writes:
            written: V | None = self.writes[key]
            return written
        if key not in self.expected:
            self.expected[key] = self._storage.get(key)
        return self.expected[key]

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, V]]:
        """Return the pairs of a scan after the writes so far: see Storage.scan. They may change until the commit."""
        written = {key: self.writes[key] for key in scanned_keys(self.writes, prefix, after)}
        stored = self._storage.scan(prefix, after, None if limit is None else limit + len(written))
        entries: dict[bytes, V | None] = {**dict(stored), **written}
        return [(key, value) for key in sorted(entries) if (value := entries[key]) is not None][:limit]

    def hold(self, prefix: bytes) -> list[tuple[bytes, V]]:
        """Return the pairs of `scan`; the stored pairs must not change until the commit.

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
        """Run an action if nothing is written: the change is refused, or another commit comes first."""
        self._undo.append(action)

    def on_commit(self, action: Action) -> None:
        """Run an action after everything is written."""
        self._finish.append(action)

    async def commit(self) -> None:
        """Write everything, or nothing and raise CommitConflict. A transaction without writes needs no commit."""
        if self.writes:
            await self._storage.commit(self.expected, self.writes, self._empty)

    async def run(self, build: Callable[[Transaction[V]], Awaitable[T]]) -> T:
        """Build the change and commit it, once. Raises the errors of `build`, and CommitConflict.

        Only a conflict is certain to have written nothing: after any other failure of the commit nothing is undone.
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
    """Run a change until it is committed, and return the result of `build`.

    `build` reads and writes through its transaction, and is called again with a new one after a conflict. Raises the
    errors of `build`, and the error of `contended` after too many conflicts.
    """
    for _ in range(ATTEMPTS):
        with suppress(CommitConflict):
            return await Transaction(storage).run(build)
    raise contended()


async def _run_all(actions: list[Action]) -> None:
    for action in actions:
        await action()
