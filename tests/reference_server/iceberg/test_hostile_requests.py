"""Requests that cost the server much more than their senders: refused, or worked on beside those of others."""

from __future__ import annotations

import gzip
import itertools
import json
import time

import pytest

from reference_server import limits
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.types import canonical_type
from tests.reference_server.iceberg.conftest import SCHEMA
from tests.reference_server.served import JSON, served

TABLES, VIEWS, PLAN = "/v1/namespaces/a/tables", "/v1/namespaces/a/views", "/v1/namespaces/a/tables/{}/plan"
MOST = 0.7  # of the time that a request takes, for one answer to another client
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
numbers = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served("iceberg", tmp_path_factory.mktemp("log")) as server:
        server.send("POST", "/v1/namespaces", json={"namespace": ["a"]})
        yield server
        assert "Traceback" not in server.log


@pytest.fixture
def table(server):
    """The name of a new table of format version 3."""
    name = f"t{next(numbers)}"
    body = {"name": name, "schema": SCHEMA, "properties": {"format-version": "3"}}
    assert server.send("POST", TABLES, json=body).status == 200
    return name


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


def commit(server, table, updates):
    return server.beside(
        "POST", f"{TABLES}/{table}", body=json.dumps({"requirements": [], "updates": updates}), headers=JSON
    )


def message(answer):
    return answer.json()["error"]["message"]


@pytest.mark.parametrize("parents", [{1: 1}, {1: 2, 2: 1}, {1: None, 2: 4, 3: 2, 4: 3}])
def test_no_snapshot_is_its_own_ancestor(server, table, parents):
    answer, _ = commit(server, table, [snapshot(number, parent) for number, parent in parents.items()])
    assert answer.status == 400
    assert "its own ancestor" in message(answer)


def test_a_walk_over_snapshots_of_a_file_ends(server, table, tmp_path):
    commit(server, table, [snapshot(1), snapshot(2, 1)])
    metadata = server.send("GET", f"{TABLES}/{table}").json()["metadata"]
    metadata["snapshots"][0]["parent-snapshot-id"] = 2
    file = tmp_path / "00001-circle.metadata.json"
    file.write_text(json.dumps(metadata))
    answer = server.send("POST", "/v1/namespaces/a/register", json={"name": "circle", "metadata-location": str(file)})
    assert (answer.status, "its own ancestor" in message(answer)) == (400, True)


def test_acknowledged_counters_can_be_read_again(server, table):
    huge = 2**63 - 1
    answer, _ = commit(server, table, [snapshot(1, rows=huge)])
    assert answer.status == 200
    answer, _ = commit(server, table, [snapshot(2, rows=huge, first=huge)])
    assert (answer.status, "64 bits" in message(answer)) == (400, True)
    answer, _ = commit(server, table, [{"action": "add-spec", "spec": {"fields": [field("x", 2**31 - 1)]}}])
    assert answer.status == 200
    answer, _ = commit(server, table, [{"action": "add-spec", "spec": {"fields": [field("y", transform="bucket[4]")]}}])
    assert (answer.status, "32 bits" in message(answer)) == (400, True)


def field(name, id=None, transform="identity"):
    spec_field = {"name": name, "source-id": 1, "transform": transform}
    return spec_field if id is None else {**spec_field, "field-id": id}


def wide(number):
    fields = [{"id": n + 1, "name": f"c{number}_{n}", "type": "long", "required": False} for n in range(20)]
    return {"type": "struct", "schema-id": number, "fields": fields}


@pytest.mark.parametrize(
    "updates",
    [
        [{"action": "add-schema", "schema": wide(number)} for number in range(2000)],
        [{"action": "add-sort-order", "sort-order": {"order-id": n, "fields": [
            {"source-id": 1, "transform": f"bucket[{n}]", "direction": "asc", "null-order": "nulls-first"}
        ]}} for n in range(1, 6000)],
        [{"action": "set-properties", "updates": {f"k{number}": "v"}} for number in range(limits.UPDATES)],
        [snapshot(number + 1) for number in range(9000)],
    ],
    ids=["schemas", "orders", "properties", "snapshots"],
)  # fmt: skip
def test_many_updates_cost_what_they_change(server, table, updates):
    answer, waited = commit(server, table, updates)
    assert answer.status == 200
    assert waited < MOST


def test_too_many_updates_are_refused(server, table):
    update = {"action": "set-properties", "updates": {"k": "v"}}
    answer, _ = commit(server, table, [update] * (limits.UPDATES + 1))
    assert (answer.status, str(limits.UPDATES) in message(answer)) == (400, True)


def test_many_changes_of_one_table_are_one_transaction(server, table):
    update = {"identifier": {"namespace": ["a"], "name": table}, "requirements": []}
    changes = [{**update, "updates": [{"action": "set-properties", "updates": {f"k{n}": "v"}}]} for n in range(2000)]
    answer, waited = server.beside("POST", "/v1/transactions/commit", json={"table-changes": changes})
    assert answer.status == 204
    assert waited < MOST


