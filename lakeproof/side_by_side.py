"""Runs at the same time, each in a process of its own; they are shown as one."""

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

from conformance.values.requirement import Requirement

from conformance.values.activity import doing, present
from conformance.values.exit_codes import EXIT_INTERRUPTED
from conformance.values.results import Result
from lakeproof.cli import COLLECT_AFTER
from lakeproof.command_line import command_line
from lakeproof.interruptions import INTERRUPTIONS, held_back
from lakeproof.own_process import start_process
from lakeproof.progress import ProgressListener, every_second
from lakeproof.shown_run import Ended, run_to_end
from specs.problems import Problem

Given = Mapping[str, Any]
INTERRUPTED = (EXIT_INTERRUPTED, -signal.SIGTERM)  # how the process of a run ends that has nothing to tell


@dataclass(frozen=True, slots=True)
class Selected:
    """How many requirements a run tests."""

    count: int


@dataclass(frozen=True, slots=True)
class Tested:
    """A verdict of a run."""

    id: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Doing:
    """The present activity of a run."""

    text: str


class PipeListener:
    """Tells another process how a run goes; see Listener. Where nobody hears it any more the run is interrupted."""

    def __init__(self, pipe: Connection[Any, Any]) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._doing = ""

    def selected(self, requirements: list[Requirement]) -> None:
        """See Listener."""
        self._tell(Selected(len(requirements)))

    def tested(self, result: Result) -> None:
        """See Listener."""
        self._tell(Tested(result.id, result.verdict))

    def tell_activity(self) -> None:
        """Tell what the run does, if that is something else than before; for another thread than that of the run."""
        before, self._doing = self._doing, present()
        if self._doing != before:
            self._tell(Doing(self._doing))

    def _tell(self, news: Selected | Tested | Doing) -> None:
        try:
            with held_back(), self._lock:  # half of it would make nonsense of all that follows
                self._pipe.send(news)
        except OSError:
            signal.raise_signal(signal.SIGINT)


@dataclass(frozen=True)
class Run:
    """A run that is under way in another process."""

    name: str
    process: Popen[bytes]
    pipe: Connection[Any, Any]

    def interrupt(self) -> None:
        """Interrupt the run, which cleans up and tells what it has; one that has not begun just ends."""
        if self.process.poll() is None:
            self.process.terminate()


def run_side_by_side(runs: Mapping[str, Given], most: int) -> dict[str, Ended]:
    """Test as `check` does with each of these arguments, `most` at the same time; return how each ended, by name.

    An interruption ends all of them; those that were not begun are left out. Raises Problem where a run does, and
    RuntimeError where the process of one ends without a word.
    """
    ended: dict[str, Ended] = {}
    activities: dict[str, str] = {}
    waiting = list(runs)
    with ProgressListener() as listener, doing(partial(_together, activities)), ExitStack() as stack:
        active: list[Run] = []
        while waiting or active:
            with _interrupting(active, waiting):
                while waiting and len(active) < most:
                    active.append(stack.enter_context(_started(waiting[0], runs[waiting[0]])))
                    del waiting[0]
                ready = wait([run.pipe for run in active])
                with held_back():  # half of a message would be lost, and the rest be taken for another one
                    for run in [run for run in active if run.pipe in ready]:
                        if _hear(run, listener, activities, ended):
                            active.remove(run)
                            activities.pop(run.name, None)
    return {name: ended[name] for name in runs if name in ended}


@contextmanager
def _interrupting(active: list[Run], waiting: list[str]) -> Iterator[None]:
    """Pass an interruption on to the runs that are under way, and begin no other."""
    try:
        yield
    except KeyboardInterrupt:
        waiting.clear()
        for run in active:
            run.interrupt()


@contextmanager
def _started(name: str, given: Given) -> Iterator[Run]:
    here, there = Pipe()
    run = Run(name, start_process(__name__, run_for.__name__, there, environ), here)
    with suppress(OSError):  # it has ended already: nothing is heard of it then
        here.send((command_line(), dict(given)))
    try:
        yield run
    finally:
        here.close()
        run.interrupt()
        run.process.wait()


def _together(activities: Mapping[str, str]) -> str:
    """Return the activities of several runs, in a line."""
    return "; ".join(f"{name}: {text}" for name, text in list(activities.items()) if text)


def _hear(run: Run, listener: ProgressListener, activities: dict[str, str], ended: dict[str, Ended]) -> bool:
    """Take what a run says, and return whether it is over. Raises as `run_side_by_side`."""
    try:
        said = run.pipe.recv()
    except (EOFError, OSError):
        if (code := run.process.wait()) in INTERRUPTED:
            return True
        raise RuntimeError(f"the run of {run.name} ended with code {code}") from None
    match said:
        case Selected(count):
            listener.expect(count)
        case Tested(id, verdict):
            listener.note(id, verdict, run.name)
        case Doing(text):
            activities[run.name] = text
        case Problem():
            raise said
        case _:
            ended[run.name] = said
            return True
    return False


def run_for(descriptor: int) -> None:
    """Test as the other end of a pipe asks for, and tell it how the run goes, and how it ended."""
    gc.set_threshold(*COLLECT_AFTER)
    for number in INTERRUPTIONS:  # a shell starts what is in the background with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    try:
        with suppress(EOFError):  # nobody wants it any more
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
        signal.signal(number, signal.SIG_IGN)  # all that is left is to tell it, and to end
    with suppress(OSError):
        pipe.send(ended)
