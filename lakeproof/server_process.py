"""The embedded server in a process of its own: who tests it does not share an interpreter lock with it."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import IO

from lakeproof.cli import COLLECT_AFTER
from lakeproof.own_process import start_process
from lakeproof.packages import SUITE_FAULTS
from reference_server import limits
from reference_server.faults import register
from reference_server.serve import SWITCH_SECONDS, Server, ServerSettings
from specs.problems import Problem
from specs.writing import write_file

LOG = "server.log"
MEMORY = "/dev/shm"  # noqa: S108 - the file system in memory that Linux has for everybody
ENOUGH_BYTES = 2 << 30


class ServerProcess:
    """A server for a `with` block, as `Server` is one; its process ends with the block, and with this process."""

    def __init__(self, settings: ServerSettings, log: IO[bytes] | int | None = None) -> None:
        """Start the process; `start` waits for it. It hears of no interruption: a run cleans up first.

        `log` takes the lines of the server, by default the error stream of this process.
        """
        self.urls: dict[str, str] = {}
        self._log = log
        self._pipe, there = Pipe()
        environ = {**os.environ, **temporary_files_in_memory()}
        self._process = start_process(__name__, serve_until_closed.__name__, there, environ, log)
        with suppress(OSError):  # it has ended already: there is no answer then
            self._pipe.send(settings)

    @property
    def url(self) -> str:
        """The base URL of the only API served, or of the first."""
        return next(iter(self.urls.values()))

    def start(self) -> ServerProcess:
        """Wait until the server listens. Raises Problem for settings that cannot be served."""
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            where = "What it printed" if self._log is None else f"{LOG} in the folder of the report"
            answer = Problem("The embedded server did not start.", f"{where} says why.")
        if isinstance(answer, Problem):
            self.stop()
            raise answer
        self.urls = answer
        return self

    def stop(self) -> None:
        """Let the server close everything and remove its temporary files, as `Server.stop` does."""
        self._pipe.close()
        try:
            self._process.wait(3 * limits.STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> ServerProcess:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


@contextmanager
def log_in(folder: Path) -> Iterator[IO[bytes]]:
    """Yield a file for the lines of a server; it is kept in a folder, for what a run prints is about other things.

    There is none where a server has nothing to say, or where the folder cannot be written to: the report that comes
    after it says so.
    """
    with tempfile.TemporaryFile() as log:
        try:
            yield log
        finally:
            log.seek(0)
            lines = log.read()
            with suppress(OSError):
                if lines:
                    write_file(folder / LOG, lines)
                else:
                    (folder / LOG).unlink(missing_ok=True)


def temporary_files_in_memory(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variable that puts temporary files into memory, if there is room and no other place is named.

    The embedded server makes and drops thousands of small files; a disk's file system doubles the work of the kernel.
    """
    if any(environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")):
        return {}
    roomy = os.path.ismount(MEMORY) and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES
    return {"TMPDIR": MEMORY} if roomy else {}


def serve_until_closed(descriptor: int) -> None:
    """Serve by the settings that come through a pipe, answer with the URLs, and stop when the other end is closed."""
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(SWITCH_SECONDS)
    register(SUITE_FAULTS)
    pipe: Connection[dict[str, str] | Problem, ServerSettings] = Connection(descriptor)
    with pipe, suppress(EOFError, OSError):
        try:
            with Server(pipe.recv()) as server:
                pipe.send(server.urls)
                pipe.recv()
        except Problem as problem:
            pipe.send(problem)
