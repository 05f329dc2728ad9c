"""A version whose record was deleted is gone for every operation that names it; the rows stay."""

from __future__ import annotations

import pyarrow as pa
import pytest

from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream
from specs.openapi import JSON_TYPE

ALL = {"ranges": [{"start_version": 0, "end_version": -1}]}
QUERY = {"k": 1, "vector": {}, "version": 2}
NAMING_A_VERSION = [
    ("version/describe", {"version": 2}),
    ("describe", {"version": 2}),
    ("describe", {"version": 2, "load_detailed_metadata": True}),
    ("exists", {"version": 2}),
    ("count_rows", {"version": 2}),
    ("query", QUERY),
    ("explain_plan", {"query": QUERY}),
    ("analyze_plan", QUERY),
    ("index/list", {"version": 2}),
    ("index/by_id/stats", {"version": 2}),
    ("restore", {"version": 2}),
    ("tags/create", {"tag": "a", "version": 2}),
    ("tags/update", {"tag": "first", "version": 2}),
]


@pytest.fixture
def post(lance, http):
    """Send a request about the table `t`, which has two versions, and a tag of the first one."""

    def send(path, body=None, data=None):
        sent = {"json": body or {}} if data is None else {"body": data, "headers": {"Content-Type": STREAM_TYPE}}
        answer = http("POST", f"{lance.url}/v1/table/t/{path}", **sent)
        return answer.status, answer.json() if answer.headers.get("Content-Type") == JSON_TYPE else None

    for path in ("create", "insert"):
        assert send(path, data=stream(pa.table({"id": [1, 2, 3]})))[0] == 200
    assert send("tags/create", {"tag": "first", "version": 1})[0] == 200
    return send


@pytest.mark.parametrize(("path", "body"), NAMING_A_VERSION)
def test_no_operation_finds_a_deleted_version(post, path, body):
    before, _ = post(path, body)
    assert before == (404 if "by_id" in path else 200)
    assert post("version/delete", ALL)[0] == 200
    status, answer = post(path, body)
    assert (status, answer["code"], answer["error"]) == (404, 11, "The table has no version 2.")


def test_the_rows_outlive_the_records(post):
    assert post("version/delete", ALL) == (200, {"deleted_count": 2})
    assert post("version/list")[1]["versions"] == []
    assert post("count_rows") == (200, 6)
    assert post("insert", data=stream(pa.table({"id": [4]})))[0] == 200
    assert [version["version"] for version in post("version/list")[1]["versions"]] == [3]
    assert post("count_rows", {"version": 3}) == (200, 7)
    assert post("count_rows", {"version": 2})[0] == 404
