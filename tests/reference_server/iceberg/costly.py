"""Requests of the Iceberg API that cost a server much more than their sender."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

from tests.reference_server.costly import Costly, encoded_bodies, zeros_in_gzip
from tests.reference_server.iceberg.conftest import SCHEMA

NAMESPACES, TABLES, VIEWS = "/v1/namespaces", "/v1/namespaces/a/tables", "/v1/namespaces/a/views"
TABLE, PLAN, REGISTER = f"{TABLES}/t", f"{TABLES}/t/plan", "/v1/namespaces/a/register"
TOKENS, TRANSACTIONS = "/v1/oauth/tokens", "/v1/transactions/commit"
KEY = {"Idempotency-Key": "0190f3a4-7b1c-7def-8abc-0123456789ab"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
DIGITS = "9" * 5000
GZIP = b"\x1f\x8b\x08"


def snapshot(number, parent=None, sequence=None, rows=0, first=0):
    fields = {
        "snapshot-id": number,
        "sequence-number": sequence or number,
        "timestamp-ms": time.time_ns() // 1_000_000,
        "manifest-list": "file:///tmp/none.avro",
        "summary": {"operation": "append"},
        "first-row-id": first,
        "added-rows": rows,
    }
    return {
        "action": "add-snapshot",
        "snapshot": fields if parent is None else {**fields, "parent-snapshot-id": parent},
    }


def spec_field(name, id=None, transform="identity"):
    field = {"name": name, "source-id": 1, "transform": transform}
    return field if id is None else {**field, "field-id": id}


def wide(number, columns=20):
    fields = [{"id": n + 1, "name": f"c{number}_{n}", "type": "long", "required": False} for n in range(columns)]
    return {"type": "struct", "schema-id": number, "fields": fields}


def deep(levels, type="long"):
    for number in range(levels):
        type = {"type": "struct", "fields": [{"id": number + 10, "name": "n", "type": type, "required": False}]}
    return {"type": "struct", "fields": [{"id": 1, "name": "d", "type": type, "required": False}]}


def schemas(count):
    return [{"action": "add-schema", "schema": wide(number)} for number in range(count)]


def orders(count):
    field = {"source-id": 1, "direction": "asc", "null-order": "nulls-first"}
    fields = ([{**field, "transform": f"bucket[{number}]"}] for number in range(1, count + 1))
    return [{"action": "add-sort-order", "sort-order": {"order-id": n, "fields": f}} for n, f in enumerate(fields, 1)]


def specs(count):
    fields = ([spec_field("p", transform=f"bucket[{number}]")] for number in range(1, count + 1))
    return [{"action": "add-spec", "spec": {"fields": partitioning}} for partitioning in fields]


def properties(count):
    return [{"action": "set-properties", "updates": {f"k{number}": "v"}} for number in range(count)]


def changes_of_one(table, count):
    """Return the body of a transaction that changes one table many times."""
    change = {"identifier": {"namespace": ["a"], "name": table}, "requirements": []}
    return {"table-changes": [{**change, "updates": [update]} for update in properties(count)]}


def view(name, dialects):
    texts = [{"type": "sql", "sql": "select 1", "dialect": f"d{number}"} for number in range(dialects)]
    version = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
    return {"name": name, "schema": SCHEMA, "view-version": {**version, "representations": texts}, "properties": {}}


def filter_of(count):
    """Return the body of a request for a scan plan whose filter has this many values."""
    return {"filter": {"type": "in", "term": "id", "values": list(range(count))}}


def nested_filter(levels):
    return b'{"filter":' + b'{"type":"not","child":' * levels + b"true" + b"}" * levels + b"}"


def circle(metadata):
    """Return metadata of two snapshots each of which is the other's parent."""
    first, second = metadata["snapshots"][:2]
    return {**metadata, "snapshots": [{**first, "parent-snapshot-id": 2}, {**second, "parent-snapshot-id": 1}]}


def _commits():
    def commit(name, updates):
        return Costly(name, "POST", TABLE, {"requirements": [], "updates": updates})

    return [
        commit("a snapshot that is its own parent", [snapshot(1, 1)]),
        commit("a circle of two snapshots", [snapshot(1, 2), snapshot(2, 1)]),
        commit("9,000 snapshots, each the parent of the next", [snapshot(n, n - 1 or None) for n in range(1, 9001)]),
        commit("2,000 add-schema", schemas(2000)),
        commit("6,000 add-sort-order", orders(6000)),
        commit("10,000 add-spec", specs(10_000)),
        commit("10,000 set-properties", properties(10_000)),
        commit("60,000 set-properties", properties(60_000)),
        commit("a bucket of 5,000 digits", [{"action": "add-spec", "spec": {"fields": [
            spec_field("b", transform=f"bucket[{DIGITS}]")]}}]),
        Costly("2,000 changes of one table", "POST", TRANSACTIONS, changes_of_one("t", 2000)),
        Costly("20,000 changes of one table", "POST", TRANSACTIONS, changes_of_one("t", 20_000)),
    ]  # fmt: skip


