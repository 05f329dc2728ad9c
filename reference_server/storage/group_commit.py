"""One writer for many callers: all that wait while a commit is made durable share the next one.

A commit that costs a millisecond on disk serves one client as well as sixty-four. Clients that were answered together
soon commit again. The next commit waits a moment for them: otherwise half of them would always miss it.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
Waiting = tuple[T, "asyncio.Future[None]"]
MOMENT = 1 / 4
"""How long the next commit waits for more, as a part of what the last one took."""


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
        expected, moment, is_open = 1, 0.0, True
        while is_open:
            batch, is_open = self._next_batch(expected, moment)
            started = time.monotonic()
            outcomes = self._outcomes(batch)
            moment = MOMENT * (time.monotonic() - started)
            expected = len(batch) + self._queue.qsize()
            for (_, finished), outcome in zip(batch, outcomes, strict=True):
                with contextlib.suppress(RuntimeError):  # the loop of a stopped server is closed
                    finished.get_loop().call_soon_threadsafe(_resolve, finished, outcome)

    def _next_batch(self, expected: int, moment: float) -> tuple[list[Waiting[T]], bool]:
        """Return what waits, and False when it is the last; for as much as is expected it is waited a moment."""
        batch: list[Waiting[T]] = []
        waiting = self._queue.get()
        until = time.monotonic() + moment
        while waiting is not None:
            batch.append(waiting)
            seconds = max(0.0, until - time.monotonic()) if len(batch) < expected else 0.0
            try:
                waiting = self._queue.get(timeout=seconds)
            except queue.Empty:
                return batch, True
        return batch, False

    def _outcomes(self, batch: list[Waiting[T]]) -> list[Exception | None]:
        try:
            return self._write([item for item, _ in batch]) if batch else []
        except Exception as error:  # every caller gets the error
            return [error] * len(batch)


def _resolve(finished: asyncio.Future[None], outcome: Exception | None) -> None:
    if finished.done():
        return
    if outcome is None:
        finished.set_result(None)
    else:
        finished.set_exception(outcome)
