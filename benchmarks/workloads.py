"""What a benchmark is made of: workloads, sent to several servers in turns, and lines of figures."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.load import forever, numbered, request, run_load
from benchmarks.servers import Running
from specs.openapi import JSON_TYPE

CONNECTIONS = 16
ROUNDS = 3
SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result: the quantity measured, the figures by server, and a summary of them."""

    quantity: str
    figures: dict[str, float]
    unit: str
    ratio: str


@dataclass(frozen=True, slots=True)
class Workload:
    """One request, sent for ever; "{n}" in its path or body is another number every time.

    Its path stands below the base of the server.
    """

    quantity: str
    path: str
    method: str = "POST"
    body: bytes = b"{}"
    kind: str = JSON_TYPE
    connections: int = CONNECTIONS

    def requests(self, server: Running) -> Iterator[bytes]:
        """Return the requests to send to a server."""
        body = b"" if self.method in ("GET", "HEAD") else self.body
        started = time.time_ns()

        def make(number: int) -> bytes:
            now = f"{started}x{number}"
            path = server.base + self.path.replace("{n}", now)
            return request(server.url, self.method, path, body.replace(b"{n}", now.encode()), self.kind, server.headers)

        changes = "{n}" in self.path or b"{n}" in body
        return numbered(make) if changes else forever(make(0))


def interleaved(loads: dict[str, tuple[Running, Workload]]) -> dict[str, float]:
    """Return the median speed of each load over several rounds, taken in turns.

    Raises RuntimeError when a server refuses one.
    """
    speeds: dict[str, list[float]] = {name: [] for name in loads}
    for _ in range(ROUNDS):
        for name, (server, load) in loads.items():
            outcome = run_load(server.url, load.requests(server), seconds=SECONDS, connections=load.connections)
            if outcome.errors:
                raise RuntimeError(f"{server.name} refused {load.quantity} {outcome.errors} times")
            speeds[name].append(outcome.per_second)
    return {name: round(statistics.median(samples), 1) for name, samples in speeds.items()}


def compared(speeds: dict[str, float], peers: tuple[str, ...]) -> str:
    """Return how much faster ours are than each peer, as text."""
    measured = [name for name in speeds if name not in peers]
    return "; ".join(
        f"{peer}: " + ", ".join(f"{speeds[name] / speeds[peer]:.1f}x ({name.split()[1]})" for name in measured)
        for peer in peers
        if peer in speeds
    )
