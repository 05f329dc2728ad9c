"""The benchmarks end every server that they started, however they are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import children

pytest.importorskip("lance", reason="the servers that are started need the extra lance")
MARK = "TEST_MARK"
PATIENCE = 60.0  # seconds


def commands(mark: str) -> dict[int, str]:
    """Return the command line of every process that has inherited the mark."""
    marked = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0"):
                marked[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:  # it has ended, or is somebody else's
            continue
    return {pid: command for pid, command in marked.items() if command}  # what has ended, but was not waited for


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark for the environment of a process; whatever has inherited it is killed in the end."""
    mark = uuid.uuid4().hex
    yield mark
    for pid in commands(mark):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize(
    ("arguments", "started", "number"),
    [
        (["--api", "lance", "-k", "start_up"], "rest_adapter.py", signal.SIGINT),
        (["--api", "lance", "-k", "start_up"], "lakeproof serve", signal.SIGTERM),
        (
            ["growth", "--api", "lance", "-k", "tables, memory", "--sizes", "100000000"],
            "lakeproof serve",
            signal.SIGINT,
        ),
    ],
)
def test_an_interrupted_benchmark_leaves_no_process_and_no_file(
    arguments: list[str], started: str, number: signal.Signals, mark: str, tmp_path: Path
) -> None:
    """Whichever server runs at that moment is ended, and the temporary folder removed."""
    command = [sys.executable, "-m", "benchmarks", *arguments]
    environ = {**os.environ, MARK: mark, "TMPDIR": str(tmp_path)}
    with children.start(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as benchmark:
        deadline = time.monotonic() + PATIENCE
        while not any(started in command for command in commands(mark).values()):
            assert benchmark.poll() is None, "the benchmarks ended before they were interrupted"
            assert time.monotonic() < deadline, f"{started} was not started: {commands(mark)}"
            time.sleep(0.01)
        benchmark.send_signal(number)
        assert benchmark.wait(PATIENCE) != 0
    assert commands(mark) == {}
    assert list(tmp_path.iterdir()) == []
