"""One writer for many callers: all that wait while a commit is made durable share the next one.

A commit that costs a millisecond on disk serves one client as well as sixty-four.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Waiting = tuple[T, "asyncio.Future[None]"]


class GroupCommitter(Generic[T]):
    """Hands all commits that wait to `write` at once, in a thread of its own.

    `write` gets the commits in the order in which they came and returns an outcome for each: None, or
    the exception that its caller gets. What it raises itself is the outcome of all of them.
    """

    def __init__(self, write: Callable[[list[T]], list[Exception | None]], name: str) -> None:
        self._write = write
        self._queue: queue.SimpleQueue[Waiting[T] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def commit(self, item: T) -> None:
        """Return when the commit is written; raise its outcome when it is not."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((item, finished))
        await finished

    def close(self) -> None:
        """Write what waits, then stop."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, last = [first], False
            with contextlib.suppress(queue.Empty):
                while (waiting := self._queue.get_nowait()) is not None:
                    batch.append(waiting)
                last = True
            self._finish(batch)
            if last:
                return

    def _finish(self, batch: list[Waiting[T]]) -> None:
        try:
            outcomes = self._write([item for item, _ in batch])
        except Exception as error:  # every caller gets the error
            outcomes = [error] * len(batch)
        for (_, finished), outcome in zip(batch, outcomes, strict=True):
            with contextlib.suppress(RuntimeError):  # the loop of a stopped server is closed
                finished.get_loop().call_soon_threadsafe(_resolve, finished, outcome)


def _resolve(finished: asyncio.Future[None], outcome: Exception | None) -> None:
    if finished.done():
        return
    if outcome is None:
        finished.set_result(None)
    else:
        finished.set_exception(outcome)
