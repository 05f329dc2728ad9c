"""kill -9 at random moments: what was going on is whole or absent, no table has lost its metadata file, and no folder
is left without a table.

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
from itertools import count
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from tests.reference_server.iceberg.committing import set_property, transact
from tests.reference_server.iceberg.conftest import Api

CRASHES = int(os.environ.get("CRASHES", "4"))
LONGEST = 0.4  # seconds of work before a kill
TABLES = ("t", "u")


def start(root):
    command = [
        sys.executable,
        "-m",
        "lakeproof",
        "serve",
        "--api",
        "iceberg",
        "--port",
        "0",
        "--storage",
        f"dir:{root}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line.startswith("ready:"), line
    return process, line.split()[-1]


def transactions(api, number):
    """Give both tables the same number, in one transaction."""
    transact(api, *((name, [set_property("n", str(number))], []) for name in TABLES), expect=204)


def commits(api, number):
    """Give one table a number, by a commit of its own."""
    api.commit([set_property("n", str(number))], path="a/tables/alone", expect=200)


def creations(api, number):
    """Create a table, and rename it."""
    api.table(f"a/tables/c{number}", properties={"n": str(number)})
    source, target = ({"namespace": ["a"], "name": f"{letter}{number}"} for letter in "cd")
    api.call("POST", "tables/rename", {"source": source, "destination": target}, expect=204)


KINDS = (transactions, commits, creations)


def work(url, kind, numbers, completed):
    """Do one kind of work again and again, until the server is gone."""
    with urllib3.PoolManager(retries=False) as pool:
        api = Api(pool.request, url)
        while True:
            number = next(numbers)
            try:
                kind(api, number)
            except urllib3.exceptions.HTTPError:
                return
            completed[kind].append(number)


def test_kills(tmp_path, http):
    root, completed, numbers = tmp_path / "lake", {kind: [] for kind in KINDS}, count(1)
    with serve("iceberg", storage=f"dir:{root}") as server:
        api = Api(http, server.url)
        api.namespace("a")
        for name in (*TABLES, "alone"):
            api.table(f"a/tables/{name}", properties={"n": "0"})
    for _ in range(CRASHES):
        process, url = start(root)
        workers = [threading.Thread(target=work, args=(url, kind, numbers, completed)) for kind in KINDS]
        for worker in workers:
            worker.start()
        time.sleep(random.uniform(0.05, LONGEST))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for worker in workers:
            worker.join()
        check(http, root, completed)
    assert all(completed.values()), "the server was always killed before it had done anything"


def check(http, root, completed):
    """Look at the directory with a new server.

    The tables of a transaction show the same number, none below the last that was confirmed; what was
    created is there under one of its names; every table that is listed can be loaded, and its log names
    files that exist; every folder is that of a table.
    """
    with serve("iceberg", storage=f"dir:{root}", page_size=1000) as server:
        api = Api(http, server.url)
        listed = [
            identifier["name"] for identifier in api.call("GET", "namespaces/a/tables", expect=200).body["identifiers"]
        ]
        tables = {name: api.load(f"a/tables/{name}", expect=200).body["metadata"] for name in listed}
    shown = {name: int(table["properties"]["n"]) for name, table in tables.items()}
    assert len({shown[name] for name in TABLES}) == 1
    assert shown[TABLES[0]] >= max(completed[transactions], default=0)
    assert shown["alone"] >= max(completed[commits], default=0)
    assert {f"d{number}" for number in completed[creations]} <= set(listed)
    assert not [name for name in listed if name[0] == "c" and f"d{name[1:]}" in listed]
    for table in tables.values():
        for entry in table["metadata-log"]:
            assert Path(entry["metadata-file"].removeprefix("file://")).exists()
    folders = {Path(table["location"].removeprefix("file://")) for table in tables.values()}
    assert set((root / "iceberg" / "default").glob("*/*")) == folders


@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_what_was_temporary_is_gone(tmp_path, http, storage):
    chosen = storage if storage == "memory" else f"dir:{tmp_path}"
    with serve("iceberg", storage=chosen) as server:
        api = Api(http, server.url)
        api.namespace("a")
        path = Path(api.table().body["metadata-location"].removeprefix("file://"))
        assert path.exists()
    assert path.exists() == (storage == "dir")
