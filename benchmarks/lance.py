"""The Lance wing: start-up, pages among few and many tables, and operations beside pylance's RestAdapter."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.load import forever, numbered, request, run_load, run_once
from benchmarks.servers import Running, reference, rest_adapter
from conformance.lance.arrow import STREAM_TYPE, stream
from conformance.strategies import tables

CONNECTIONS = 16
ROUNDS = 3
SECONDS = 1.0
FEW, MANY = 1_000, 100_000
PAGE = 100


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result: what was measured, the figures by server, and what they say."""

    what: str
    figures: dict[str, float]
    unit: str
    ratio: str


def start_up(folder: Path) -> Iterator[Row]:
    """Measure the time from the start of the process to readiness."""
    times: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        for server in (
            reference("memory"),
            reference(f"dir:{folder}/start-{number}"),
            rest_adapter(folder / "start-a"),
        ):
            with server as running:
                times.setdefault(running.name, []).append(running.seconds)
    figures = {name: round(statistics.median(found), 3) for name, found in times.items()}
    yield Row("start-up", figures, "s", "")


def pages(folder: Path) -> Iterator[Row]:
    """Measure a page of 100 names among few and among many tables."""
    for storage in ("memory:pure", f"dir:{folder / 'pages'}"):
        with reference(storage) as running:
            for namespace, count in (("few", FEW), ("many", MANY)):
                post = _poster(running.url)
                run_once(running.url, [post(f"/v1/namespace/{namespace}/create")], connections=1)
                declare = [post(f"/v1/table/{namespace}%24t{number:06}/declare") for number in range(count)]
                run_once(running.url, declare, connections=64)
            speeds = _interleaved(
                {
                    name: (running, f"/v1/namespace/{name}/table/list?limit={PAGE}&include_declared=true&n=", "GET")
                    for name in ("few", "many")
                }
            )
            figures = {f"among {count:,}": speeds[name] for name, count in (("few", FEW), ("many", MANY))}
            slower = speeds["few"] / speeds["many"]
            yield Row(f"page of {PAGE}, {running.name}", figures, "/s", f"{slower:.2f}x slower among many")


def operations(folder: Path) -> Iterator[Row]:
    """Measure operations on the reference server and on RestAdapter, in turns."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(reference("memory")),
            stack.enter_context(reference(f"dir:{folder / 'operations'}")),
            stack.enter_context(rest_adapter(folder / "adapter")),
        ]
        for server in servers:
            _fill(server)
        for what, path, method in (
            ("ListNamespaces", "/v1/namespace/%24/list?limit=10", "GET"),
            ("DescribeNamespace", "/v1/namespace/ns/describe", "POST"),
            ("ListTables", "/v1/namespace/ns/table/list?limit=10", "GET"),
            ("DescribeTable", "/v1/table/ns%24t3/describe", "POST"),
            ("TableExists", "/v1/table/ns%24t3/exists", "POST"),
            ("ListTables, never asked before", "/v1/namespace/ns/table/list?limit=10&n=", "GET"),
            ("DescribeTable, never asked before", "/v1/table/ns%24t3/describe?n=", "POST"),
        ):
            speeds = _interleaved({server.name: (server, path, method) for server in servers})
            peer = speeds["RestAdapter"]
            ours = [name for name in speeds if name != "RestAdapter"]
            ratio = ", ".join(f"{speeds[name] / peer:.1f}x ({name.split()[1]})" for name in ours)
            yield Row(what, speeds, "/s", ratio)


def _fill(server: Running) -> None:
    post = _poster(server.url)
    names = [post(f"/v1/namespace/{name}/create") for name in ("ns", *(f"n{number}" for number in range(10)))]
    run_once(server.url, names, connections=1)
    rows = stream(tables(3))
    create = [
        request(server.url, "POST", f"/v1/table/ns%24t{number}/create", rows, STREAM_TYPE) for number in range(11)
    ]
    run_once(server.url, create, connections=1)


def _poster(url: str) -> Callable[[str], bytes]:
    return lambda path: request(url, "POST", path, b"{}")


def _interleaved(loads: dict[str, tuple[Running, str, str]]) -> dict[str, float]:
    """Return the median speed of each load over several rounds, taken in turns."""
    speeds: dict[str, list[float]] = {name: [] for name in loads}
    for _ in range(ROUNDS):
        for name, (server, path, method) in loads.items():
            requests = _requests(server.url, path, method)
            load = run_load(server.url, requests, seconds=SECONDS, connections=CONNECTIONS)
            if load.errors:
                raise RuntimeError(f"{server.name} refused {method} {path} {load.errors} times")
            speeds[name].append(load.per_second)
    return {name: round(statistics.median(found), 1) for name, found in speeds.items()}


def _requests(url: str, path: str, method: str) -> Iterator[bytes]:
    """Return the same request for ever, or, for a path that ends in "=", one that was never sent before."""
    body = b"" if method == "GET" else b"{}"
    if path.endswith("="):
        return numbered(lambda number: request(url, method, f"{path}{time.time_ns()}.{number}", body))
    return forever(request(url, method, path, body))


BENCHMARKS = (start_up, pages, operations)
