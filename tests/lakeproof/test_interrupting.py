"""Commands that are interrupted: what they have written is whole, and no process and no file of theirs stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from specs.apis import apis


def start(*arguments, **options):
    command = [sys.executable, "-m", "lakeproof", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_serve_is_ready_when_it_says_so_and_leaves_nothing(tmp_path, how):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    process = start("serve", "--api", "lance", "--port", "0", "--auth", "token:s3cret", env=environ)
    line = process.stdout.readline()
    assert line.startswith("ready: lance http://127.0.0.1:")
    url = line.split()[-1]
    answer = urllib3.PoolManager(retries=False).request("GET", url + "/v1/table", headers={"x-api-key": "s3cret"})
    assert answer.status == 200
    process.send_signal(how)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "s3cret" not in line + out + err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("how", "jobs"), [(signal.SIGINT, "1"), (signal.SIGTERM, "1"), (signal.SIGINT, "3")])
def test_an_interrupted_check_cleans_up_and_writes_what_it_has(tmp_path, how, jobs):
    report = tmp_path / "out"
    with serve("lance", storage="memory:pure") as server:
        process = start("check", server.url, "--report", str(report), "--depth", "deep", "--jobs", jobs, cwd=tmp_path)
        log = report / "exchanges.jsonl"
        wait_for(lambda: log.exists() and log.stat().st_size > 200_000)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 2, err
        left = urllib3.PoolManager(retries=False).request("GET", server.url + "/v1/namespace/$/list").json()
    assert left["namespaces"] == []
    results = json.loads((report / "results.json").read_text())
    assert results["run"]["interrupted"] is True
    assert results["requirements"]
    assert (report / "report.html").exists()
    assert "Interrupted" in out
    assert "Traceback" not in err


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("begun", [False, True])
def test_interrupted_runs_at_the_same_time_write_what_they_have(tmp_path, how, begun):
    environ = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "temporary").mkdir()
    process = start("check", "--report", str(tmp_path / "out"), "--jobs", "3", cwd=tmp_path, env=environ)
    logs = [tmp_path / "out" / api / "exchanges.jsonl" for api in apis()]
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_for(children.read_text)
    wait_for(lambda: not begun or all(log.exists() and log.stat().st_size > 200_000 for log in logs))
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.count("Traceback")) == (2, 0), err
    assert all(log.with_name("results.json").exists() for log in logs) == begun
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_mutants_leave_no_process_and_no_file(tmp_path, how):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    process = start("mutants", "--api", "lance", "--jobs", "2", env=environ, start_new_session=True)
    wait_for(lambda: any(tmp_path.glob("lakeproof-mutants-*/*")))  # a process is measuring
    process.send_signal(how)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "Traceback" not in err
    wait_for(lambda: not _runs_in_group(process.pid))
    assert list(tmp_path.iterdir()) == []


def _runs_in_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
