"""Parts of a benchmark: requests, sent to several servers in turns, and rows of figures."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from benchmarks.load import request, run_load
from benchmarks.processes import processor_seconds
from benchmarks.servers import Running
from specs.openapi import JSON_TYPE

CONNECTIONS = 16
ROUNDS = 3
SECONDS = 1


@dataclass(frozen=True, slots=True)
class Row:
    """Row of the result: the quantity, the figures by server, and their ratio."""

    quantity: str
    figures: dict[str, float]
    unit: str
    ratio: str


@dataclass(frozen=True, slots=True)
class RequestLoad:
    """Request that is sent repeatedly; "{n}" in its path or body is another number every time.

    Its path is relative to the base of the server.
    """

    quantity: str
    path: str
    method: str = "POST"
    body: bytes = b"{}"
    kind: str = JSON_TYPE
    connections: int = CONNECTIONS

    def request(self, server: Running) -> bytes:
        """Return the request to send to a server."""
        body = b"" if self.method in ("GET", "HEAD") else self.body
        return request(server.url, self.method, server.base + self.path, body, self.kind, server.headers)


def started(servers: Iterable[AbstractContextManager[Running]]) -> Row:
    """Start and end each server, and return the time from the start of its process until it is ready."""
    figures = {}
    for server in servers:
        with server as running:
            figures[running.name] = round(running.seconds, 3)
    return Row("start-up", figures, "s", "")


@dataclass(frozen=True, slots=True)
class Speeds:
    """Speeds of each load: responses per second, and processor microseconds per response."""

    per_second: dict[str, float]
    micros: dict[str, float]


def interleaved(loads: dict[str, tuple[Running, RequestLoad]]) -> Speeds:
    """Return the medians of each load over several rounds, measured in turns.

    Raises RuntimeError if a server rejects a request.
    """
    speeds: dict[str, list[float]] = {name: [] for name in loads}
    micros: dict[str, list[float]] = {name: [] for name in loads}
    for _ in range(ROUNDS):
        for name, (server, load) in loads.items():
            used = processor_seconds(server.pid)
            outcome = run_load(server.url, load.request(server), seconds=SECONDS, connections=load.connections)
            used = processor_seconds(server.pid) - used
            if outcome.errors:
                raise RuntimeError(f"{server.name} rejected {load.quantity} {outcome.errors} times")
            speeds[name].append(outcome.per_second)
            micros[name].append(used / SECONDS / outcome.per_second * 1e6)
    return Speeds(_medians(speeds), _medians(micros))


def measured(
    quantity: str, loads: dict[str, tuple[Running, RequestLoad]], peers: tuple[str, ...] = ()
) -> Iterator[Row]:
    """Measure loads and yield a row of their speeds, and a row of their costs, which vary less on a busy machine."""
    speeds = interleaved(loads)
    yield Row(quantity, speeds.per_second, "/s", _compared(speeds.per_second, peers))
    cheapness = {name: 1 / micros for name, micros in speeds.micros.items() if micros}
    yield Row(f"{quantity}: processors", speeds.micros, "us", _compared(cheapness, peers))


def _medians(samples: dict[str, list[float]]) -> dict[str, float]:
    return {name: round(statistics.median(taken), 1) for name, taken in samples.items()}


def _compared(speeds: dict[str, float], peers: tuple[str, ...]) -> str:
    """Return the ratio of our servers to each peer, as text."""
    ours = [name for name in speeds if name not in peers]
    return "; ".join(
        f"{peer}: " + ", ".join(f"{speeds[name] / speeds[peer]:.1f}x ({name.split()[1]})" for name in ours)
        for peer in peers
        if peer in speeds
    )
