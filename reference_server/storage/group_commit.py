"""Group commit: all callers that wait while a commit is made durable share the next one.

A commit that costs a millisecond on disk serves sixty-four clients as well as one. Clients whose commits end together
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
"""Time that the next commit waits for more, as a fraction of the last one's duration."""


class GroupCommitter(Generic[T]):
    """Hands all waiting commits to `write` at once, in a thread of its own.

    `write` gets the commits in the order of their arrival and returns an outcome for each: None, or the exception for
    its caller. An exception of `write` itself is the outcome of all of them.
    """

    def __init__(self, write: Callable[[list[T]], list[Exception | None]], name: str) -> None:
        self._write = write
        self._queue: queue.SimpleQueue[Waiting[T] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def commit(self, item: T) -> None:
        """Wait until the commit is written; raise its exception when it is not."""
        finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((item, finished))
        await finished

    def close(self) -> None:
        """Write the waiting commits, then stop."""
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
        """Return the waiting commits, and False after the last; waits a moment for as many as are expected."""
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
