"""Requests that cost the server much more than their senders: refused, or worked on beside those of others."""

from __future__ import annotations

import gzip
import itertools
import json

import pytest

from reference_server import limits
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.types import canonical_type
from tests.reference_server.costly import zeros_in_gzip
from tests.reference_server.iceberg.conftest import SCHEMA
from tests.reference_server.iceberg.costly import (
    FORM,
    REGISTER,
    TABLES,
    TOKENS,
    TRANSACTIONS,
    VIEWS,
    changes_of_one,
    circle,
    deep,
    filter_of,
    orders,
    properties,
    schemas,
    snapshot,
    spec_field,
    specs,
    view,
)
from tests.reference_server.served import JSON, served

PLAN = TABLES + "/{}/plan"
MOST = 0.7  # of the time that a request takes, for one answer to another client
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
    file = tmp_path / "00001-circle.metadata.json"
    file.write_text(json.dumps(circle(metadata)))
    answer = server.send("POST", REGISTER, json={"name": "circle", "metadata-location": str(file)})
    assert (answer.status, "its own ancestor" in message(answer)) == (400, True)


def test_acknowledged_counters_can_be_read_again(server, table):
    huge = 2**63 - 1
    answer, _ = commit(server, table, [snapshot(1, rows=huge)])
    assert answer.status == 200
    answer, _ = commit(server, table, [snapshot(2, rows=huge, first=huge)])
    assert (answer.status, "64 bits" in message(answer)) == (400, True)
    answer, _ = commit(server, table, [{"action": "add-spec", "spec": {"fields": [spec_field("x", 2**31 - 1)]}}])
    assert answer.status == 200
    answer, _ = commit(
        server, table, [{"action": "add-spec", "spec": {"fields": [spec_field("y", transform="bucket[4]")]}}]
    )
    assert (answer.status, "32 bits" in message(answer)) == (400, True)


@pytest.mark.parametrize(
    "updates",
    [
        schemas(2000),
        orders(6000),
        properties(limits.UPDATES),
        specs(limits.UPDATES),
        [snapshot(n + 1) for n in range(9000)],
    ],
    ids=["schemas", "orders", "properties", "specs", "snapshots"],
)
def test_many_updates_cost_what_they_change(server, table, updates):
    answer, waited = commit(server, table, updates)
    assert answer.status == 200
    assert waited < MOST


def test_too_many_updates_are_refused(server, table):
    update = {"action": "set-properties", "updates": {"k": "v"}}
    answer, _ = commit(server, table, [update] * (limits.UPDATES + 1))
    assert (answer.status, str(limits.UPDATES) in message(answer)) == (400, True)


def test_many_changes_of_one_table_are_one_transaction(server, table):
    answer, waited = server.beside("POST", TRANSACTIONS, json=changes_of_one(table, 2000))
    assert answer.status == 204
    assert waited < MOST


def test_a_view_may_be_written_in_many_dialects(server):
    answer, waited = server.beside("POST", VIEWS, json=view("v", 60_000))
    assert answer.status == 200
    assert waited < MOST


def test_requests_for_plans_have_a_limit(server, table):
    answer, _ = server.beside("POST", PLAN.format(table), json=filter_of(limits.PLAN // 6))
    assert (answer.status, str(limits.PLAN) in message(answer)) == (413, True)
    answer, waited = server.beside("POST", PLAN.format(table), json=filter_of(100_000))
    assert answer.status == 200
    assert waited < MOST


def test_the_token_endpoint_takes_small_forms(server):
    for body in (b"a=%41&" * 10_000_000, b"a=%41&" * 10_000):
        answer, _ = server.beside("POST", TOKENS, body=body, headers=FORM)
        assert answer.status == 400
        assert str(limits.FORM) in answer.json()["error_description"]


@pytest.mark.parametrize("credentials", [b"Basic \xe9\xff", b"Basic !", "Basic \u00e9".encode(), b"Basic /w=="])
def test_credentials_that_cannot_be_read_are_refused(server, credentials):
    headers = {**FORM, "Authorization": credentials}
    answer = server.send("POST", TOKENS, body=b"grant_type=client_credentials", headers=headers)
    assert (answer.status, answer.json()["error"]) == (401, "invalid_client")


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
    bomb.write_bytes(zeros_in_gzip(limits.METADATA + (1 << 20)))
    broken.write_bytes(gzip.compress(b"{}" * 5000)[:15] + b"\xff" * 20)
    for file, said in ((bomb, str(limits.METADATA)), (broken, "not metadata")):
        body = {"name": "packed", "metadata-location": str(file)}
        answer, _ = server.beside("POST", REGISTER, json=body)
        assert (answer.status, said in message(answer)) == (400, True)


@pytest.mark.parametrize("text", ["geography({}", "geometry({}", "geography(x,{}", "decimal({}", "fixed[{}", "{}"])
def test_types_are_read_in_one_pass(text):
    with pytest.raises(InvalidMetadata):
        canonical_type(text.format(" " * 100_000))
