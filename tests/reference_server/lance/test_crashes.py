"""kill -9 at random moments: after a restart every batch is whole or absent, and no table is half there.

The environment variable CRASHES says how often the server is killed; a few times by default.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import lance
import lance_namespace as official
import urllib3

from conformance.lance.support.arrow import stream
from conformance.lance.support.staging import local_directory, stage_in
from conformance.strategies import tables

CRASHES = int(os.environ.get("CRASHES", "4"))
LONGEST = 0.25  # seconds of work before a kill
ROWS = 3


class Dead(Exception):
    """The server was killed."""


@dataclass
class Victim:
    """A server process on a directory, and what clients asked of it since it was started."""

    root: Path
    started: list[tuple[str, list[str]]] = field(default_factory=list)
    done: list[tuple[str, list[str]]] = field(default_factory=list)

    def start(self):
        command = [sys.executable, "-m", "lakeproof", "serve", "--api", "lance", "--port", "0"]
        self.process = subprocess.Popen([*command, "--storage", f"dir:{self.root}"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready:"), line
        self.url = line.split()[-1]
        self.pool = urllib3.PoolManager(retries=False, maxsize=8)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def send(self, path, body=None, *, data=None):
        """Send a request and return status and JSON. Raises Dead when no answer comes."""
        headers = {"Content-Type": "application/vnd.apache.arrow.stream"} if data else {}
        sent = {"body": data, "headers": headers} if data else {"json": body or {}}
        try:
            answer = self.pool.request("POST", f"{self.url}/v1/{path}", **sent)
        except urllib3.exceptions.HTTPError:
            raise Dead from None
        return answer.status, answer.json() if answer.data else None

    def attempt(self, kind, names, path, body=None, *, data=None):
        """Do something that must be whole or absent after a crash, and there once it was answered."""
        self.started.append((kind, names))
        status, answer = self.send(path, body, data=data)
        assert status == 200, answer
        self.done.append((kind, names))

    def rows(self, name):
        """Return how many rows a table has, None when there is no such table."""
        status, count = self.send(f"table/{name}/count_rows")
        assert status in (200, 404), count
        return count if status == 200 else None

    def tables(self, namespace):
        """Return the names of all tables of a namespace."""
        path = f"{self.url}/v1/namespace/{namespace}/table/list?include_declared=true&page_token="
        names, token = [], ""
        while token is not None:
            page = self.pool.request("GET", path + token).json()
            names += page["tables"]
            token = page["page_token"]
        return names

    def exists(self, name):
        status, answer = self.send(f"table/{name}/describe")
        assert status in (200, 404), answer
        return status == 200


def create_tables(victim: Victim, names: Iterator[str]) -> None:
    for name in names:
        victim.attempt("create", [name], f"table/{name}/create", data=stream(tables(ROWS)))


def commit_batches(victim: Victim, names: Iterator[str]) -> None:
    """Declare two tables at once, then give both up and declare two others, at once."""
    before: list[str] = []
    for name in names:
        pair = [f"{name}x", f"{name}y"]
        operations = [{"deregister_table": {"id": name.split("%24")}} for name in before]
        operations += [{"declare_table": {"id": name.split("%24")}} for name in pair]
        victim.attempt("swap", before + pair, "table/batch-commit", {"operations": operations})
        before = pair


def make_versions(victim: Victim, names: Iterator[str]) -> None:
    """Make the second version of two tables at once."""
    for name in names:
        pair = [f"{name}x", f"{name}y"]
        entries = []
        for table in pair:
            status, answer = victim.send(f"table/{table}/create", data=stream(tables(ROWS)))
            assert status == 200, answer
            entries.append({"id": table.split("%24"), **stage_in(local_directory(answer["location"]), 1)})
        victim.attempt("versions", pair, "table/version/batch-create", {"entries": entries})


def drop_tables(victim: Victim, names: Iterator[str]) -> None:
    for name in names:
        status, answer = victim.send(f"table/{name}/create", data=stream(tables(ROWS)))
        assert status == 200, answer
        victim.attempt("drop", [name], f"table/{name}/drop")


WORK = [create_tables, commit_batches, make_versions, drop_tables]


def work_until_killed(victim: Victim, crash: int, seconds: float) -> None:
    """Let all clients work at the same time and kill the server under them."""
    failures = []

    def run(work, home):
        names = (f"{home}{work.__name__}{crash}n{number}" for number in range(1000))
        try:
            work(victim, names)
        except Dead:
            pass
        except BaseException as error:  # it is raised again below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work, home)) for work in WORK for home in ("", "ns%24")]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    victim.kill()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def check(victim: Victim) -> None:
    """Compare what is there with the requests and answers of clients."""
    for kind, names in victim.started:
        completed = (kind, names) in victim.done
        CHECKS[kind](victim, names, completed)


def check_create(victim, names, completed):
    assert victim.rows(names[0]) in ([ROWS] if completed else [ROWS, None])


def check_swap(victim, names, completed):
    before, after = names[:-2], names[-2:]
    there = [victim.exists(name) for name in after]
    later = any(kind == "swap" and others[:2] == after for kind, others in victim.started)
    if completed and not later:
        assert all(there)
    assert len(set(there)) == 1
    if before and not completed:
        assert [victim.exists(name) for name in before] == [not there[0]] * 2


def check_versions(victim, names, completed):
    rows = [victim.rows(name) for name in names]
    assert rows in ([[ROWS + 1] * 2] if completed else [[ROWS + 1] * 2, [ROWS] * 2])


def check_drop(victim, names, completed):
    assert victim.rows(names[0]) in ([None] if completed else [None, ROWS])


CHECKS = {"create": check_create, "swap": check_swap, "versions": check_versions, "drop": check_drop}


def check_with_pylance(victim: Victim) -> int:
    """Let pylance open every table in place; return how many there are."""
    directory = official.connect("dir", {"root": f"{victim.root}/lance"})
    listed = 0
    for home in ([], ["ns"]):
        names = victim.tables(home[0] if home else "%24")
        theirs = directory.list_tables(official.ListTablesRequest(id=home, include_declared=True)).tables
        assert set(names) ^ set(theirs) == set()
        for name in names:
            table = directory.describe_table(official.DescribeTableRequest(id=[*home, name]))
            if not (victim.root / "lance" / table.location.rpartition("/")[2] / "_versions").exists():
                continue
            assert lance.dataset(table.location).count_rows() in (ROWS, ROWS + 1)
            listed += 1
    return listed


def test_kill_at_random_moments(tmp_path):
    choose = random.Random(4711)
    victim = Victim(tmp_path)
    victim.start()
    try:
        victim.send("namespace/ns/create")
        for crash in range(CRASHES):
            work_until_killed(victim, crash, choose.uniform(0, LONGEST))
            victim.start()
            check(victim)
            victim.started.clear()
            victim.done.clear()
        assert check_with_pylance(victim)
    finally:
        victim.kill()