def test_a_view_may_be_written_in_many_dialects(server):
    texts = [{"type": "sql", "sql": "select 1", "dialect": f"d{number}"} for number in range(100_000)]
    version = {"version-id": 1, "timestamp-ms": 1, "schema-id": 0, "summary": {}, "default-namespace": ["a"]}
    body = {"name": "v", "schema": SCHEMA, "view-version": {**version, "representations": texts}, "properties": {}}
    answer, waited = server.beside("POST", VIEWS, json=body)
    assert answer.status == 200
    assert waited < MOST


def test_requests_for_plans_have_a_limit(server, table):
    values = json.dumps(list(range(limits.PLAN // 6)))
    body = '{"filter":{"type":"in","term":"id","values":' + values + "}}"
    answer, _ = server.beside("POST", PLAN.format(table), body=body, headers=JSON)
    assert (answer.status, str(limits.PLAN) in message(answer)) == (413, True)
    values = json.dumps(list(range(100_000)))
    body = '{"filter":{"type":"in","term":"id","values":' + values + "}}"
    answer, waited = server.beside("POST", PLAN.format(table), body=body, headers=JSON)
    assert answer.status == 200
    assert waited < MOST


def test_the_token_endpoint_takes_small_forms(server):
    for body in (b"a=%41&" * 10_000_000, b"a=%41&" * 10_000):
        answer, _ = server.beside("POST", "/v1/oauth/tokens", body=body, headers=FORM)
        assert answer.status == 400
        assert str(limits.FORM) in answer.json()["error_description"]


@pytest.mark.parametrize("credentials", [b"Basic \xe9\xff", b"Basic !", "Basic \u00e9".encode(), b"Basic /w=="])
def test_credentials_that_cannot_be_read_are_refused(server, credentials):
    headers = {**FORM, "Authorization": credentials}
    answer = server.send("POST", "/v1/oauth/tokens", body=b"grant_type=client_credentials", headers=headers)
    assert (answer.status, answer.json()["error"]) == (401, "invalid_client")


def deep(levels, type="long"):
    for number in range(levels):
        type = {"type": "struct", "fields": [{"id": number + 10, "name": "n", "type": type, "required": False}]}
    return {"type": "struct", "fields": [{"id": 1, "name": "d", "type": type, "required": False}]}


@pytest.mark.parametrize(("levels", "status"), [(79, 200), (80, 400), (200, 400)])
def test_schemas_are_as_deep_as_can_be_written(server, levels, status):
    body = json.dumps({"name": f"deep{levels}", "schema": deep(levels)})
    assert server.send("POST", TABLES, body=body, headers=JSON).status == status


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/namespaces?pageSize=" + "9" * 5000, None),
        ("POST", "/v1/namespaces", b"[" * 1_000_000),
        ("POST", TABLES + "/{}", '{"requirements":[],"updates":[{"action":"add-spec","spec":{"fields":[{"source-id":1,'
         '"name":"b","transform":"bucket[' + "9" * 5000 + ']"}]}}]}'),
        ("POST", PLAN, '{"filter":{"type":"eq","term":"id","value":1' + "0" * 5000 + "}}"),
        ("POST", PLAN, '{"filter":{"type":"eq","term":"id","value":"' + "9" * 5000 + '"}}'),
        ("POST", TABLES + "/{}/tasks", '{"plan-task":"x-' + "9" * 5000 + '"}'),
    ],
)  # fmt: skip
def test_long_numbers_and_deep_bodies_are_refused(server, table, method, path, body):
    answer = server.send(method, path.format(table), body=body, headers=JSON)
    assert answer.status in (400, 404)


def test_metadata_files_are_unpacked_within_bounds(server, tmp_path):
    bomb, broken = tmp_path / "bomb.gz.metadata.json", tmp_path / "broken.gz.metadata.json"
    bomb.write_bytes(gzip.compress(bytes(limits.METADATA + 1), 1))
    broken.write_bytes(gzip.compress(b"{}" * 5000)[:15] + b"\xff" * 20)
    for file, said in ((bomb, str(limits.METADATA)), (broken, "not metadata")):
        body = {"name": "packed", "metadata-location": str(file)}
        answer, _ = server.beside("POST", "/v1/namespaces/a/register", json=body)
        assert (answer.status, said in message(answer)) == (400, True)


@pytest.mark.parametrize("text", ["geography({}", "geometry({}", "geography(x,{}", "decimal({}", "fixed[{}", "{}"])
def test_types_are_read_in_one_pass(text):
    with pytest.raises(InvalidMetadata):
        canonical_type(text.format(" " * 100_000))
