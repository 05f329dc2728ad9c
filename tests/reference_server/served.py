"""A server in a process of its own, which a hostile request may stop, and a client who notices that."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import urllib3

from tests import children

PATIENCE = 30.0
PAUSE = 0.02
WORTH_SPEAKING_OF = 0.5
JSON = {"Content-Type": "application/json"}
READS = {
    "iceberg": "/v1/config",
    "lance": "/v1/namespace/$/list",
    "polaris": "/api/management/v1/principal-roles",
}


class Served:
    """A server of one API; `log` is what it has written to standard error, `headers` go with all that is sent."""

    def __init__(self, api, folder, *options, **process):
        self._log = Path(folder) / "log.txt"
        command = [sys.executable, "-m", "lakeproof", "serve", "--api", api, "--port", "0", *options]
        with self._log.open("wb") as log:
            self.process = children.start(command, stdout=subprocess.PIPE, stderr=log, text=True, **process)
        self.url = self.process.stdout.readline().split()[-1]
        self.port = int(self.url.rpartition(":")[2])
        self.read, self.headers = READS[api], {}
        self._http = urllib3.PoolManager(retries=False, timeout=PATIENCE, maxsize=8)

    @property
    def log(self):
        return self._log.read_text()

    def send(self, method, path, headers=None, **rest):
        return self.request(method, self.url + path, headers={**self.headers, **(headers or {})}, **rest)

    def request(self, method, url, **rest):
        """Send a request to a whole URL, without `headers`."""
        return self._http.request(method, url, **rest)

    def beside(self, method, path, **rest):
        """Send a request; return its answer and for which part of its time another client waited for one answer.

        The part is 0 for a request that takes no time worth speaking of, and 1 for one that stops all others.
        """
        answers, longest = [], 0.0
        sender = threading.Thread(target=lambda: answers.append(self.send(method, path, **rest)), daemon=True)
        sender.start()
        begin = time.monotonic()
        while sender.is_alive() and time.monotonic() < begin + PATIENCE:
            asked = time.monotonic()
            assert self.send("GET", self.read).status == 200
            longest = max(longest, time.monotonic() - asked)
            time.sleep(PAUSE)
        taken = time.monotonic() - begin
        return answers[0], longest / taken if taken > WORTH_SPEAKING_OF else 0.0

    def resident(self):
        """Return the memory of the process in MB, as Linux tells it; 0 when it has ended."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int((status.partition("VmRSS:")[2].split() or ["0"])[0]) // 1024

    def computed(self):
        """Return the CPU seconds that the process has taken so far, as Linux tells it; 0 when it has ended."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self._http.clear()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def served(api, folder, *options, **process):
    """Serve an API for a `with` block."""
    server = Served(api, folder, *options, **process)
    try:
        yield server
    finally:
        server.end()
