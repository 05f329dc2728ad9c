"""The embedded server in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import urllib3

from lakeproof.server_process import ServerProcess
from reference_server.serve import server_settings
from specs.problems import Problem

PARENT = """
import sys
from lakeproof.server_process import ServerProcess
from reference_server.serve import server_settings
with ServerProcess(server_settings("lance")) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def listens(url: str) -> bool:
    try:
        urllib3.request("GET", f"{url}/v1/namespace/%24/list", retries=False, timeout=5)
    except urllib3.exceptions.HTTPError:
        return False
    return True


def test_it_serves_until_the_end_of_the_block():
    with ServerProcess(server_settings("lance", storage="memory:pure")) as server:
        assert listens(server.url)
    assert not listens(server.url)


def test_settings_that_cannot_be_served_are_a_problem():
    with pytest.raises(Problem, match="There is no storage") as problem, ServerProcess(server_settings(storage="tape")):
        pass
    assert problem.value.hint


def test_packages_of_the_working_directory_are_not_taken_for_its_own(tmp_path, monkeypatch):
    for name in ("reference_server", "specs", "lakeproof"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    with ServerProcess(server_settings("iceberg")) as server:
        assert listens(server.url)


def test_it_ends_with_the_process_that_has_started_it(tmp_path):
    (tmp_path / "temporary").mkdir()
    root = Path(__file__).parents[2]
    environ = {**os.environ, "TMPDIR": str(tmp_path / "temporary"), "PYTHONPATH": str(root)}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True
    ) as parent:
        assert parent.stdout
        url = parent.stdout.readline().strip()
        assert listens(url)
        parent.send_signal(signal.SIGKILL)
    ends = time.monotonic() + 20
    while (listens(url) or any((tmp_path / "temporary").iterdir())) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not listens(url)
    assert [*(tmp_path / "temporary").iterdir()] == []
