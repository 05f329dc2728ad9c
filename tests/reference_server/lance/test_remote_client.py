"""Requests as LanceDB's remote client sends them, beside the same requests as the document has them."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest

from lakeproof import serve
from tests.conftest import storage_option

REMOTE = {"x-lancedb-database": "db", "x-api-key": "k"}
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}
ROWS = pa.table(
    {
        "id": pa.array([1, 2], pa.int64()),
        "vector": pa.array([[0.0, 1.0], [2.0, 3.0]], pa.list_(pa.float32(), 2)),
        "name": ["a", "b"],
    }
)


def stream(table):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


@pytest.fixture(params=["memory", "dir"])
def server(request, http, tmp_path):
    with serve("lance", storage=storage_option(request.param, tmp_path / "lake")) as server:
        made = http(
            "POST", f"{server.url}/v1/table/t/create/?mode=create", body=stream(ROWS), headers={**REMOTE, **ARROW}
        )
        assert made.status == 200
        yield server


@pytest.fixture
def ask(server, http):
    """Return a function that sends a POST on the table, as the remote client does or as the document has it."""

    def ask(path, body=None, remote=True):
        sent = {"json": body} if body is not None else {}
        return http("POST", f"{server.url}/v1/table/t/{path}", headers=REMOTE if remote else None, **sent)

    return ask


def test_paths_end_with_a_slash(server, http):
    for path in ("/v1/table/?limit=10", "/v1/table?limit=10"):
        assert http("GET", server.url + path, headers=REMOTE).json()["tables"] == ["t"]
    assert http("GET", f"{server.url}/v1/nothing/").status == 404
    assert http("DELETE", f"{server.url}/v1/table/t/describe/").status in (404, 405)
    notes = [[note.kind for note in request.notes] for request in server.requests("ListAllTables")]
    assert notes == [["no-operation"], []]


def test_a_description_has_version_and_schema(ask):
    remote = ask("describe/").json()
    types = [field["type"]["type"] for field in remote["schema"]["fields"]]
    assert (remote["version"], types) == (1, ["int64", "fixed_size_list", "string"])
    assert remote["schema"]["fields"][1]["type"]["fields"][0]["type"] == {"type": "float"}
    for _ in range(2):  # the second answer may be a cached one
        documented = ask("describe", {}, remote=False).json()
        assert not {"version", "schema"} & documented.keys()
        assert ask("describe/").json() == remote


def test_a_body_may_be_missing(ask):
    for path in ("stats/", "index/list/", "version/list/", "tags/list/"):
        assert ask(path).status == 200
    assert ask("describe", remote=False).status == 400


@pytest.mark.parametrize(("vector", "ids"), [([2.0, 3.0], [2]), ([[0.0, 1.0], [2.0, 3.0]], [1, 2]), ([], [1])])
def test_a_vector_is_a_list(ask, vector, ids):
    found = ask("query/", {"vector": vector, "k": 1, "prefilter": True})
    assert pa.ipc.open_file(found.data).read_all()["id"].to_pylist() == ids
    assert ask("explain_plan/", {"query": {"vector": vector, "k": 1}}).status == 200
    if vector:
        assert ask("query", {"vector": vector, "k": 1}, remote=False).status == 400


@pytest.mark.parametrize("query", ["b", {"match": {"terms": "b", "column": "name"}}])
def test_a_full_text_query_has_no_kind(ask, query):
    assert ask("create_index/", {"column": "name", "index_type": "FTS"}).status == 200
    found = ask("query/", {"full_text_query": {"columns": [], "query": query}, "k": 5, "vector": []})
    assert pa.ipc.open_file(found.data).read_all()["id"].to_pylist() == [2]


def test_counts_of_changes_and_tags(ask):
    changes = {"predicate": "id = 1", "updates": [["name", "'c'"]]}
    assert ask("update/", changes).json()["rows_updated"] == 1
    assert "rows_updated" not in ask("update", changes, remote=False).json()
    assert ask("delete/", {"predicate": "id = 1"}).json()["num_deleted_rows"] == 1
    assert "num_deleted_rows" not in ask("delete", {"predicate": "id = 2"}, remote=False).json()
    assert ask("tags/create/", {"tag": "x", "version": 1}).status == 200
    assert ask("tags/list/").json()["x"]["version"] == 1
    for remote in (True, False):  # the document's path has the document's answer, whoever asks
        assert list(ask("tags/list", {}, remote=remote).json()["tags"]) == ["x"]
