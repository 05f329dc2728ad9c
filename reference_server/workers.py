"""Threads for blocking or long work: a request that hangs never stops the others.

A thread cannot be interrupted. A thread whose work outlives its deadline is given up and replaced, and no thread keeps
the process alive: the server ends without waiting for it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

from reference_server import limits

P = ParamSpec("P")
T = TypeVar("T")
MOST_GIVEN_UP = 32
"""Maximum number of replaced threads; beyond it, requests share the remaining threads."""
Job = tuple["Future[Any]", Callable[[], Any]]


class Workers(Executor):
    """Executor of at most `count` working threads, beside those that are given up after `deadline` seconds."""

    def __init__(self, count: int, name: str, deadline: float = limits.DEADLINE) -> None:
        self._count = count
        self._name = name
        self._deadline = deadline
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: set[threading.Thread] = set()
        self._busy: dict[threading.Thread, float] = {}
        self._unbegun = 0  # jobs that no thread has begun; a job leaves the queue a moment before its thread is busy
        self._lock = threading.Lock()

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call for the next free thread and return its future."""
        future: Future[T] = Future()
        with self._lock:
            self._jobs.put((future, partial(function, *args, **kwargs)))
            self._unbegun += 1
            self._add_thread()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop the threads; with `wait`, wait at most `limits.STOP` seconds for them."""
        end = time.monotonic() + limits.STOP
        with self._lock:
            threads = list(self._threads)
        while cancel_futures and not self._jobs.empty():
            job = self._jobs.get()
            if job is not None:
                job[0].cancel()
        for _ in threads:
            self._jobs.put(None)
        for thread in threads if wait else ():
            thread.join(max(0.0, end - time.monotonic()))

    def _add_thread(self) -> None:
        """Start a thread if none waits for work and fewer than `count` work."""
        given_up = self._given_up()
        waiting = len(self._threads) - len(self._busy)
        if waiting < self._unbegun and len(self._threads) - given_up < self._count:
            thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._threads.add(thread)
            thread.start()

    def _given_up(self) -> int:
        now = time.monotonic()
        late = sum(now - since > self._deadline for since in self._busy.values())
        return min(late, MOST_GIVEN_UP)

    def _run(self) -> None:
        me = threading.current_thread()
        while (job := self._jobs.get()) is not None:
            with self._lock:
                self._busy[me] = time.monotonic()
                self._unbegun -= 1
            _carry_out(*job)
            del job
            with self._lock:
                del self._busy[me]
                if len(self._threads) - self._given_up() > self._count:
                    break  # it was given up and replaced
        with self._lock:
            self._threads.discard(me)


def _carry_out(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        outcome = work()
    except BaseException as error:  # a panic of a native library is not an Exception
        future.set_exception(error)
    else:
        future.set_result(outcome)
