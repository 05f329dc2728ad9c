"""Experiments after findings about state: a read tells what is wrong, and becomes part of evidence and sentence."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from conformance.after.causes import find_causes
from conformance.http.gate import reads_of
from conformance.run.experiments import Experiments, reading
from conformance.values.evidence import Evidence
from conformance.values.exchange import Exchange
from lakeproof import serve
from specs.profiles import find_profile
from tests.conformance.mutants import SERVED, judge

ANSWER = "changed-answer-field:createTable:metadata.table-uuid"
# A fault, a requirement that notices it, and what the experiments tell.
CASES = [
    ("said-only:dropTable", "iceberg.effect.drop_table", ("not done", "dropTable", "")),
    ("conflict-after-commit", "iceberg.refusal.create_staged_table.taken", ("done", "updateTable", "loadTable")),
    ("namespace-properties-replaced", "iceberg.effect.update_properties", ("", "", "")),
    (ANSWER, "iceberg.table.load.whole", ("answer", "createTable", "loadTable")),
]


@pytest.fixture(scope="module")
def server():
    with serve("iceberg", allow_faults=True) as server:
        yield server


@pytest.mark.parametrize(("fault", "requirement", "outcome"), CASES)
def test_a_read_tells_what_is_wrong(server, tmp_path, fault, requirement, outcome):
    (result,) = judge(server, tmp_path, fault=fault, ids={requirement}).requirements
    assert (result.evidence.state, result.evidence.write, result.evidence.reader) == outcome
    (cause,) = find_causes([result])
    assert [name for name in outcome[1:] if name not in cause.sentence] == []


# An operation, and a requirement that its server error violates.
FAILED = [
    ("iceberg", "createTable", "iceberg.table.create.stage_false"),
    ("iceberg", "dropTable", "iceberg.effect.drop_table"),
    ("iceberg", "renameTable", "iceberg.uuid.rename"),
    ("iceberg", "updateTable", "iceberg.properties.case.table"),
    ("iceberg", "commitTransaction", "iceberg.properties.case.transaction"),
    ("lance", "InsertIntoTable", "lance.effect.insert_rows"),
    ("lance", "RenameTable", "lance.effect.rename_table"),
    ("lance", "DropTable", "lance.table.drop.forgets.tags"),
    ("polaris", "createPrincipal", "polaris.principal.create.loadable"),
    ("polaris", "updateCatalog", "polaris.effect.update_catalog"),
]


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(("api", "operation", "requirement"), FAILED)
def test_a_write_that_failed_is_told_where_it_was_done_all_the_same(tmp_path, api, operation, requirement, done):
    given = {"lance": {"storage": "memory:pure"}, "polaris": SERVED["polaris"]}.get(api, {})
    with serve(api, allow_faults=True, **given) as server:
        server.fail(operation, status=500, applied=done)
        (result,) = judge(server, tmp_path, ids={requirement}).requirements
    assert (result.evidence.operation, result.evidence.status) == (operation, 500)
    assert (result.evidence.state, result.evidence.write) == (("done", operation) if done else ("", ""))


TABLES = "/v1/namespaces/a/tables"
CREATED = ("createTable", TABLES, {"name": "t"}, 200, {"metadata": {"id": "x"}, "config": {"token": "one"}})
LOADED = ("loadTable", f"{TABLES}/t", None, 200, {"metadata": {}, "config": {"token": "one"}})
DROPPED = ("dropTable", f"{TABLES}/t", None, 204, None)
COMMITTED = ("commitTransaction", "/v1/transactions/commit", {"table-changes": []}, 204, None)
UPDATED = ("updateTable", f"{TABLES}/t", {"updates": [{"location": "s3://new"}]}, 500, None)
CREATED_NAMESPACE = ("createNamespace", "/v1/namespaces", {"namespace": ["home", "x"]}, 500, None)
NEW = {"metadata": {"id": "x", "location": "s3://new"}}
# Steps of which the last one fails, the answers to a read after them (None: 404), and whether the write was done.
STATES: dict[str, tuple[list[Any], list[Any], bool]] = {
    "shows what was sent": ([CREATED, UPDATED], [NEW], True),
    "shows other credentials": ([CREATED, UPDATED], [{"metadata": {"id": "x"}, "config": {"token": "two"}}], False),
    "differs and stays so": ([LOADED, UPDATED], [{"metadata": {"v": 2}}, {"metadata": {"v": 2}}], True),
    "differs each time": ([LOADED, UPDATED], [{"config": {"token": "two"}}, {"config": {"token": "three"}}], False),
    "another write may have changed it": ([CREATED, COMMITTED, UPDATED], [NEW], False),
    "a staged table": ([CREATED, UPDATED], [None], False),
    "made": ([(*CREATED[:3], 500, None)], [NEW], True),
    "not made": ([(*CREATED[:3], 500, None)], [None], False),
    "made before": ([CREATED, (*CREATED[:3], 500, None)], [NEW], False),
    "gone": ([CREATED, COMMITTED, (*DROPPED[:3], 500, None)], [None], True),
    "gone before": ([CREATED, DROPPED, (*DROPPED[:3], 500, None)], [None], False),
    "renamed": ([CREATED, ("renameTable", "/v1/tables/rename", {}, 500, None)], [None], True),
    "a listed namespace": ([CREATED_NAMESPACE], [{"namespaces": [["home", "x"]]}], True),
    "its parent is listed": ([CREATED_NAMESPACE], [{"namespaces": [["home"]]}], False),
    "a read fails": ([CREATED, (*LOADED[:3], 500, None)], [], False),
}


class Client:
    """As much of a client as experiments need: it answers with the given bodies, one after the other."""

    def __init__(self, document, steps, bodies):
        self.document, self.steps, self.traffic = document, steps, SimpleNamespace(stopped=None)
        self._bodies = iter(bodies)

    def send(self, exchange):
        return answered(exchange, next(self._bodies))


def answered(exchange, body, status=200):
    exchange.status, exchange.response_body = status if body is not None or status != 200 else 404, encode(body)
    return exchange


@pytest.mark.parametrize("case", STATES)
def test_a_failed_write_counts_as_done_only_where_nothing_else_explains_its_state(case):
    sent, bodies, done = STATES[case]
    profile = find_profile("iceberg")
    document, steps = profile.document(), []
    for operation, path, body, status, answer in sent:
        method = document.operations[operation].method
        exchange = Exchange(operation, method, f"http://x{path}", {}, encode(body))
        steps.append(answered(exchange, answer, status))
    steps[-1].mark = "status"
    evidence = Evidence(operation=steps[-1].operation, aspect="status", status=500, statuses=(200,), request="valid")
    client: Any = Client(document, steps, bodies)
    told = Experiments(reads_of(document, profile.reading())).on(client, evidence)
    assert (told.state, told.write) == (("done", steps[-1].operation) if done else ("", ""))
    assert next(client._bodies, "no other read") == "no other read"


def encode(body):
    return b"" if body is None else json.dumps(body).encode()


NAMED = b'{"name": "t/1"}'
# A write, its address and body, and what reads its object.
WRITES = [
    ("iceberg", "updateTable", "/v1/namespaces/a/tables/t", b"{}", "loadTable /v1/namespaces/a/tables/t"),
    (
        "iceberg",
        "createTable",
        "/v1/namespaces/a/tables",
        b'{"name": "t/1"}',
        "loadTable /v1/namespaces/a/tables/t%2F1",
    ),
    ("iceberg", "renameTable", "/v1/tables/rename", b"{}", ""),
    ("lance", "UpdateTable", "/v1/table/a$t/update", b"{}", "DescribeTable /v1/table/a$t/describe"),
    ("polaris", "updateCatalog", "/api/management/v1/catalogs/c", b"{}", "getCatalog /api/management/v1/catalogs/c"),
    (
        "polaris",
        "createPrincipal",
        "/api/management/v1/principals",
        b'{"principal": {"name": "p"}}',
        "getPrincipal /api/management/v1/principals/p",
    ),
]


@pytest.mark.parametrize(("api", "operation", "path", "body", "expected"), WRITES)
def test_the_document_tells_what_reads_the_object_of_a_write(api, operation, path, body, expected):
    profile = find_profile(api)
    document, reads = profile.document(), reads_of(profile.document(), profile.reading())
    write = Exchange(operation, "POST", f"http://x{path}?a=1", {"Idempotency-Key": "k"}, body)
    read = reading(document, reads, write)
    assert (f"{read.operation} {urlsplit(read.url).path}" if read else "") == expected
    assert read is None or (read.operation in reads and "Idempotency-Key" not in read.request_headers)
