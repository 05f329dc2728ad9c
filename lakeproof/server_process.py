"""Embedded server in its own process: it does not share an interpreter lock with the tests."""

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
from lakeproof.packages import suite_faults
from reference_server import limits
from reference_server.faults import register
from reference_server.serve import SWITCH_SECONDS, Server, ServerSettings
from specs.problems import Problem
from specs.writing import write_file

LOG = "server.log"
MEMORY = "/dev/shm"  # noqa: S108 - Linux's shared file system in memory
ENOUGH_BYTES = 2 << 30


class ServerProcess:
    """Server for a `with` block, used like `Server`; its process ends with the block, and with this process."""

    def __init__(self, settings: ServerSettings, log: IO[bytes] | int | None = None) -> None:
        """Start the process; `start` waits for it. Ctrl-C does not reach it: a run cleans up first.

        `log` receives the log of the server, by default the standard error of this process.
        """
        self.urls: dict[str, str] = {}
        self._log = log
        self._pipe, there = Pipe()
        environ = {**os.environ, **temporary_files_in_memory()}
        self._process = start_process(__name__, serve_until_closed.__name__, there, environ, log)
        with suppress(OSError):  # the process has ended: `start` finds no message then
            self._pipe.send(settings)

    @property
    def url(self) -> str:
        """Base URL of the only API served, or of the first one."""
        return next(iter(self.urls.values()))

    def start(self) -> ServerProcess:
        """Wait until the server listens. Raises Problem for settings that the server rejects."""
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            where = "Its output above" if self._log is None else f"{LOG} in the folder of the report"
            answer = Problem("The embedded server did not start.", f"{where} contains the reason.")
        if isinstance(answer, Problem):
            self.stop()
            raise answer
        self.urls = answer
        return self

    def stop(self) -> None:
        """Stop the server, which removes its temporary files; kill the process if that takes too long."""
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
    """Yield a file for the log of a server, and save it in a folder afterwards: a run prints other things.

    Nothing is saved if the log is empty, or if the folder is not writable: writing the report reports that.
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
    """Return the variable that puts temporary files into memory, if it has space and the environment names no folder.

    The embedded server creates and drops thousands of small files; on a disk the kernel works twice as long.
    """
    if any(environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")):
        return {}
    roomy = os.path.ismount(MEMORY) and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH_BYTES
    return {"TMPDIR": MEMORY} if roomy else {}


def serve_until_closed(descriptor: int) -> None:
    """Receive settings through a pipe, start the server, send its URLs, and stop when the other end is closed."""
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(SWITCH_SECONDS)
    register(*suite_faults())
    pipe: Connection[dict[str, str] | Problem, ServerSettings] = Connection(descriptor)
    with pipe, suppress(EOFError, OSError):
        try:
            with Server(pipe.recv()) as server:
                pipe.send(server.urls)
                pipe.recv()
        except Problem as problem:
            pipe.send(problem)
