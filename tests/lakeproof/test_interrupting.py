"""Commands that are interrupted: what they have written is whole, and no process and no file of theirs stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from specs.apis import apis
from tests import children
from tests.children import PATIENCE, wait_for

IGNORED = "SIGTERM, and before it SIGINT, which is ignored"


def start(*arguments, module="lakeproof", **options):
    command = [sys.executable, "-m", module, *arguments]
    return children.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def interrupt(process, how, goes_on):
    """Interrupt a process; where SIGINT is ignored in it, send one first, after which it `goes_on`."""
    if how is IGNORED:
        process.send_signal(signal.SIGINT)
        goes_on()
        assert process.poll() is None
        how = signal.SIGTERM
    process.send_signal(how)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, IGNORED])
def test_serve_is_ready_when_it_says_so_and_leaves_nothing(tmp_path, how):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    process = start(
        "serve", "--api", "lance", "--port", "0", "--auth", "token:s3cret", env=environ, sigint_ignored=how is IGNORED
    )
    line = process.stdout.readline()
    assert line.startswith("ready: lance http://127.0.0.1:")
    url = line.split()[-1]

    def answers():
        answer = urllib3.PoolManager(retries=False).request("GET", url + "/v1/table", headers={"x-api-key": "s3cret"})
        assert answer.status == 200

    answers()
    interrupt(process, how, answers)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert "s3cret" not in line + out + err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("how", "jobs"), [(signal.SIGINT, "1"), (signal.SIGTERM, "1"), (IGNORED, "1"), (signal.SIGINT, "3"), (IGNORED, "3")]
)
def test_an_interrupted_check_cleans_up_and_writes_what_it_has(tmp_path, how, jobs):
    report = tmp_path / "out"
    with serve("lance", storage="memory:pure") as server:
        # Without models: a worker tells what it has sent when it is done with a requirement, and they take long.
        options = ("--report", str(report), "--depth", "deep", "--jobs", jobs, "--kinds", "behaviour,error,data")
        process = start("check", server.url, *options, cwd=tmp_path, sigint_ignored=how is IGNORED)
        log = report / "exchanges.jsonl"
        wait_for(lambda: log.exists() and log.stat().st_size > 1_000_000)  # a life in many worlds takes half of it
        interrupt(process, how, lambda: wait_for_more(log))
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2, err
        left = urllib3.PoolManager(retries=False).request("GET", server.url + "/v1/namespace/$/list").json()
    assert left["namespaces"] == []
    results = json.loads((report / "results.json").read_text())
    assert results["run"]["interrupted"] is True
    assert results["requirements"]
    assert (report / "report.html").exists()
    assert "Interrupted" in out
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("how", "begun"),
    [(signal.SIGINT, False), (signal.SIGTERM, False), (signal.SIGINT, True), (IGNORED, True)],
)
def test_interrupted_runs_at_the_same_time_write_what_they_have(tmp_path, how, begun):
    environ = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    (tmp_path / "temporary").mkdir()
    options = ("--report", str(tmp_path / "out"), "--jobs", "3")
    process = start("check", *options, cwd=tmp_path, env=environ, sigint_ignored=how is IGNORED)
    logs = [tmp_path / "out" / api / "exchanges.jsonl" for api in apis()]
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_for(children.read_text)
    wait_for(lambda: not begun or all(log.exists() and log.stat().st_size > 200_000 for log in logs))
    started = [log for log in logs if log.exists()]
    interrupt(process, how, lambda: wait_for_more(logs[0]))
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.count("Traceback")) == (2, 0), err
    assert [log for log in started if not log.with_name("results.json").exists()] == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_interrupted_mutants_leave_no_process_and_no_file(tmp_path):
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    two_batches = ("--derived", "--fault", "*:DropNamespace*", "--fault", "*:CreateTable:*")
    command = ("measure", "--api", "lance", "--jobs", "2", *two_batches)
    process = start(*command, module="mutants", cwd=Path(__file__).parents[2], env=environ, start_new_session=True)
    wait_for(lambda: any(tmp_path.glob("lakeproof-mutants-*/*")))  # a process is measuring
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2, err
    assert "Traceback" not in err
    wait_for(lambda: not _runs_in_group(process.pid))
    assert list(tmp_path.iterdir()) == []


def _runs_in_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("command", ["compare", "coverage"])
def test_an_interrupted_run_ends_its_command(tmp_path, command):
    with serve("lance", storage="memory:pure") as server:
        compared = (server.url, server.url, "--api", "lance", "--depth", "deep", "--report", str(tmp_path / "out"))
        options = compared if command == "compare" else ("--api", "lance")
        process = start(command, *options, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
        wait_for(lambda: any(log.stat().st_size > 200_000 for log in _logs(tmp_path)))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err.count("Traceback")) == (2, 0), err
        left = urllib3.PoolManager(retries=False).request("GET", server.url + "/v1/namespace/$/list").json()
    assert left["namespaces"] == []
    assert [results.parent.name for results in tmp_path.rglob("results.json")] == ["a"] * (command == "compare")


def _logs(folder):
    """The exchange logs of the runs below a folder, in which servers make and remove folders meanwhile."""
    try:
        return list(folder.rglob("exchanges.jsonl"))
    except FileNotFoundError:
        return []


def wait_for_more(log):
    size = log.stat().st_size
    wait_for(lambda: log.stat().st_size > size)
