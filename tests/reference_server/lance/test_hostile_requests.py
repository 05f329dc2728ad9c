"""Requests that cost the server much more than their senders: refused, or worked on beside those of others."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.lance.data import arrow_decoded, arrow_limits, sql_limits
from reference_server.lance.data.arrow_body import read_stream
from reference_server.lance.data.sql import whole
from tests.reference_server.lance.arrow_streams import ARROW, stream
from tests.reference_server.lance.costly import ROWS, nested, pretended, shared
from tests.reference_server.served import JSON, served


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served("lance", tmp_path_factory.mktemp("log")) as server:
        server.send("POST", "/v1/namespace/a/create", json={})
        rows = pa.table({"id": pa.array(range(100), pa.int64()), "s": ["x"] * 100})
        assert server.send("POST", "/v1/table/a$t/create", body=stream(rows), headers=ARROW).status == 200
        yield server
        assert "Traceback" not in server.log


@pytest.mark.parametrize(
    "predicate",
    [
        nested("CAST(", " AS BIGINT)", 50) + " > 1",
        nested("coalesce(", ", 1)", 40) + " > 1",
        nested('"nvl"(', ", 1)", 40) + " > 1",
        nested("NOT (", ")", 44, "id > 1"),
        nested("[", "]", 60) + " IS NULL",
        nested("coalesce(", ", 1)", 12, "id IN (" + ",".join(map(str, range(5000))) + ")"),
        "length(repeat(s, 2000000000)) > 1",
        "length(lpad/* */(s, 2000000000)) > 1",
        'array_length("array_repeat" (s, 2000000000)) > 1',
        "replace(replace(s, 'x', 'xx'), 'x', 'xx') = 'x'",
        "replace(s, 'x', '" + "x" * 2000 + "') = 'x'",
        "id IN (" + ",".join(map(str, range(100_000))) + ")",
        "/*" * 30_000,
        "'" * 60_001,
        nested("coalesce(", ", s)", 9, "'" + "x" * 100_000 + "'") + " = s",
        " OR ".join(f"id = {number}" for number in range(20_000)),
    ],
    ids=lambda text: text[:30],
)
def test_expressions_have_a_price(server, predicate):
    body = {"predicate": predicate}
    answer, _ = server.beside("POST", "/v1/table/a$t/count_rows", json=body)
    assert answer.status == 400
    assert answer.json()["code"] == 13


@pytest.mark.parametrize(
    "expression",
    [
        nested("upper(", ")", 8, "s") + " = 'X'",
        nested("(", ")", 20) + " > 1",
        "id IN (" + ",".join(map(str, range(10_000))) + ")",
        "s = 'repeat(' OR \"range\" > 1 -- lpad(\n",
        "replace(s, 'x', 'y') = 'y'",
        " OR ".join(f"(id = {number})" for number in range(3000)),
        "s = '" + "x" * 2_000_000 + "'",
    ],
    ids=lambda text: text[:30],
)
def test_usual_expressions_are_affordable(expression):
    assert expression in whole(expression)


def test_the_expressions_of_a_request_have_one_limit(server):
    updates = [[f"c{number}", "1" * 100] for number in range(sql_limits.LONGEST // 100 + 1)]
    answer, _ = server.beside("POST", "/v1/table/a$t/update", json={"updates": updates})
    assert answer.status == 400
    assert str(sql_limits.LONGEST) in answer.json()["error"]


@pytest.mark.parametrize(
    "built",  # when its test runs: every worker collects this file
    [
        lambda: pretended(pa.table({"n": pa.nulls(ROWS)}), 1 << 50),
        lambda: pretended(pa.table({"n": pa.array([b""] * ROWS, pa.binary(0))}), 1 << 40),
        lambda: pretended(pa.table({"n": pa.nulls(ROWS)}), (1 << 64) - 1),
        lambda: stream(pa.table({"n": pa.array([bytes(1 << 20)] * 300, pa.large_binary())}), "zstd"),
        lambda: stream(pa.table({"n": pa.array([bytes(1 << 20)] * 300).dictionary_encode()}), "lz4")[:1000],
    ],
    ids=["nulls", "no width", "negative", "zstd", "broken off"],
)
def test_streams_are_read_within_bounds(server, built):
    answer, _ = server.beside("POST", "/v1/table/a$new/create", body=built(), headers=ARROW)
    assert answer.status == 400
    assert answer.json()["code"] == 13


def in_struct(array):
    return pa.StructArray.from_arrays([array], ["inner"])


def in_list(array):
    return pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array)


@pytest.mark.parametrize("kind", ["dictionary", "view"])
@pytest.mark.parametrize("within", [lambda array: array, in_struct, in_list], ids=["column", "struct", "list"])
def test_values_that_rows_share_count_for_each(server, kind, within):
    table = pa.table({"n": within(shared("x" * 1_000_000, 1000, kind))})
    answer = server.send("POST", "/v1/table/a$new/create", body=stream(table), headers=ARROW)
    assert (answer.status, "1000000000 bytes" in answer.json()["error"]) == (400, True)


@pytest.mark.parametrize("kind", ["dictionary", "view"])
def test_what_rows_share_is_counted_by_the_byte(monkeypatch, kind):
    table = pa.table({"n": pa.concat_arrays([shared("x" * 20, 5, kind), pa.nulls(2, shared("x" * 20, 1, kind).type)])})
    monkeypatch.setattr(arrow_decoded, "UNPACKED", 100)
    assert read_stream(stream(table)).equals(table)
    monkeypatch.setattr(arrow_decoded, "UNPACKED", 99)
    with pytest.raises(InvalidInput, match="stand for 100 bytes"):
        read_stream(stream(table))


def test_names_that_are_no_text_are_refused(server):
    body = stream(pa.table({"n": in_struct(pa.array([1]))})).replace(b"inner", b"inn\xffr")
    answer = server.send("POST", "/v1/table/a$new/create", body=body, headers=ARROW)
    assert (answer.status, answer.json()["code"]) == (400, 13)


def test_headers_that_lead_nowhere_are_refused():
    table = pa.table({"n": pa.array(range(ROWS)), "s": ["x"] * ROWS})
    body = stream(table, "zstd")
    for place in range(len(body)):
        for byte in (0x00, 0x7F, 0xFF):
            broken = body[:place] + bytes([byte]) + body[place + 1 :]
            try:
                arrow_limits.check_stream(broken)
            except (InvalidInput, pa.ArrowException, OSError, ValueError):
                continue
    assert read_stream(body).equals(table)


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_the_price_of_a_stream_is_what_it_has(monkeypatch, compression):
    table = pa.table({"n": pa.array(range(1000), pa.int64()), "s": pa.array(["x"] * 1000).dictionary_encode()})
    monkeypatch.setattr(arrow_limits, "VALUES", 2001)
    read_stream(stream(table, compression))
    monkeypatch.setattr(arrow_limits, "VALUES", 2000)
    with pytest.raises(InvalidInput, match="at most 2000"):
        read_stream(stream(table, compression))
    monkeypatch.setattr(arrow_limits, "VALUES", 2001)
    monkeypatch.setattr(arrow_limits, "UNPACKED", 8000)
    with pytest.raises(InvalidInput, match="when unpacked"):
        read_stream(stream(table, compression))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/table/batch-commit", {"operations": [{"declare_table": {"id": ["a", f"x{n}"]}} for n in range(20_000)]}),
        ("/v1/table/a$t/version/delete", {"ranges": [{"start_version": 9, "end_version": 9}] * 20_000}),
    ],
)
def test_batches_have_a_limit(server, path, body):
    answer, _ = server.beside("POST", path, body=json.dumps(body), headers=JSON)
    assert answer.status == 400
    assert str(limits.OPERATIONS) in answer.json()["error"]


@pytest.mark.parametrize(
    "location",
    ["\0", "a/\0.lance", "file:///%00", "file://[/x", "x" * 256, "x/" * 4000 + "x"],
    ids=["zero", "zero in a folder", "encoded zero", "no host", "long name", "long path"],
)
def test_locations_that_no_file_system_has_are_refused(server, location):
    answer = server.send("POST", "/v1/table/a$r/register", json={"location": location})
    assert (answer.status, answer.json()["code"]) == (400, 13)


@pytest.mark.parametrize(
    ("below", "limit"), [("x/" * 100_000 + "x", limits.LOCATION), ("x/" * 1000 + "x", limits.FOLDERS)]
)
@pytest.mark.parametrize("start", ["", "/", "file:///"])
def test_locations_have_limits(server, start, below, limit):
    """Nothing is made of what is refused: a table whose folder cannot be made would be there all the same."""
    location = {"location": start + below}
    batch = {"operations": [{"declare_table": {"id": ["a", "long"], **location}}]}
    for path, body in {
        "table/a$long/declare": location,
        "table/a$long/register": location,
        "table/batch-commit": batch,
    }.items():
        answer = server.send("POST", f"/v1/{path}", json=body)
        assert answer.status == 400
        assert f"more than {limit}" in answer.json()["error"]
    assert server.send("POST", "/v1/table/a$long/exists", json={}).status == 404
