"""Growing collections of the Iceberg API: the tables of a namespace, and the snapshots of a table."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.growing import Growing, Measurement, Start, sent
from benchmarks.iceberg import BASE, SET, commit, encoded, snapshot
from benchmarks.load import request, run_once
from benchmarks.servers import Running, java_fixture, reference
from benchmarks.workloads import RequestLoad
from conformance.iceberg.support.content import SCHEMA

STARTS: dict[str, Start] = {
    "memory": lambda _: reference("iceberg", "memory", BASE),
    "directory": lambda folder: reference("iceberg", f"dir:{folder}", BASE),
    "Java fixture": lambda _: java_fixture(),
}
TABLE = "/namespaces/ns/tables/t00000"
PAGE = "/namespaces/ns/tables?pageToken=&pageSize=100&n={n}"
PER_COMMIT = 500  # snapshots
CREATE = RequestLoad("createTable", "/namespaces/ns/tables", body=encoded({"name": "x{n}", "schema": SCHEMA}))
LIST = RequestLoad("listTables, a page of 100", PAGE, "GET")
LOAD = RequestLoad("loadTable", TABLE + "?n={n}", "GET")
COMMIT = RequestLoad("updateTable", TABLE, body=encoded(commit(SET)))


def _post(server: Running, path: str, body: object) -> bytes:
    return request(server.url, "POST", server.base + path, encoded(body))


def _namespace(server: Running) -> None:
    if run_once(server.url, [_post(server, "/namespaces", {"namespace": ["ns"]})], connections=1).errors:
        raise RuntimeError(f"{server.name} rejected the creation of a namespace")


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
        Measurement(CREATE),
        Measurement(LIST),
        Measurement(RequestLoad(f"{LIST.quantity}, after a write", PAGE, "GET"), after=CREATE),
        Measurement(LOAD),
        Measurement(RequestLoad("loadTable, after another was created", LOAD.path, "GET"), after=CREATE),
    ),
)
SNAPSHOTS = Growing(
    "snapshots",
    STARTS,
    _snapshots,
    (
        Measurement(COMMIT),
        Measurement(RequestLoad("loadTable, after a commit", LOAD.path, "GET"), after=COMMIT),
        Measurement(
            RequestLoad("loadTable of refs, after a commit", LOAD.path + "&snapshots=refs", "GET"), after=COMMIT
        ),
        Measurement(LOAD),
    ),
)
GROWING = (TABLES, SNAPSHOTS)