def _plans():
    between = {"start-snapshot-id": 1, "end-snapshot-id": 9000}
    return [
        Costly("an incremental plan over 9,000 snapshots", "POST", PLAN, between),
        Costly("a filter of 100,000 values", "POST", PLAN, filter_of(100_000)),
        Costly("a filter of 1,000,000 values", "POST", PLAN, filter_of(1_000_000)),
        Costly("a filter of 40,000 nested NOT", "POST", PLAN, nested_filter(40_000)),
        Costly("a filter with 5,000 digits", "POST", PLAN, {"filter": {"type": "eq", "term": "id", "value": DIGITS}}),
    ]


def _documents():
    def table(name, schema):
        return Costly(name, "POST", TABLES, {"name": f"n{len(name)}", "schema": schema})

    blank = "geography(" + " " * 100_000
    made = {"namespace": ["p"], "properties": {f"k{n}": "v" for n in range(250_000)}}
    return [
        table("geography( with 100,000 blanks", {**SCHEMA, "fields": [{**SCHEMA["fields"][0], "type": blank}]}),
        table("90 nested structs", deep(90)),
        table("5,000 nested structs", None)._replace(body=_nested_types(5000)),
        table("50,000 columns", wide(0, 50_000)),
        Costly("a view in 200,000 dialects", "POST", VIEWS, view("v", 200_000)),
        Costly("a view in 60,000 dialects", "POST", VIEWS, view("v", 60_000)),
        Costly("a namespace with 250,000 properties", "POST", NAMESPACES, made),
        Costly("a million empty lists", "POST", NAMESPACES, b'{"namespace":[' + b"[]," * 1_000_000 + b"[]]}"),
        Costly("a namespace of a million levels", "POST", NAMESPACES, {"namespace": ["x"] * 1_000_000}),
        Costly("a million wrong values", "POST", NAMESPACES, {"namespace": [1] * 1_000_000}),
    ]


def _nested_types(levels):
    opening = b'{"type":"struct","fields":[{"id":2,"name":"n","required":false,"type":'
    schema = opening * levels + b'"long"' + b"}]}" * levels
    return b'{"name":"nested","schema":' + schema + b"}"


def _tokens():
    basic = {**FORM, "Authorization": "Basic \u00e9\u00ff"}
    return [
        Costly("a form of 60 MiB", "POST", TOKENS, b"a=%41&" * 10_000_000, FORM),
        Costly("credentials that are not ASCII", "POST", TOKENS, b"grant_type=client_credentials", basic),
        Costly("pageSize with 5,000 digits", "GET", f"{NAMESPACES}?pageSize={DIGITS}"),
    ]


def _files(server, folder):
    """Registrations of files that are more than they seem, and of the largest that there may be."""
    metadata = server.send("GET", TABLE).json()["metadata"]
    short = {**metadata, "snapshots": metadata["snapshots"][:2], "snapshot-log": [], "refs": {}}
    padded = {**short, "properties": {f"k{n:06}": "v" * 100 for n in range(240_000)}, "current-snapshot-id": -1}
    elsewhere = {**padded, "location": f"{metadata['location'].rpartition('/')[0]}/padded"}
    contents = {
        "a circle of snapshots in a file": json.dumps(circle({**short, "current-snapshot-id": -1})).encode(),
        "metadata of 4 GiB in gzip": zeros_in_gzip(4 << 30),
        "metadata that is not gzip": GZIP + b"\xff" * 5000,
        "metadata of 30 MB": json.dumps(elsewhere).encode(),
    }
    for number, (name, content) in enumerate(contents.items()):
        file = folder / f"0000{number}.{'gz.' if content.startswith(GZIP) else ''}metadata.json"
        file.write_bytes(content)
        yield Costly(name, "POST", REGISTER, {"name": f"f{number}", "metadata-location": str(file)})
    yield Costly("a table with 30 MB of metadata", "GET", f"{TABLES}/f3")
    update = {"action": "set-properties", "updates": {"k": "v"}}
    yield Costly("a commit to it", "POST", f"{TABLES}/f3", {"requirements": [], "updates": [update]})
    for name in ("a commit to it under a key", "the same under the same key"):
        yield Costly(name, "POST", f"{TABLES}/f3", {"requirements": [], "updates": [update]}, KEY)
    yield Costly("a plan of it", "POST", f"{TABLES}/f3/plan", {})
    deep = f"{metadata['location']}-deep{'/x' * 4000}"
    yield Costly("a location of 4,000 folders", "POST", TABLES, {"name": "deep", "schema": SCHEMA, "location": deep})
    listing = f"{NAMESPACES}?parent=many"
    yield Costly("a listing of 100,000 without pages", "GET", listing, prepare=_namespaces)


def _namespaces(server):
    """Make 100,000 namespaces in one."""

    def make(*name):
        return server.send("POST", NAMESPACES, json={"namespace": name}).status

    assert make("many") == 200
    with ThreadPoolExecutor(4) as clients:
        assert set(clients.map(lambda number: make("many", f"n{number}"), range(100_000))) == {200}


def costly_requests(server, folder):
    """Yield the requests, in an order in which each finds what it needs."""
    assert server.send("POST", NAMESPACES, json={"namespace": ["a"]}).status == 200
    body = {"name": "t", "schema": SCHEMA, "properties": {"format-version": "3"}}
    assert server.send("POST", TABLES, json=body).status == 200
    yield from _commits()
    yield from _plans()
    yield from _documents()
    yield from _tokens()
    yield from encoded_bodies(NAMESPACES)
    yield from _files(server, folder)
