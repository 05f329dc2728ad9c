"""A worker: tests the requirements that it receives, one after another, in its own process.

The suite is imported and collected once: each worker is a fork of the process that did it. A worker runs the suite's
own plugin under pytest; only the order comes through the pipe, and the observations go there.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import pytest

from conformance.apis import place_of
from conformance.author.requirement import requirement_of
from conformance.http.exchange_log import ExchangeBuffer
from conformance.run.collecting import packages_of, run_pytest
from conformance.run.job_messages import AnyPipe, End, News, Rest, Start, Task
from conformance.run.ledger import Judged
from conformance.run.plugin import SuitePlugin
from conformance.run.session import Session
from conformance.target.target import connect
from conformance.values.purposes import Purpose
from conformance.values.results import Result


class Worker(SuitePlugin):
    """The plugin of the workers, which test the requirements that they receive; `pipes` connect them to the run."""

    def __init__(self, start: Start, pipe: AnyPipe, pipes: Sequence[AnyPipe]) -> None:
        target = connect(start.settings)
        target.take(start.found)
        self._log = ExchangeBuffer()
        super().__init__(Session(start.settings, ids=start.ids, known=target, log=self._log))
        self.beside_others = len(pipes) > 1
        self._pipe = pipe
        self._pipes = pipes
        self._counted = 0
        self._purposes = Counter[Purpose]()
        self._shown: Judged | None = None  # of the current requirement
        self._traffic = (0, 0, 0, 0.0)
        target.client.traffic.ends = start.ends

    def tests_again(self) -> Sequence[object]:
        """Return no plugin: the run tests again, when its workers have ended."""
        return ()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Fork the workers; in each, test the requirements from the pipe until the run ends it."""
        items = {requirement.id: item for item in session.items if (requirement := requirement_of(item))}
        number = fork(self._pipe, self._pipes)
        self._pipe = self._pipes[number]
        self.session.target.share_names(number, len(self._pipes) + 1)
        signal.signal(signal.SIGINT, self.interruptions.interrupt)
        while task := _next(self._pipe):
            self.session.ledger.elsewhere.update(task.verdicts)
            self.session.client.known.done.update(task.done)
            # The next requirement is unknown: only fixtures of the whole session stay, such as the grants of a matrix.
            self._shown, started = None, time.monotonic()
            items[task.id].config.hook.pytest_runtest_protocol(item=items[task.id], nextitem=session)
            with contextlib.suppress(OSError):  # the run has ended abruptly: there is no next task
                self._pipe.send(self._news(task.id, self._shown, started))
        return True

    def finish(self, session: pytest.Session, exitstatus: int) -> None:
        """Drop the created objects, and send the last message."""
        own = self.session
        try:
            own.target.sandbox.clean_up()
        except Exception:  # a bug of the kit, which changes no verdict
            own.kit_errors.append(traceback.format_exc())
        sandbox, cells = own.target.sandbox, own.cells
        news = self._news("", None, time.monotonic())
        with contextlib.suppress(OSError):  # nobody listens any more
            notes = sandbox.doubtful, sandbox.registrations, sandbox.restricts
            self._pipe.send(Rest(news, cells.seen, cells.read, *notes, own.kit_errors))
        own.finish()

    def take(self, judged: Judged) -> Result:
        """Store the facts of a test, also for the message to the run."""
        result = super().take(judged)
        if result is not self.last:
            self._shown = judged
        return result

    def put_off(self) -> None:
        """Keep no verdict on a suspect: the run tests it again."""
        super().put_off()
        self._shown = None

    def _news(self, id: str, judged: Judged | None, started: float) -> News:
        client = self.session.client
        traffic, before = client.traffic, self._traffic
        self._traffic = (traffic.requests, traffic.broken, traffic.waits, traffic.waited)
        sent, self._counted = client.requests - self._counted, client.requests
        purposes = client.recording.purposes - self._purposes
        self._purposes += purposes
        return News(
            id,
            judged,
            self._log.take(),
            sent,
            purposes,
            (
                traffic.requests - before[0],
                traffic.broken - before[1],
                traffic.waits - before[2],
                traffic.waited - before[3],
            ),
            frozenset(client.known.done),
            client.wire.take(),
            *self.suspects.drain(),
            (started, time.monotonic()),
            End.of(traffic.stopped) if traffic.stopped else None,
        )


def fork(pipe: AnyPipe, pipes: Sequence[AnyPipe]) -> int:
    """Fork a process for each pipe; return the pipe's number in each, with the other pipes closed.

    The calling process never returns: it reports the exit codes of the others on the first pipe, and ends with the
    last.
    """
    gc.freeze()  # present objects stay: the forks need not collect them
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
    except EOFError:  # the run has ended abruptly
        return None
    return task


def work(descriptors: Sequence[int]) -> None:
    """Run the fork server: `descriptors` are those of its own pipe and of the workers' pipes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run ends this process
    pipes: list[Connection[Any, Any]] = [Connection(descriptor) for descriptor in descriptors]
    try:
        start: Start = pipes[0].recv()
    except EOFError:
        return
    worker = Worker(start, pipes[0], pipes[1:])
    suites = packages_of(start.settings, worker.session.target.profile)
    sys.exit(run_pytest([str(place_of(suite)) for suite in suites], [worker]))
