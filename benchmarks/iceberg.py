"""Iceberg API: start-up, and operations beside Iceberg's Java fixture server and Prism's static mock."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.load import request, run_once
from benchmarks.servers import Running, java_fixture, prism, reference
from benchmarks.workloads import RequestLoad, Row, measured, started
from conformance.iceberg.support.content import SCHEMA
from specs.profiles import find_profile

BASE = "/v1"
PEERS = ("fixture", "Prism")
TABLES = 100
SNAPSHOTS, SNAPSHOTS_PER_COMMIT = 1_300, 130  # 500 kB of metadata
TEN = [f"x{number}" for number in range(10)]
PADDING = {f"property-{number:02}": "x" * 60 for number in range(28)}  # 4 kB of metadata with the rest


def commit(*updates: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a commit without requirements."""
    return {"requirements": [], "updates": list(updates)}


def encoded(body: Any) -> bytes:
    """Return a body as bytes."""
    return json.dumps(body).encode()


SET = {"action": "set-properties", "updates": {"n": "{n}"}}
TRANSACTION = {
    "table-changes": [{"identifier": {"namespace": ["ns"], "name": name}, **commit(SET)} for name in TEN],
}
NEW = {"name": "c{n}", "schema": SCHEMA}
WORKLOADS = (
    RequestLoad("loadTable, 4 kB", "/namespaces/ns/tables/small", "GET"),
    RequestLoad("loadTable, 4 kB, not cached", "/namespaces/ns/tables/small?n={n}", "GET"),
    RequestLoad("loadTable, 500 kB", "/namespaces/ns/tables/large", "GET"),
    RequestLoad("tableExists", "/namespaces/ns/tables/small", "HEAD"),
    RequestLoad("listTables, 100", "/namespaces/many/tables", "GET"),
    RequestLoad("listTables, 100, not cached", "/namespaces/many/tables?n={n}", "GET"),
    RequestLoad("createTable", "/namespaces/new/tables", body=encoded(NEW)),
    RequestLoad("updateTable, one writer", "/namespaces/ns/tables/x0", body=encoded(commit(SET)), connections=1),
    RequestLoad("commitTransaction, 10 tables", "/transactions/commit", body=encoded(TRANSACTION), connections=1),
)


def document(folder: Path) -> Path:
    """Write the document for Prism: without credentials, and without headers, since a header with a list crashes it."""
    raw = json.loads(json.dumps(find_profile("iceberg").document().raw))
    raw.pop("security", None)
    for item in raw["paths"].values():
        for part in item.values():
            if isinstance(part, dict):
                part.pop("security", None)
                part["parameters"] = [
                    parameter for parameter in part.get("parameters", ()) if not _is_header(raw, parameter)
                ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "document.json"
    path.write_text(json.dumps(raw))
    return path


def _is_header(raw: dict[str, Any], parameter: dict[str, Any]) -> bool:
    named = parameter.get("$ref", "").rpartition("/")[2]
    return bool((raw["components"]["parameters"][named] if named else parameter)["in"] == "header")


def start_up_iceberg(folder: Path) -> Iterator[Row]:
    """Measure the time from the start of the process to readiness."""
    stored = reference("iceberg", f"dir:{folder}/start")
    yield started((reference("iceberg", "memory"), stored, java_fixture()))


def operations_iceberg(folder: Path) -> Iterator[Row]:
    """Measure operations on the reference server and its peers, in turns."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(reference("iceberg", "memory", BASE)),
            stack.enter_context(reference("iceberg", f"dir:{folder / 'operations'}", BASE)),
            stack.enter_context(java_fixture()),
        ]
        for server in servers:
            _fill(server)
        servers.append(stack.enter_context(prism(document(folder))))
        for load in WORKLOADS:
            yield from measured(load.quantity, {server.name: (server, load) for server in servers}, PEERS)


def _fill(server: Running) -> None:
    """Create the objects of the requests. Raises RuntimeError if the server rejects a creation."""
    posts = [("/namespaces", {"namespace": [name], "properties": {}}) for name in ("ns", "many", "new")]
    posts += [("/namespaces/many/tables", {"name": f"t{number:03}", "schema": SCHEMA}) for number in range(TABLES)]
    posts += [("/namespaces/ns/tables", {"name": name, "schema": SCHEMA}) for name in (*TEN, "large")]
    posts += [("/namespaces/ns/tables", {"name": "small", "schema": SCHEMA, "properties": PADDING})]
    for first in range(1, SNAPSHOTS + 1, SNAPSHOTS_PER_COMMIT):
        posts.append(
            ("/namespaces/ns/tables/large", commit(*map(snapshot, range(first, first + SNAPSHOTS_PER_COMMIT))))
        )
    raw = [request(server.url, "POST", server.base + path, encoded(body)) for path, body in posts]
    refused = run_once(server.url, raw, connections=1).errors
    if refused:
        raise RuntimeError(f"{server.name} rejected {refused} requests while it was filled")


def snapshot(number: int) -> dict[str, Any]:
    """Return the update that adds a snapshot, by its number, to a table."""
    totals = {name: str(number * 1_000) for name in ("added-records", "total-records", "total-files-size")}
    added = {
        "snapshot-id": 3_055_729_675_574_590_000 + number,
        "sequence-number": number,
        "timestamp-ms": 1_800_000_000_000 + number,
        "manifest-list": f"file:///warehouse/ns/large/metadata/snap-{number:019}-1-d8c1e4d8.avro",
        "summary": {"operation": "append", **totals},
        "schema-id": 0,
    }
    return {"action": "add-snapshot", "snapshot": added}


BENCHMARKS = (start_up_iceberg, operations_iceberg)
