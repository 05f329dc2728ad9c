"""Starting the servers that are compared, each in a process of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(__file__).parent.parent / "peers"


@dataclass(frozen=True, slots=True)
class Running:
    """A server that answers: its name, URL, process, and the seconds until it said that it was ready."""

    name: str
    url: str
    pid: int
    seconds: float


@contextlib.contextmanager
def reference(storage: str) -> Iterator[Running]:
    """Run the reference server with a value of --storage."""
    command = [sys.executable, "-m", "lakeproof", "serve", "--api", "lance", "--port", "0", "--storage", storage]
    with _running(f"lakeproof {storage.partition(':')[0]}", command) as running:
        yield running


@contextlib.contextmanager
def rest_adapter(root: Path) -> Iterator[Running]:
    """Run pylance's RestAdapter over a directory."""
    root.mkdir(parents=True, exist_ok=True)
    with _running("RestAdapter", [sys.executable, str(PEERS / "rest_adapter.py"), f"root={root}"]) as running:
        yield running


@contextlib.contextmanager
def _running(name: str, command: list[str]) -> Iterator[Running]:
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if not line:
            raise RuntimeError(f"{name} did not start")
        yield Running(name, line.split()[-1], process.pid, time.perf_counter() - started)
    finally:
        process.terminate()
        process.wait(timeout=30)
