"""A worker: tests the requirements that it is given, one after another, in a process of its own.

What all workers need is imported and collected once: each is a fork of the process that did it.

It is the suite's own plugin under pytest; only the order comes from elsewhere, and what it sees goes there.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import pytest

from conformance.apis import place_of
from conformance.author.requirement import requirement_of
from conformance.http.exchange_log import ExchangeBuffer
from conformance.run.collecting import packages_of, run_pytest
from conformance.run.job_messages import End, News, Rest, Start, Task
from conformance.run.plugin import SuitePlugin
from conformance.run.session import Session
from conformance.target.target import connect
from conformance.values.results import Result

if TYPE_CHECKING:
    from conformance.run.crew import AnyPipe


class Worker(SuitePlugin):
    """The plugin of the workers: `pipes` are theirs. What each tests is what it is told to test."""

    def __init__(self, start: Start, pipe: AnyPipe, pipes: Sequence[AnyPipe]) -> None:
        target = connect(start.settings)
        target.take(start.found)
        self._log = ExchangeBuffer()
        super().__init__(Session(start.settings, ids=start.ids, known=target, log=self._log))
        self._pipe = pipe
        self._pipes = pipes
        self._counted = 0
        self._traffic = (0, 0, 0, 0.0)
        target.client.traffic.ends = start.ends

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Become the workers; test what comes through the pipe until there is nothing more to do."""
        items = {requirement.id: item for item in session.items if (requirement := requirement_of(item))}
        number = fork(self._pipe, self._pipes)
        self._pipe = self._pipes[number]
        self.session.target.share_names(number, len(self._pipes) + 1)
        signal.signal(signal.SIGINT, self.interrupt)
        while task := _next(self._pipe):
            self.session.elsewhere.update(task.verdicts)
            self.session.client.known.done.update(task.done)
            # What follows is unknown: all is torn down but what the whole session has, such as the grants of a matrix.
            items[task.id].config.hook.pytest_runtest_protocol(item=items[task.id], nextitem=session)
            with contextlib.suppress(OSError):  # the run has ended without a word, as the next task will tell
                self._pipe.send(self._news(task.id, self._verdict))
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Drop what was made, and tell the rest."""
        own = self.session
        try:
            own.target.sandbox.clean_up()
        except Exception:  # a bug of the kit, which takes no verdict away
            own.kit_errors.append(traceback.format_exc())
        sandbox, cells = own.target.sandbox, own.cells
        news = self._news("", None)
        with contextlib.suppress(OSError):  # nobody listens any more
            self._pipe.send(Rest(news, cells.seen, cells.read, sandbox.doubtful, sandbox.registrations, own.kit_errors))
        own.finish()

    def _news(self, id: str, result: Result | None) -> News:
        client = self.session.client
        traffic, before = client.traffic, self._traffic
        self._traffic = (traffic.requests, traffic.broken, traffic.waits, traffic.waited)
        sent, self._counted = client.requests - self._counted, client.requests
        return News(
            id,
            result,
            self.lacking.pop(id, None),
            self._log.take(),
            sent,
            (
                traffic.requests - before[0],
                traffic.broken - before[1],
                traffic.waits - before[2],
                traffic.waited - before[3],
            ),
            frozenset(client.known.done),
            client.wire.take(),
            End.of(traffic.stopped) if traffic.stopped else None,
        )


def fork(pipe: AnyPipe, pipes: Sequence[AnyPipe]) -> int:
    """Return once for each of the pipes, in a process of its own that has no other pipe, with the pipe's number.

    The process that called never returns: it tells the first pipe how each of the others ended, and ends with the last.
    """
    gc.freeze()  # what is there will stay: no copy need look for garbage in it
    numbers: dict[int, int] = {}
    for number, own in enumerate(pipes):
        if not (process := os.fork()):
            for other in (pipe, *pipes):
                if other is not own:
                    other.close()
            return number
        numbers[process] = number
    for end in pipes:
        end.close()
    while numbers:
        process, status = os.wait()
        with contextlib.suppress(OSError):  # nobody listens any more
            pipe.send((numbers.pop(process), os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _next(pipe: AnyPipe) -> Task | None:
    try:
        task: Task | None = pipe.recv()
    except EOFError:  # the run has ended without a word
        return None
    return task


def work(descriptors: Sequence[int]) -> None:
    """Be the process that workers are forks of: at the other ends of its own pipe and of theirs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run says when it is over
    pipes: list[Connection[Any, Any]] = [Connection(descriptor) for descriptor in descriptors]
    try:
        start: Start = pipes[0].recv()
    except EOFError:
        return
    worker = Worker(start, pipes[0], pipes[1:])
    suites = packages_of(start.settings, worker.session.target.profile)
    sys.exit(run_pytest([str(place_of(suite)) for suite in suites], [worker]))
