"""Servers to compare, each in its own process."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lakeproof.interruptions import held_back
from specs.ports import free_port

PRISM = "@stoplight/prism-cli@5"
READY = "listening"
STOP_SECONDS = 15.0
PEERS = Path(__file__).parent.parent / "peers"


@dataclass(frozen=True, slots=True)
class Running:
    """Running server: its name, URL, process, and the seconds until it was ready.

    `base` is the path prefix of its operations, `headers` are sent with every request.
    """

    name: str
    url: str
    pid: int
    seconds: float
    base: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@contextlib.contextmanager
def reference(api: str, storage: str, base: str = "", options: tuple[str, ...] = ()) -> Iterator[Running]:
    """Run the reference server with a value of --storage, and further options."""
    command = [sys.executable, "-m", "lakeproof", "serve", "--api", api, "--port", "0", "--storage", storage, *options]
    with _running(f"lakeproof {storage.partition(':')[0]}", command, base) as running:
        yield running


@contextlib.contextmanager
def rest_adapter(root: Path) -> Iterator[Running]:
    """Run pylance's RestAdapter over a directory."""
    root.mkdir(parents=True, exist_ok=True)
    with _running("RestAdapter", [sys.executable, str(PEERS / "rest_adapter.py"), f"root={root}"]) as running:
        yield running


@contextlib.contextmanager
def java_fixture() -> Iterator[Running]:
    """Run Iceberg's fixture server, with its catalog on disk: in memory it fails with several clients."""
    with _running(
        "fixture", [sys.executable, "-m", "peers.iceberg_java.fixture", "strict=false", "durable=true"], "/v1"
    ) as running:
        yield running


@contextlib.contextmanager
def prism(document: Path) -> Iterator[Running]:
    """Run Prism, which responds from a document alone. Raises RuntimeError if Node is missing."""
    if not shutil.which("npx"):
        raise RuntimeError("Prism needs Node: install it, or choose other benchmarks with -k")
    command = ["npx", "--yes", PRISM, "mock", "--host", "127.0.0.1", "--port", str(free_port()), str(document)]
    with _running("Prism", command, "/v1/any", READY) as running:
        yield running


@contextlib.contextmanager
def _running(name: str, command: list[str], base: str = "", ready: str = "") -> Iterator[Running]:
    """Start a server and wait for the first line with the word `ready`, which ends with the URL."""
    started = time.perf_counter()
    with contextlib.ExitStack() as stack:
        with held_back():  # so that every started server is ended
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
            )
            stack.callback(_end, process)
        line = next((line for line in process.stdout or () if ready in line), "")
        if not line:
            raise RuntimeError(f"{name} did not start: {' '.join(command)}")
        threading.Thread(target=deque, args=(process.stdout, 0), daemon=True).start()  # discard its log
        yield Running(name, line.split()[-1], process.pid, time.perf_counter() - started, base)


def _end(process: subprocess.Popen[str]) -> None:
    """End a server and its child processes, such as npx and java."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(STOP_SECONDS)
    finally:  # also after an interruption, or if the server does not end
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
