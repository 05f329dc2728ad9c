"""Parallel runs, each in its own process, shown as one."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from os import environ
from subprocess import Popen
from typing import Any

from conformance.values.activity import doing, present
from conformance.values.exit_codes import EXIT_INTERRUPTED
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from lakeproof.cli import COLLECT_AFTER
from lakeproof.command_line import command_line
from lakeproof.interruptions import INTERRUPTIONS, held_back
from lakeproof.own_process import start_process
from lakeproof.progress import ProgressListener, every_second
from lakeproof.shown_run import Ended, run_to_end
from specs.problems import Problem

Given = Mapping[str, Any]
INTERRUPTED = (EXIT_INTERRUPTED, -signal.SIGTERM)  # exit codes of an interrupted run without results


@dataclass(frozen=True, slots=True)
class Selected:
    """Message with the kinds of the requirements that a run tests."""

    kinds: list[str]


@dataclass(frozen=True, slots=True)
class Tested:
    """Message with a verdict of a run."""

    id: str
    verdict: str
    kind: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Doing:
    """Message with the present activity of a run."""

    text: str


class PipeListener:
    """Listener that sends the progress of a run to another process, and interrupts the run if that process is gone."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._doing = ""

    def selected(self, requirements: list[Requirement]) -> None:
        """Send the kinds of the selected requirements."""
        self._tell(Selected([requirement.kind for requirement in requirements]))

    def tested(self, result: Result) -> None:
        """Send a verdict."""
        self._tell(Tested(result.id, result.verdict, result.kind, result.seconds))

    def tell_activity(self) -> None:
        """Send the present activity if it has changed; called in another thread than the run's."""
        before, self._doing = self._doing, present()
        if self._doing != before:
            self._tell(Doing(self._doing))

    def _tell(self, news: Selected | Tested | Doing) -> None:
        try:
            with held_back(), self._lock:  # after half a message the reader could not parse the rest
                self._pipe.send(news)
        except OSError:
            signal.raise_signal(signal.SIGINT)


@dataclass(frozen=True)
class ActiveRun:
    """Active run in another process."""

    name: str
    process: Popen[bytes]
    pipe: Connection[Any, Any]

    def interrupt(self) -> None:
        """Interrupt the run, which cleans up and sends its results; a run that has not started just ends."""
        if self.process.poll() is None:
            self.process.terminate()


def run_side_by_side(runs: Mapping[str, Given], most: int) -> dict[str, Ended]:
    """Run `check` with each of these arguments, at most `most` in parallel, and return the completed runs by name.

    An interruption ends all of them; runs that have not started are left out. Raises Problem if a run does, and
    RuntimeError if the process of a run ends without results.
    """
    ended: dict[str, Ended] = {}
    activities: dict[str, str] = {}
    waiting = list(runs)
    with ProgressListener() as listener, doing(partial(_together, activities)), ExitStack() as stack:
        active: list[ActiveRun] = []
        while waiting or active:
            with _interrupting(active, waiting):
                while waiting and len(active) < most:
                    active.append(stack.enter_context(_started(waiting[0], runs[waiting[0]])))
                    del waiting[0]
                ready = wait([run.pipe for run in active])
                with held_back():  # after half a message the rest would be read as another one
                    for run in [run for run in active if run.pipe in ready]:
                        if _hear(run, listener, activities, ended):
                            active.remove(run)
                            activities.pop(run.name, None)
    return {name: ended[name] for name in runs if name in ended}


@contextmanager
def _interrupting(active: list[ActiveRun], waiting: list[str]) -> Iterator[None]:
    """Pass an interruption on to the active runs, and start no other."""
    try:
        yield
    except KeyboardInterrupt:
        waiting.clear()
        for run in active:
            run.interrupt()


@contextmanager
def _started(name: str, given: Given) -> Iterator[ActiveRun]:
    here, there = Pipe()
    run = ActiveRun(name, start_process(__name__, run_for.__name__, there, environ), here)
    with suppress(OSError):  # the process has ended: its pipe is closed then
        here.send((command_line(), dict(given)))
    try:
        yield run
    finally:
        here.close()
        run.interrupt()
        run.process.wait()


def _together(activities: Mapping[str, str]) -> str:
    """Return the activities of several runs on one line."""
    return "; ".join(f"{name}: {text}" for name, text in list(activities.items()) if text)


def _hear(run: ActiveRun, listener: ProgressListener, activities: dict[str, str], ended: dict[str, Ended]) -> bool:
    """Receive a message of a run; return True if the run is over. Raises as `run_side_by_side`."""
    try:
        said = run.pipe.recv()
    except (EOFError, OSError):
        if (code := run.process.wait()) in INTERRUPTED:
            return True
        raise RuntimeError(f"the run of {run.name} ended with code {code}") from None
    match said:
        case Selected(kinds):
            listener.expect(kinds)
        case Tested(id, verdict, kind, seconds):
            listener.note(id, verdict, kind, seconds, run.name)
        case Doing(text):
            activities[run.name] = text
        case Problem():
            raise said
        case _:
            ended[run.name] = said
            return True
    return False


def run_for(descriptor: int) -> None:
    """Receive the arguments of a run through a pipe, test, and send the progress and the completed run."""
    gc.set_threshold(*COLLECT_AFTER)
    for number in INTERRUPTIONS:  # a shell starts background jobs with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    try:
        with suppress(EOFError):  # the other process is gone
            _run(Connection(descriptor))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _run(pipe: Connection[Any, tuple[str, Given]]) -> None:
    command, given = pipe.recv()
    listener = PipeListener(pipe)
    try:
        with every_second(listener.tell_activity):
            ended: Ended | Problem = run_to_end(None, listener=listener, command=command, **given)
    except Problem as problem:
        ended = problem
    for number in INTERRUPTIONS:
        signal.signal(number, signal.SIG_IGN)  # the run is over: send it and end
    with suppress(OSError):
        pipe.send(ended)
