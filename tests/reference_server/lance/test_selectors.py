"""A request that names a branch or a tag where its revision has none is refused, whatever the operation."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from lakeproof import serve
from reference_server.errors import Unsupported
from reference_server.selectors import refuse_selectors
from specs.apis import find_api
from specs.openapi import JSON_TYPE, Document
from specs.profiles import find_profile
from tests.conftest import BACKENDS, storage_option

OLDER = "lance/2026-03"
DOCUMENT, SELECTORS = find_profile(OLDER).document(), find_api("lance").selectors
BRANCH = {"branch": "dev"}
MAPS = {"UpdateTableSchemaMetadata"}  # the body is a map with any keys


@pytest.fixture(params=BACKENDS)
def server(request, tmp_path):
    """A server of the revision without branches, on each backend."""
    with serve(OLDER, storage=storage_option(request.param, tmp_path / "lake")) as server:
        yield server


def refused(operation, query=None, body=None, document=DOCUMENT):
    """Return the message of a refusal, None when there is none."""
    try:
        refuse_selectors(SELECTORS, document, document.operations[operation], query or {}, body)
    except Unsupported as error:
        return error.message
    return None


@pytest.mark.parametrize("operation", DOCUMENT.operations)
def test_every_operation_refuses_a_branch(operation):
    assert "the query parameter branch" in refused(operation, {"branch": ["dev"]})
    assert (refused(operation, body=BRANCH) is None) == (operation in MAPS)
    assert refused(operation, body={"branch": None, "from_the_future": "dev"}) is None


INSIDE = [
    ("DescribeTable", {"tag": "v1"}, "/tag"),
    ("ExplainTableQueryPlan", {"query": {"k": 1, **BRANCH}}, "/query/branch"),
    ("BatchCreateTableVersions", {"entries": [{"id": ["t"]}, {"id": ["u"], **BRANCH}]}, "/entries/1/branch"),
    *(
        ("BatchCommitTables", {"operations": [{action: {"id": ["t"], **BRANCH}}]}, f"/operations/0/{action}/branch")
        for action in ("declare_table", "create_table_version", "delete_table_versions", "deregister_table")
    ),
]


@pytest.mark.parametrize(("operation", "body", "pointer"), INSIDE)
def test_the_refusal_says_where_the_selector_stands(operation, body, pointer):
    assert refused(operation, body=body).endswith(f"Leave out the field {pointer}.")


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("CreateTableTag", {"tag": "v1", "version": 1}),
        ("DeclareTable", {"properties": {"branch": "dev", "tag": "v1"}}),
        ("UpdateTableSchemaMetadata", {"branch": "dev"}),
        ("DescribeTable", [BRANCH]),
        ("BatchCreateTableVersions", {"entries": {"id": BRANCH}}),
    ],
)
def test_what_is_no_selector_stays(operation, body):
    assert refused(operation, body=body) is None


def test_a_revision_that_declares_a_selector_takes_it():
    body = {"type": "object", "properties": {"id": {}, "branch": {}, "query": {"properties": {"id": {}}}}}
    count = {"operationId": "Count", "requestBody": {"content": {JSON_TYPE: {"schema": body}}}}
    insert = {"operationId": "Insert", "parameters": [{"in": "query", "name": "branch", "schema": {}}]}
    later = Document({"openapi": "3.1.0", "paths": {"/count": {"post": count}, "/insert": {"post": insert}}}, "test")
    assert refused("Count", body=BRANCH, document=later) is None
    assert refused("Count", body={"query": BRANCH}, document=later) is not None
    assert refused("Insert", {"branch": ["dev"]}, document=later) is None


def test_nothing_meant_for_a_branch_is_done_to_a_table(server, http):
    def post(path, body=None, data=None):
        sent = {"json": body} if data is None else {"body": data, "headers": {"Content-Type": STREAM_TYPE}}
        answer = http("POST", f"{server.url}/v1/table/t/{path}", **sent)
        return answer.status, json.loads(answer.data)

    rows = stream(pa.table({"id": [1, 2, 3]}))
    assert post("create", data=rows)[0] == 200
    attempts = [
        post("insert?branch=dev", data=rows),
        post("merge_insert?on=id&when_not_matched_insert_all=true&branch=dev", data=rows),
        post("delete", {"predicate": "id = 1", **BRANCH}),
        post("update", {"updates": [["id", "7"]], **BRANCH}),
        post("count_rows", BRANCH),
        post("drop", BRANCH),
        post("describe", {"tag": "v1"}),
    ]
    assert [(status, answer["code"]) for status, answer in attempts] == [(406, 0)] * len(attempts)
    assert post("count_rows", {"branch": None}) == (200, 3)
    assert post("describe", {"load_detailed_metadata": True})[1]["version"] == 1
