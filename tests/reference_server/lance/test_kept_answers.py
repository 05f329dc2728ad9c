"""Answers about a table's rows are cached until the rows change, and no longer."""

from __future__ import annotations

import io
import time
from typing import Any

import lance as pylance
import pyarrow as pa
import pytest

from reference_server import answers
from reference_server.lance.data import open_datasets
from reference_server.lance.data.table_data import TableData
from tests.conftest import post_json
from tests.reference_server.lance.arrow_streams import ARROW, stream

ROWS = stream(pa.table({"id": [1, 2, 3]}))
TABLE = "/v1/table/ns%24t/"
READS: dict[str, dict[str, Any]] = {
    "count_rows": {"predicate": "id > 1"},
    "query": {"vector": {}, "k": 10, "filter": "id > 1"},
    "explain_plan": {"query": {"vector": {}, "k": 10, "filter": "id > 1"}},
    "stats": {},
    "index/list": {},
    "describe": {"load_detailed_metadata": True},
}
CHANGES = {
    "delete": {"predicate": "id = 2"},
    "update": {"updates": [["id", "id + 10"]]},
    "create_scalar_index": {"column": "id", "index_type": "BTREE"},
    "drop_columns": {"columns": ["more"]},
}


@pytest.fixture
def opened(monkeypatch):
    """The locations of tables whose data were opened."""
    locations = []
    opening = TableData._open

    def note(self, location, version=None):
        locations.append(location)
        return opening(self, location, version)

    monkeypatch.setattr(TableData, "_open", note)
    return locations


@pytest.fixture
def table(lance, http):
    """Return a function that POSTs to a table of three rows that is old enough for its answers to be cached."""
    post_json(http, lance, "/v1/namespace/ns/create")
    create(http, lance)

    def post(action, document=None, **sent):
        answer = http("POST", lance.url + TABLE + action, **(sent or {"json": document or {}}))
        assert answer.status == 200, answer.data
        return answer.data

    return post


def create(http, server, rows=ROWS):
    answer = http("POST", server.url + TABLE + "create", body=rows, headers=ARROW)
    assert answer.status == 200, answer.data
    age()


def age():
    time.sleep(open_datasets.TICK * 2 / 1e9)


def ids(file):
    return sorted(pa.ipc.open_file(io.BytesIO(file)).read_all()["id"].to_pylist())


@pytest.mark.parametrize("read", READS)
def test_an_answer_is_kept(table, opened, read):
    asked = [table(read, READS[read]) for _ in range(3)]
    reads = len(opened)
    assert reads > 0
    asked += [table(read, READS[read]) for _ in range(3)]
    assert len(opened) == reads
    assert len(set(asked)) == 1


def test_another_question_is_another_answer(table):
    for _ in range(3):
        assert ids(table("query", READS["query"])) == [2, 3]
        assert ids(table("query", {**READS["query"], "filter": "id > 2"})) == [3]
        assert table("count_rows") == b"3"
        assert table("count_rows", READS["count_rows"]) == b"2"


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("read", READS)
def test_an_answer_is_not_older_than_a_change(table, http, lance, read, change):
    post_json(http, lance, "/v1/table/ns%24t/add_columns", {"new_columns": [{"name": "more", "expression": "id * 2"}]})
    age()
    before = [table(read, READS[read]) for _ in range(3)]
    table(change, CHANGES[change])
    changed = table(read, READS[read])
    again = [table(read, READS[read]) for _ in range(3)]
    assert set(again) == {changed}
    age()
    fresh = post_fresh(http, lance, read)
    assert fresh == changed
    assert len(set(before)) == 1


def post_fresh(http, server, read):
    """Return the answer to the same request with another spelling, of which none is kept."""
    spelt = {**READS[read], "unknown": time.time_ns()}
    return http("POST", server.url + TABLE + read, json=spelt).data


def test_rows_that_are_inserted_are_found(table):
    assert [table("count_rows") for _ in range(3)] == [b"3"] * 3
    for number in range(4, 10):
        table("insert", body=stream(pa.table({"id": [number]})), headers=ARROW)
        assert table("count_rows") == b"%d" % number
        assert table("count_rows") == b"%d" % number


def test_another_table_of_the_name_is_asked_anew(table, lance, http):
    assert [table("count_rows") for _ in range(3)] == [b"3"] * 3
    table("drop")
    assert http("POST", lance.url + TABLE + "count_rows", json={}).status == 404
    create(http, lance, stream(pa.table({"id": [7]})))
    assert [table("count_rows") for _ in range(3)] == [b"1"] * 3


def test_what_another_client_writes_is_found(lance_directory, http):
    post_json(http, lance_directory, "/v1/namespace/ns/create")
    create(http, lance_directory)
    location = post_json(http, lance_directory, TABLE + "describe")[1]["location"]
    for number in range(3, 6):
        assert [post_json(http, lance_directory, TABLE + "count_rows")[1] for _ in range(3)] == [number] * 3
        pylance.write_dataset(pa.table({"id": [number]}), location, mode="append")
        assert post_json(http, lance_directory, TABLE + "count_rows")[1] == number + 1
        age()


def test_an_answer_about_a_version_is_not_kept(table, opened):
    for _ in range(3):
        table("count_rows", {"version": 1})
        table("query", {**READS["query"], "version": 1})
    assert len(opened) == 6


def test_a_large_answer_is_not_kept(table, opened, monkeypatch):
    monkeypatch.setattr(answers, "LARGEST_ANSWER", 100)
    for _ in range(4):
        table("query", READS["query"])
    assert len(opened) == 4
