"""Experiments after findings about state: a read tells what is wrong, and becomes part of evidence and sentence."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from conformance.after.causes import find_causes
from conformance.http.gate import reads_of
from conformance.run.experiments import reading
from conformance.values.exchange import Exchange
from lakeproof import serve
from specs.profiles import find_profile
from tests.conformance.mutants import judge

ANSWER = "changed-answer-field:createTable:metadata.table-uuid"
# A fault, a requirement that notices it, and what the experiments tell.
CASES = [
    ("said-only:dropTable", "iceberg.table.drop.gone", ("not done", "dropTable", "")),
    ("conflict-after-commit", "iceberg.commit.create.taken", ("done", "updateTable", "")),
    ("namespace-properties-replaced", "iceberg.namespace.properties.update", ("", "", "")),
    (ANSWER, "iceberg.table.create.loadable", ("answer", "createTable", "loadTable")),
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
    assert all(name in cause.sentence for name in outcome[1:])


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
]


@pytest.mark.parametrize(("api", "operation", "path", "body", "expected"), WRITES)
def test_the_document_tells_what_reads_the_object_of_a_write(api, operation, path, body, expected):
    profile = find_profile(api)
    document, reads = profile.document(), reads_of(profile.document(), profile.reading())
    write = Exchange(operation, "POST", f"http://x{path}?a=1", {"Idempotency-Key": "k"}, body)
    read = reading(document, reads, write)
    assert (f"{read.operation} {urlsplit(read.url).path}" if read else "") == expected
    assert read is None or (read.operation in reads and "Idempotency-Key" not in read.request_headers)
