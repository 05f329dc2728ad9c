"""What grows in the Iceberg API: the tables of a namespace, and the snapshots of a table."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.growing import Growing, Operation, Start, sent
from benchmarks.iceberg import BASE, SET, commit, encoded, snapshot
from benchmarks.load import request, run_once
from benchmarks.servers import Running, java_fixture, reference
from benchmarks.workloads import Workload
from conformance.iceberg.support.content import SCHEMA

STARTS: dict[str, Start] = {
    "memory": lambda _: reference("iceberg", "memory", BASE),
    "directory": lambda folder: reference("iceberg", f"dir:{folder}", BASE),
    "Java fixture": lambda _: java_fixture(),
}
TABLE = "/namespaces/ns/tables/t00000"
PAGE = "/namespaces/ns/tables?pageToken=&pageSize=100&n={n}"
PER_COMMIT = 500  # snapshots
CREATE = Workload("createTable", "/namespaces/ns/tables", body=encoded({"name": "x{n}", "schema": SCHEMA}))
LIST = Workload("listTables, a page of 100", PAGE, "GET")
LOAD = Workload("loadTable", TABLE + "?n={n}", "GET")
COMMIT = Workload("updateTable", TABLE, body=encoded(commit(SET)))


def _post(server: Running, path: str, body: object) -> bytes:
    return request(server.url, "POST", server.base + path, encoded(body))


def _namespace(server: Running) -> None:
    if run_once(server.url, [_post(server, "/namespaces", {"namespace": ["ns"]})], connections=1).errors:
        raise RuntimeError(f"{server.name} refused to create a namespace")


def _tables(server: Running, size: int) -> Iterator[int]:
    """Create tables in a namespace."""
    _namespace(server)
    bodies = ({"name": f"t{number:05}", "schema": SCHEMA} for number in range(size))
    return sent(server, (_post(server, "/namespaces/ns/tables", body) for body in bodies))


def _snapshots(server: Running, size: int) -> Iterator[int]:
    """Add snapshots to a table, many with each commit."""
    yield from _tables(server, 1)
    per_commit = min(size, PER_COMMIT)
    for first in range(1, size + 1, per_commit):
        body = commit(*map(snapshot, range(first, first + per_commit)))
        yield from (first - 1 + made for made in sent(server, iter([_post(server, TABLE, body)]), 1, per_commit))


TABLES = Growing(
    "tables",
    STARTS,
    _tables,
    (
        Operation(CREATE),
        Operation(LIST),
        Operation(Workload(f"{LIST.quantity}, after a write", PAGE, "GET"), after=CREATE),
        Operation(LOAD),
        Operation(Workload("loadTable, after another was created", LOAD.path, "GET"), after=CREATE),
    ),
)
SNAPSHOTS = Growing(
    "snapshots",
    STARTS,
    _snapshots,
    (
        Operation(COMMIT),
        Operation(Workload("loadTable, after a commit", LOAD.path, "GET"), after=COMMIT),
        Operation(Workload("loadTable of refs, after a commit", LOAD.path + "&snapshots=refs", "GET"), after=COMMIT),
        Operation(LOAD),
    ),
)
GROWING = (TABLES, SNAPSHOTS)
