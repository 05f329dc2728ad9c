"""A server on a directory that is killed under its writers, and what is wrong afterwards by the writers' own record."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import urllib3


class Dead(Exception):
    """The server was killed."""


@dataclass
class Tally:
    """Outcome of kills: number of `acknowledged` writes, and sentences on lost, torn and ownerless data."""

    kills: int = 0
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def expect_none(self):
        assert (self.lost, self.torn, self.left) == ([], [], [])
        assert self.acknowledged, "the server was always killed before it had done anything"


class Crashes:
    """Kills of one API's server, all on the directory `root`.

    An API says what its `writers` do: each a function that is called until it raises Dead, and how a directory is
    judged after a kill. Both count in `tally`.
    """

    api = ""
    options: tuple[str, ...] = ()
    shortest, longest = 0.05, 0.4  # seconds of work before a kill

    def __init__(self, root, seed=None):
        self.root = root
        self.tally = Tally()
        self.draw = random.Random(seed)
        self.http = urllib3.PoolManager(retries=False, maxsize=16, timeout=60)

    def start(self):
        command = [sys.executable, "-m", "lakeproof", "serve", "--api", self.api, "--port", "0", *self.options]
        self.process = subprocess.Popen([*command, "--storage", f"dir:{self.root}"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready:"), line or f"the server ended with {self.process.wait()}"
        self.url = line.split()[-1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.http.clear()

    def request(self, method, path, **sent):
        """Send a request. Raises Dead when no answer comes."""
        try:
            return self.http.request(method, self.url + path, **sent)
        except urllib3.exceptions.HTTPError:
            raise Dead from None

    def setup(self):
        """Make, on a new directory, what the writers need."""

    def writers(self) -> Iterable[Callable[[], None]]:
        """Return the functions of clients that write at the same time, until one raises Dead."""
        raise NotImplementedError

    def judge(self):
        """Look at the directory after a kill, with a server that runs on it."""
        raise NotImplementedError

    def crash(self, times=1):
        """Let all writers work and kill the server under them, again and again; a server is left running."""
        if not hasattr(self, "process"):
            self.start()
            self.setup()
        for _ in range(times):
            failures: list[BaseException] = []
            threads = [threading.Thread(target=_until_dead, args=(write, failures)) for write in self.writers()]
            for thread in threads:
                thread.start()
            time.sleep(self.draw.uniform(self.shortest, self.longest))
            while not self.tally.acknowledged and any(thread.is_alive() for thread in threads):
                time.sleep(self.shortest + 0.01)  # on a busy machine the first answer comes late
            self.kill()
            for thread in threads:
                thread.join()
            assert not failures, failures[0]
            self.tally.kills += 1
            self.start()
            self.judge()


def _until_dead(write, failures):
    try:
        write()
    except Dead:
        pass
    except BaseException as error:  # it is raised again by who waits
        failures.append(error)
