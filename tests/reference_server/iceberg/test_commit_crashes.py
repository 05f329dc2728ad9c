"""kill -9 at random moments: a transaction is whole or absent, and no table has lost its metadata file.

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
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from tests.reference_server.iceberg.conftest import Api
from tests.reference_server.iceberg.test_commits import set_property, transact

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


def work(url, numbers, done):
    """Give both tables the same number, again and again, until nobody answers."""
    with urllib3.PoolManager(retries=False) as pool:
        api = Api(pool.request, url)
        while True:
            number = next(numbers)
            try:
                transact(api, *((name, [set_property("n", str(number))], []) for name in TABLES), expect=204)
            except urllib3.exceptions.HTTPError:
                return
            done.append(number)


def test_kills(tmp_path, http):
    root, done, numbers = tmp_path / "lake", [], iter(range(1, 1_000_000))
    with serve("iceberg", storage=f"dir:{root}") as server:
        api = Api(http, server.url)
        api.namespace("a")
        for name in TABLES:
            api.table(f"a/tables/{name}", properties={"n": "0"})
    for _ in range(CRASHES):
        process, url = start(root)
        worker = threading.Thread(target=work, args=(url, numbers, done))
        worker.start()
        time.sleep(random.uniform(0.05, LONGEST))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        worker.join()
        check(http, root, done)
    assert done, "the server was always killed before it had done anything"


def check(http, root, done):
    """Both tables show the same number, not below the last that was confirmed, and their logs name files that exist."""
    with serve("iceberg", storage=f"dir:{root}") as server:
        api = Api(http, server.url)
        tables = [api.load(f"a/tables/{name}", expect=200).body["metadata"] for name in TABLES]
    shown = {table["properties"]["n"] for table in tables}
    assert len(shown) == 1
    assert int(shown.pop()) >= (done[-1] if done else 0)
    for table in tables:
        for entry in table["metadata-log"]:
            assert Path(entry["metadata-file"].removeprefix("file://")).exists()


@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_what_was_temporary_is_gone(tmp_path, http, storage):
    chosen = storage if storage == "memory" else f"dir:{tmp_path}"
    with serve("iceberg", storage=chosen) as server:
        api = Api(http, server.url)
        api.namespace("a")
        path = Path(api.table().body["metadata-location"].removeprefix("file://"))
        assert path.exists()
    assert path.exists() == (storage == "dir")
