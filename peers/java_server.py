"""Processes of other people's Java servers: start, wait and stop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import urllib3

from lakeproof.interruptions import handle
from specs.ports import listens
from specs.problems import Problem

STOP_SECONDS = 10.0


@dataclass(frozen=True)
class JavaServer:
    """Java server: its name, its command, its port, and the path and status that show that it is ready."""

    name: str
    command: list[str]
    port: int
    path: str
    status: int
    environ: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    seconds: float = 60.0

    @property
    def url(self) -> str:
        """Base URL of the server."""
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """Run the server and yield its URL. Raises Problem if it does not start, or its port is in use."""
        if listens(self.port):  # another server would respond in its place
            raise Problem(f"Another process listens on port {self.port}.", "Choose another port.")
        with contextlib.ExitStack() as stack:
            log = stack.enter_context(tempfile.TemporaryFile("w+"))
            environ = {**os.environ, **self.environ}
            process = subprocess.Popen(self.command, stdout=log, stderr=log, text=True, env=environ, cwd=self.folder)
            stack.callback(_stop, process)
            if not self._answers(process):
                log.seek(0)
                last = (log.read().strip().splitlines() or ["it printed nothing"])[-1]
                raise Problem(f"{self.name} did not start on port {self.port}: {last}", "Choose another port.")
            yield self.url

    def _answers(self, process: subprocess.Popen[str]) -> bool:
        """Wait until the server responds; return False if it ends instead or takes too long."""
        deadline = time.monotonic() + self.seconds
        with urllib3.PoolManager(retries=False) as pool:
            while process.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(urllib3.exceptions.HTTPError):
                    answer = pool.request("GET", self.url + self.path, timeout=self.seconds)
                    return answer.status == self.status
                time.sleep(0.1)
        return False


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_until_killed(start: Callable[[], AbstractContextManager[str]], note: str = "") -> None:
    """Run a server as a command: print `ready: URL` as the first line, and stop at a signal.

    `start` also parses the options, and raises Problem for invalid ones; `note` is printed to standard error.
    """
    try:
        handle(lambda *_: sys.exit())  # also during the start, so that no Java is left behind
        with start() as url:
            sys.stderr.write(note)
            sys.stdout.write(f"ready: {url}\n")
            sys.stdout.flush()
            while True:
                signal.pause()
    except Problem as problem:
        sys.exit(str(problem))
