"""The worker processes of a run: one process imports and collects the suite, and the workers are forks of it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from pathlib import Path
from signal import SIGINT, SIGKILL

from conformance.run.job_messages import AnyPipe, Start, Task

ROOT = str(Path(__file__).parents[2])
# Packages of the working directory or PYTHONPATH may have the names of ours: ours are imported first.
CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); import conformance, specs; del sys.path[0]; "
    "from conformance.run.worker import work; work([int(pipe) for pipe in sys.argv[2:]])"
)
# Only a process without threads can be forked safely. These libraries would start some when they are imported.
WITHOUT_THREADS = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
CLOSE_SECONDS = 5.0  # limit for workers without further work to end


@dataclass
class Process:
    """A worker; `busy` is the requirement that it is testing."""

    number: int
    pipe: AnyPipe
    busy: str = ""

    def tell(self, message: Task | None) -> None:
        """Send a message, unless the worker has ended: its pipe reports that."""
        with suppress(OSError):
            self.pipe.send(message)


@dataclass
class Crew:
    """The workers of a run, and the process that they are forks of, which reports their exit codes."""

    process: subprocess.Popen[bytes]
    pipe: AnyPipe
    workers: list[Process]
    codes: dict[int, int] = field(default_factory=dict)

    @classmethod
    def start(cls, start: Start) -> Crew:
        """Start the number of workers in the message. Only the run interrupts them, once."""
        pairs = [Pipe() for _ in range(start.of + 1)]
        theirs = [there.fileno() for _, there in pairs]
        process = subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, "-P", "-c", CODE, ROOT, *map(str, theirs)],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **WITHOUT_THREADS},
        )
        for _, there in pairs:
            there.close()
        pipe, *pipes = [here for here, _ in pairs]
        with suppress(OSError):  # the workers' own pipes report a failed start
            pipe.send(start)
        return cls(process, pipe, [Process(number, end) for number, end in enumerate(pipes)])

    def code(self, worker: Process) -> int:
        """Return the exit code of a worker; that of the first process if it ended, too."""
        try:
            while worker.number not in self.codes:
                number, code = self.pipe.recv()
                self.codes[number] = code
        except (EOFError, OSError):
            return self.process.wait()
        return self.codes[worker.number]

    def interrupt(self) -> None:
        """Send SIGINT to the workers."""
        self._signal(SIGINT)

    def close(self) -> None:
        """End the remaining workers."""
        for pipe in (self.pipe, *(worker.pipe for worker in self.workers)):
            pipe.close()
        try:
            self.process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal(SIGKILL)
            self.process.wait()

    def _signal(self, number: int) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)
