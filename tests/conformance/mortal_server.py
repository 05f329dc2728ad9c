"""A server that dies of one request, as a process of its own, and the supervisor that may start it again.

It is a proxy: the good server behind it keeps what was made when it dies.

    python -m tests.conformance.mortal_server URL PORT FATAL
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler

from tests.conformance.proxy import Proxy

DEAD = 70
DEATHS = (DEAD, -signal.SIGKILL)


class MortalServer(Proxy):
    """A proxy whose process ends when METHOD, path and body of a request match a pattern."""

    def __init__(self, server: str, fatal: str, port: int) -> None:
        super().__init__(server, port)
        self._fatal = re.compile(fatal)

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        if self._fatal.search(f"{handler.command} {handler.path} {body.decode('utf-8', 'replace')}"):
            os._exit(DEAD)
        super().answer(handler, body)


class Supervisor:
    """The process of a mortal server, started again after its deaths, at most `lives` times in all."""

    def __init__(self, server: str, fatal: str, lives: int = 1) -> None:
        self._arguments = (server, fatal)
        self._lives = lives
        self.deaths = 0
        self._over = False
        self._process = self._start(0)
        self.url = self._url()
        self._watch = threading.Thread(target=self._restart, daemon=True)

    def _start(self, port: int) -> subprocess.Popen[str]:
        server, fatal = self._arguments
        command = [sys.executable, "-m", "tests.conformance.mortal_server", server, str(port), fatal]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def _url(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def _restart(self) -> None:
        port = int(self.url.rsplit(":", 1)[1])
        while self._process.wait() in DEATHS and not self._over:
            self.deaths += 1
            if self.deaths == self._lives:
                return
            self._process = self._start(port)
            self._url()

    def __enter__(self) -> Supervisor:
        self._watch.start()
        return self

    def kill(self) -> None:
        """End the process from outside, whatever it is doing."""
        self._process.kill()

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._process.kill()
        self._watch.join()
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()


if __name__ == "__main__":
    with MortalServer(sys.argv[1], sys.argv[3], int(sys.argv[2])) as mortal:
        sys.stdout.write(f"{mortal.url}\n")
        sys.stdout.flush()
        threading.Event().wait()
