"""Parts of the mock: requests with and without the journal, and tenants beside servers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from benchmarks.processes import PAGE, processes
from benchmarks.servers import Running, reference
from benchmarks.workloads import RequestLoad, Row, measured
from reference_server.control.client import RemoteServer, connect
from reference_server.serve import servable

TENANTS, WORKERS, SAMPLES = 1_000, 8, 100
MEGABYTE = 1 << 20


def journal_cost(_folder: Path) -> Iterator[Row]:
    """Measure the cheapest request, an answer of the cache, without and with the journal."""
    load = RequestLoad("cached answer, journal", "/v1/config", "GET")
    with ExitStack() as stack:
        servers = {
            f"journal {value}": stack.enter_context(reference("iceberg", "memory", options=("--journal", value)))
            for value in ("none", "memory")
        }
        yield from measured(load.quantity, {name: (server, load) for name, server in servers.items()})


def tenants(_folder: Path) -> Iterator[Row]:
    """Measure a tenant of every API, one at a time, and a thousand of them by several workers."""
    for api in servable():
        with reference(api, "memory") as running:
            server = connect(running.url)
            yield _one_at_a_time(api, server, running)
            yield from _many(api, server, running)


def _one_at_a_time(api: str, server: RemoteServer, running: Running) -> Row:
    made, dropped = [], []
    for _ in range(SAMPLES):
        began = time.perf_counter()
        tenant = server.tenant()
        made.append(time.perf_counter() - began)
        tenant.drop()
        dropped.append(time.perf_counter() - began - made[-1])
    figures = {"tenant": _median(made), "drop": _median(dropped), "server": round(running.seconds * 1000)}
    return Row(f"{api}: a tenant", figures, "ms", f"{figures['server'] / figures['tenant']:.0f}x")


def _many(api: str, server: RemoteServer, running: Running) -> Iterator[Row]:
    """Make and drop many tenants twice: memory that was given back is used again."""
    ids = [f"t{number}" for number in range(TENANTS)]
    memory = {"before": _megabytes(running)}
    for turn in ("first", "second"):
        _each(ids, lambda id: server.control("POST", "/tenants", {"id": id}))
        memory[turn] = _megabytes(running)
        _each(ids, lambda id: server.control("DELETE", f"/tenants/{id}"))
    yield Row(f"{api}: {TENANTS:,} tenants, memory", memory, "MB", f"{memory['second'] / memory['first']:.2f}x")


def _each(ids: list[str], act: Callable[[str], object]) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(act, ids))


def _median(seconds: list[float]) -> float:
    return round(sorted(seconds)[len(seconds) // 2] * 1000, 2)


def _megabytes(running: Running) -> float:
    return round(sum(pages for *_, pages in processes(running.pid)) * PAGE / MEGABYTE, 1)


BENCHMARKS = (journal_cost, tenants)
