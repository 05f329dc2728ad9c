"""A worker: tests the requirements that it is given, one after another, in a process of its own.

It is the suite's own plugin under pytest; only the order comes from elsewhere, and what it sees goes there.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any

import pytest

from conformance.apis import PACKAGE, place_of
from conformance.exchange_log import ExchangeBuffer
from conformance.job_messages import End, News, Rest, Start, Task
from conformance.plugin import SuitePlugin, requirement_of
from conformance.results import Result
from conformance.runner import run_pytest
from conformance.session import Session
from conformance.target import connect


class Worker(SuitePlugin):
    """The plugin of a worker. What it tests is what it is told to test."""

    def __init__(self, start: Start, pipe: Connection[Any, Any]) -> None:
        target = connect(start.settings)
        target.take(start.found, start.number, start.of)
        self._log = ExchangeBuffer()
        super().__init__(Session(start.settings, ids=start.ids, known=target, log=self._log))
        self._pipe = pipe
        self._counted = 0
        self._traffic = (0, 0, 0, 0.0)
        target.client.traffic.ends = start.ends

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Test what comes through the pipe until there is nothing more to do."""
        items = {one.id: item for item in session.items if (one := requirement_of(item))}
        signal.signal(signal.SIGINT, signal.default_int_handler)
        while task := _next(self._pipe):
            self.session.elsewhere.update(task.verdicts)
            self.session.client.known.done.update(task.done)
            items[task.id].config.hook.pytest_runtest_protocol(item=items[task.id], nextitem=None)
            self._pipe.send(self._news(task.id, self._judged))
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
            self.lacking.get(id),
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


def _next(pipe: Connection[Any, Any]) -> Task | None:
    try:
        task: Task | None = pipe.recv()
    except EOFError:  # the run has ended without a word
        return None
    return task


def work(descriptor: int) -> None:
    """Be a worker at the other end of a pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run says when it is over
    pipe: Connection[Any, Any] = Connection(descriptor)
    try:
        start: Start = pipe.recv()
    except EOFError:
        return
    worker = Worker(start, pipe)
    suites = [f"{PACKAGE}.{suite}" for suite in worker.session.target.profile.suites]
    sys.exit(run_pytest([str(place_of(suite)) for suite in suites], [worker]))
