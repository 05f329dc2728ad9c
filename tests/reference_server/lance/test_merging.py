"""Parts of merges, updates and predicates, before Lance gets them."""

from __future__ import annotations

from datetime import timedelta

import lance
import pyarrow as pa
import pytest

from reference_server.errors import InvalidInput, TableNotFound
from reference_server.lance.data.arrow_body import read_stream
from reference_server.lance.data.arrow_schema import check_schema
from reference_server.lance.data.assignments import assign
from reference_server.lance.data.pylance_errors import translate
from reference_server.lance.data.sql import mentions, whole
from reference_server.lance.errors import TableSchemaValidationError
from reference_server.lance.handlers.merging import parse_timeout


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("30s", 30), ("1.5m", 90), ("2h", 7200), ("99999999999h", 86400)]
)
def test_timeouts_have_a_unit_and_an_end(text, seconds):
    assert parse_timeout(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "30", "s", "-1s", "1e9s", " 5s", "5 s", "1h30m", "²s", "9" * 400 + "s"])
def test_other_timeouts_are_refused(text):
    with pytest.raises(InvalidInput):
        parse_timeout(text)


WHOLE = [
    *("a > 1", "(a > 1) OR (b)", "name = ')'", "`odd)` = 1", '"x)" = 1', "a /* ) */ > 1", "name = 'it''s )'"),
    *("'? $1 :x'", "id::int", "id /* ? */", "name = 'N'", "a$b", "`?`", "x'00'", "n = 'b'"),  # look like parameters
]


@pytest.mark.parametrize("text", WHOLE)
def test_whole_expressions_get_parentheses(text):
    assert whole(text) == f"({text})"


def test_a_comment_does_not_swallow_the_parenthesis():
    assert whole("a > 1 -- note") == "(a > 1 -- note\n)"


REFUSED = [
    *("", "  ", "a) OR (b", "a > 1)", "a\0"),
    *("?", "id = ?", "$1", "id = :x", "N'a'", "b'0'", 'r"a"', "$$a$$", "$t$a$t$", "v[:2]"),  # Lance panics over them
]


@pytest.mark.parametrize("text", REFUSED)
def test_text_that_is_no_whole_expression_is_refused(text):
    with pytest.raises(InvalidInput):
        whole(text)


def test_mentions_are_whole_words():
    assert mentions("N + 1", "n")
    assert mentions("`two words` + 1", "two words")
    assert not mentions("count_n + nn", "n")


def _pairs(name):
    uri = f"shared-memory://kit/{name}"
    data = pa.table({"id": [1, 2], "a": pa.array([10, 20], pa.int32()), "b": [3, 4]})
    lance.write_dataset(data, uri)
    return lance.write_dataset(data, uri, mode="append")


def test_expressions_see_the_row_as_it_was():
    count, after = assign(_pairs("swap"), {"a": "(b)", "b": "(a)"}, "(id = 2)")
    assert count == 2
    assert after.version == 3
    assert after.to_table().to_pylist() == 2 * [{"id": 1, "a": 10, "b": 3}, {"id": 2, "a": 4, "b": 20}]


def test_values_that_do_not_fit_are_refused():
    dataset = _pairs("unfit")
    with pytest.raises(InvalidInput):
        assign(dataset, {"a": "(b * 100000000000)", "b": "(a)"}, None)
    assert dataset.version == 2


def test_no_row_need_match():
    count, after = assign(_pairs("none"), {"a": "(b)", "b": "(a)"}, "(id > 9)")
    assert count == 0
    assert after.count_rows() == 4


TEXT_PAIRS, CHOICES = pa.list_(pa.string(), 2), pa.dictionary(pa.int32(), pa.string())


@pytest.mark.parametrize(
    "schema",
    [
        pa.schema([]),
        pa.schema([("", pa.int64())]),
        pa.schema([("a", pa.int64()), ("a", pa.int64())]),
        pa.schema([("a", pa.struct([]))]),
        pa.schema([("a", pa.list_(pa.struct([("x", pa.int8()), ("x", pa.int8())])))]),
        pa.schema([("a", TEXT_PAIRS)]),
        pa.schema([("a", pa.struct([("x", pa.list_(TEXT_PAIRS))]))]),
        pa.schema([("a", pa.list_(CHOICES, 2))]),
    ],
)
def test_schemas_that_make_no_table_are_refused(schema):
    with pytest.raises(TableSchemaValidationError):
        check_schema(schema)


def test_other_schemas_are_left_to_lance():
    check_schema(pa.schema([("a", pa.list_(pa.float32(), 2)), ("b", pa.list_(CHOICES)), ("c", pa.list_(pa.string()))]))


def test_streams_are_read_into_aligned_memory():
    sink = pa.BufferOutputStream()
    table = pa.table({"flag": [True], "price": pa.array([1], pa.decimal128(10, 2))})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    body = sink.getvalue().to_pybytes()
    for chunk in read_stream(body)["price"].chunks:
        assert [buffer for buffer in chunk.buffers() if buffer and buffer.address % 16 != 0] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LanceError(Arrow): Cast error: Cannot cast string 'a' to value of Int32 type", InvalidInput),
        ("LanceError(Arrow): Divide by zero error", InvalidInput),
        ("Not supported: Nested column references are not yet supported", InvalidInput),
        ("Not supported: Lance v2.2 has no field encoding for 'c'", TableSchemaValidationError),
        ("LanceError(IO): Generic N/A error: Not found: /lake/a$t/data/0100.lance, /home/ru", TableNotFound),
        ("Column 'id' is declared as non-nullable but contains null values", TableSchemaValidationError),
        ('Invalid user input: Cannot cast column "a" from Utf8 to Int64', TableSchemaValidationError),
        ("Cannot drop all columns from a dataset", InvalidInput),
        ("LanceError(Arrow): Parser error: Error parsing timestamp", InvalidInput),
        ("regex parse error:\n    (\n    ^", InvalidInput),
    ],
)
def test_lance_errors_are_translated(text, kind):
    assert type(translate(OSError(text))) is kind
