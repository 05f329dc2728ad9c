"""Requests of all kinds as they should be, drawn at random, and what they need."""

from __future__ import annotations

from typing import Any

from tests.reference_server.drawn_requests import Drawn
from tests.reference_server.iceberg.committing import creation
from tests.reference_server.iceberg.conftest import SCHEMA

NAMES = ("t", "u", "v")
VERSION = {"timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
SQL = [{"type": "sql", "sql": "select 1", "dialect": "spark"}]
BUCKET = {"type": "transform", "transform": "bucket[4]", "term": "id"}
FILTERS = (
    True,
    {"type": "eq", "term": "id", "value": 5},
    {"type": "in", "term": "name", "values": ["a", "b"]},
    {
        "type": "not",
        "child": {"type": "is-null", "term": {"type": "transform", "transform": "bucket[4]", "term": "id"}},
    },
    {"type": "and", "left": {"type": "lt", "term": "id", "value": 9}, "right": {"type": "not-null", "term": "name"}},
)


def identifier(draw):
    return {"namespace": [draw.choice("ab")], "name": draw.choice(NAMES)}


def updates(draw, number):
    """One or two updates of a table that can be made at any time."""
    snapshot = {"snapshot-id": number + 1, "sequence-number": number + 1, "timestamp-ms": 2**42 + number}
    snapshot |= {"manifest-list": "file:///tmp/none.avro", "summary": {"operation": "append"}, "schema-id": 0}
    spec = {"fields": [{"name": f"p{number}", "source-id": 1, "transform": "bucket[4]"}]}
    order = {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}
    ref = {"ref-name": f"r{number}", "type": "branch", "snapshot-id": number + 1}
    column = {"id": 9, "name": f"c{number}", "type": "decimal(9,2)", "required": False}
    statistics = {"snapshot-id": 1, "statistics-path": "x", "file-size-in-bytes": 1, "file-footer-size-in-bytes": 1}
    choices = [
        [{"action": "set-properties", "updates": {"k": str(number)}}],
        [{"action": "remove-properties", "removals": ["k"]}],
        [{"action": "add-snapshot", "snapshot": snapshot}, {"action": "set-snapshot-ref", **ref}],
        [{"action": "add-spec", "spec": spec}, {"action": "set-default-spec", "spec-id": -1}],
        [{"action": "add-sort-order", "sort-order": {"order-id": 1, "fields": [order]}}],
        [{"action": "add-schema", "schema": {**SCHEMA, "fields": [*SCHEMA["fields"], column]}}],
        [{"action": "set-statistics", "statistics": {**statistics, "blob-metadata": []}}],
        [{"action": "remove-snapshots", "snapshot-ids": [number]}],
    ]
    return draw.choice(choices)


def commit(draw, number):
    required = draw.choice(([], [{"type": "assert-current-schema-id", "current-schema-id": 0}]))
    return {"requirements": required, "updates": updates(draw, number)}


def of_namespaces(draw, number):
    namespaces, namespace = ("v1", "namespaces"), ("v1", "namespaces", draw.choice("ab"))
    return [
        Drawn("GET", ("v1", "config")),
        Drawn("GET", namespaces, query="pageSize=2"),
        Drawn("POST", namespaces, {"namespace": [f"n{number}"], "properties": {"k": "v"}}),
        Drawn("GET", namespace),
        Drawn("POST", (*namespace, "properties"), {"removals": ["x"], "updates": {"k": str(number)}}),
        Drawn("POST", ("v1", "tables", "rename"), {"source": identifier(draw), "destination": identifier(draw)}),
        Drawn("POST", ("v1", "views", "rename"), {"source": identifier(draw), "destination": identifier(draw)}),
        Drawn(
            "POST",
            ("v1", "transactions", "commit"),
            {"table-changes": [{"identifier": identifier(draw), **commit(draw, number)} for _ in range(2)]},
        ),
    ]


def of_tables(draw, number):
    namespace = ("v1", "namespaces", draw.choice("ab"))
    tables, table = (*namespace, "tables"), (*namespace, "tables", draw.choice(NAMES))
    new = {"name": draw.choice(NAMES), "schema": SCHEMA, "properties": {"format-version": draw.choice("123")}}
    metrics = {"report-type": "commit-report", "table-name": "t", "snapshot-id": 1, "sequence-number": 1}
    made = {"requirements": [{"type": "assert-create"}], "updates": creation()}
    return [
        *[Drawn("POST", tables, new)] * 3,
        Drawn("POST", tables, {**new, "stage-create": True}),
        Drawn("GET", tables),
        *[Drawn("GET", table)] * 2,
        *[Drawn("POST", table, commit(draw, number))] * 4,
        Drawn("POST", table, made),
        Drawn("POST", (*table, "plan"), {"filter": draw.choice(FILTERS), "select": ["id"], "case-sensitive": True}),
        Drawn("POST", (*table, "metrics"), {**metrics, "operation": "append", "metrics": {}, "metadata": {}}),
        Drawn("GET", (*table, "credentials")),
        Drawn("POST", (*table, "unregister")),
        Drawn("POST", (*namespace, "register"), {"name": "r", "metadata-location": "file:///tmp/none.metadata.json"}),
        Drawn("DELETE", table, query=draw.choice(("", "purgeRequested=true"))),
    ]


def of_views(draw, number):
    views = ("v1", "namespaces", draw.choice("ab"), "views")
    version = {**VERSION, "version-id": number + 1, "representations": SQL}
    changes: list[dict[str, Any]] = [{"action": "add-view-version", "view-version": version}]
    changes.append({"action": "set-current-view-version", "view-version-id": -1})
    return [
        Drawn("GET", views),
        Drawn("POST", views, {"name": draw.choice(NAMES), "schema": SCHEMA, "view-version": version, "properties": {}}),
        Drawn("GET", (*views, draw.choice(NAMES))),
        Drawn("POST", (*views, draw.choice(NAMES)), {"requirements": [], "updates": changes}),
        Drawn("DELETE", (*views, draw.choice(NAMES))),
    ]


def drawn_request(draw, number):
    return draw.choice([*of_namespaces(draw, number), *of_tables(draw, number), *of_views(draw, number)])


def prepare(server):
    for name in "ab":
        assert server.send("POST", "/v1/namespaces", json={"namespace": [name]}).status == 200
