"""Benchmarks of growth: for every size a server is started and filled, and all of them are measured in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from benchmarks.load import numbered, run_once
from benchmarks.servers import Running
from benchmarks.workloads import RequestLoad, Row

ROUNDS = 15
SENT = 3  # requests of a round; one, if another request goes before it
AT_ONCE = 16  # connections that fill a server
CHUNK = 200  # objects that are created between two looks at the clock
Start = Callable[[Path], AbstractContextManager[Running]]
Fill = Callable[[Running, int], Iterator[int]]
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Measurement:
    """Request whose latency is measured; `after` is sent before each one and not measured."""

    load: RequestLoad
    after: RequestLoad | None = None

    def milliseconds(self, server: Running) -> float:
        """Return the median latency of some requests, sent by one client."""
        if self.after:
            _send(server, self.after, 1)
        return _send(server, self.load, 1 if self.after else SENT)


@dataclass(frozen=True, slots=True)
class Growing:
    """Growing collection: the functions that start its servers, by name, how they are filled, and the requests.

    `fill` creates a number of objects on a server and yields their number so far. `on_disk` returns figures about the
    server's folder at that size.
    """

    name: str
    starts: dict[str, Start]
    fill: Fill
    operations: tuple[Measurement, ...]
    on_disk: Callable[[Path, int], dict[str, float]] = field(default=lambda _, __: {})


def grown(growing: Growing, sizes: list[int], folder: Path, patience: float, report: Report) -> Iterator[Row]:
    """Yield a row for every server and request: milliseconds at each size, and the last divided by the first.

    A size that a server does not reach within `patience` seconds is left out, and reported as a row; `report` receives
    the number of objects on a server so far. Raises RuntimeError if a server rejects a request.
    """
    for name, start in growing.starts.items():
        what = f"{growing.name}, {name}"
        places = {size: folder / name.replace(" ", "-") / str(size) for size in sizes}
        with ExitStack() as stack:
            servers: dict[int, Running] = {}
            for size, place in places.items():
                server = stack.enter_context(start(place))
                reached = _filled(growing, server, size, patience, report)
                if reached < size:
                    yield Row(f"{what}: created in {patience:.0f} s", {f"of {size:,}": reached}, "", "")
                    break
                servers[size] = server
            for operation in growing.operations if servers else ():
                yield _row(f"{what}: {operation.load.quantity}", _latencies(operation, servers), "ms")
            usage = {size: growing.on_disk(places[size], size) for size in servers}
            for quantity in next(iter(usage.values()), {}):
                yield _row(f"{what}: {quantity}", {size: figures[quantity] for size, figures in usage.items()}, "")


def sent(server: Running, requests: Iterator[bytes], connections: int = AT_ONCE, worth: int = 1) -> Iterator[int]:
    """Send requests, each of which creates `worth` objects, and yield the number of created objects."""
    made = 0
    while chunk := list(islice(requests, max(1, CHUNK // worth))):
        _once(server, chunk, connections)
        made += len(chunk) * worth
        yield made


def _latencies(operation: Measurement, servers: dict[int, Running]) -> dict[int, float]:
    samples: dict[int, list[float]] = {size: [] for size in servers}
    for _ in range(ROUNDS):
        for size, server in servers.items():
            samples[size].append(operation.milliseconds(server))
    return {size: statistics.median(taken) for size, taken in samples.items()}


def _row(quantity: str, by_size: dict[int, float], unit: str) -> Row:
    first, *_, last = [*by_size.values()] * 2
    ratio = f"{last / first:.2f}x" if len(by_size) > 1 and first else ""
    return Row(quantity, {f"{size:,}": round(figure, 3) for size, figure in by_size.items()}, unit, ratio)


def _filled(growing: Growing, server: Running, size: int, patience: float, report: Report) -> int:
    """Fill a server until its time is over, and return its number of objects."""
    end = time.monotonic() + patience
    made = 0
    for made in growing.fill(server, size):
        report(f"{growing.name}, {server.name}", made, size)
        if time.monotonic() > end:
            break
    return made


def _once(server: Running, requests: list[bytes], connections: int) -> float:
    outcome = run_once(server.url, requests, connections=connections)
    if outcome.errors:
        raise RuntimeError(
            f"{server.name} rejected {outcome.errors} of {len(requests)} requests like {requests[0][:99]!r}"
        )
    return outcome.p50


def _send(server: Running, load: RequestLoad, count: int) -> float:
    return _once(server, list(islice(numbered(load.request(server)), count)), 1)
