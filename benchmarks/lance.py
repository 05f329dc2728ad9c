"""Lance API: start-up, and operations beside pylance's RestAdapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from benchmarks.load import request, run_once
from benchmarks.servers import Running, reference, rest_adapter
from benchmarks.workloads import RequestLoad, Row, measured, started
from conformance.author.strategies import tables
from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream

PEERS = ("RestAdapter",)
THOUSAND = stream(tables(1000))
PREDICATE = b'{"predicate":"id > 1"}'
QUERY = b'{"vector":{},"k":10,"filter":"id > 1"}'
WORKLOADS = (
    RequestLoad("ListNamespaces", "/v1/namespace/%24/list?limit=10", "GET"),
    RequestLoad("ListTables", "/v1/namespace/ns/table/list?limit=10", "GET"),
    RequestLoad("DescribeTable", "/v1/table/ns%24t3/describe"),
    RequestLoad("ListTables, not cached", "/v1/namespace/ns/table/list?limit=10&n={n}", "GET"),
    RequestLoad("DescribeTable, not cached", "/v1/table/ns%24t3/describe?n={n}"),
    RequestLoad("CreateNamespace", "/v1/namespace/ns%24{n}/create"),
    RequestLoad("DeclareTable", "/v1/table/ns%24d{n}/declare"),
    RequestLoad("CreateTable, 1k rows", "/v1/table/ns%24c{n}/create", body=THOUSAND, kind=STREAM_TYPE),
    RequestLoad("InsertIntoTable, 1k rows", "/v1/table/ns%24t1/insert", body=THOUSAND, kind=STREAM_TYPE, connections=1),
    RequestLoad("CountTableRows", "/v1/table/ns%24t3/count_rows"),
    RequestLoad("CountTableRows, predicate", "/v1/table/ns%24t3/count_rows", body=PREDICATE),
    RequestLoad("QueryTable, filter", "/v1/table/ns%24t3/query", body=QUERY),
    RequestLoad("CountTableRows, predicate, not cached", "/v1/table/ns%24t3/count_rows?n={n}", body=PREDICATE),
    RequestLoad("QueryTable, filter, not cached", "/v1/table/ns%24t3/query?n={n}", body=QUERY),
    RequestLoad("ListTableVersions", "/v1/table/ns%24t3/version/list"),
)


def start_up(folder: Path) -> Iterator[Row]:
    """Measure the time from the start of the process to readiness."""
    stored = reference("lance", f"dir:{folder}/start")
    yield started((reference("lance", "memory"), stored, rest_adapter(folder / "adapter")))


def operations(folder: Path) -> Iterator[Row]:
    """Measure operations on the reference server and on RestAdapter, in turns."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(reference("lance", "memory")),
            stack.enter_context(reference("lance", f"dir:{folder / 'operations'}")),
            stack.enter_context(rest_adapter(folder / "adapter")),
        ]
        for server in servers:
            _fill(server)
        for load in WORKLOADS:
            yield from measured(load.quantity, {server.name: (server, load) for server in servers}, PEERS)


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


BENCHMARKS = (start_up, operations)
