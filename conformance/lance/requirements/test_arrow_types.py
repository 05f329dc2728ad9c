"""Arrow data written to tables and read back: types, batches, sizes, schemas."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from conformance.author.checks import equal
from conformance.author.requirement import given, must, should
from conformance.author.strategies import tables
from conformance.common.names import TOO_LONG
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import batches, stream
from conformance.lance.support.arrow_types import (
    CORE,
    SPECIAL,
    arrow_tables,
    columns_of,
    read_table,
    same_rows,
    typed_table,
)
from conformance.lance.support.merging import UPSERT

CREATE = ["CreateTable"]
INSERT = ["InsertIntoTable"]
MERGE = ["MergeInsertIntoTable"]


@must("lance.arrow.type.{}", operations=CREATE, clause="arrow-core-types", each=CORE)
def test_core_type(catalog: LanceCatalog, case: tuple[pa.DataType, list[Any]]) -> None:
    """CreateTable with a column of type {} returns 400, or reads return its type, values and nulls unchanged."""
    sent = typed_table(*case)
    id = catalog.table_id()
    if _is_taken(catalog, id, stream(sent)):
        table = read_table(catalog, id)
        equal(table.schema.types, sent.schema.types, "the types of the columns")
        same_rows(table, sent)


def _is_taken(catalog: LanceCatalog, id: Names, body: bytes) -> bool:
    """Create a table; return False where the server rejects it with 400 and creates nothing."""
    if catalog.create_table(id, body, expect=(200, 400)).succeeded:
        return True
    catalog.table_exists(id, expect=404)
    return False


@must("lance.arrow.special.{}", operations=CREATE, clause="arrow-special-types", each=SPECIAL)
def test_special_type(catalog: LanceCatalog, case: tuple[pa.DataType, list[Any]]) -> None:
    """CreateTable with a column of type {} returns 400, or reads return the values that were sent."""
    sent = typed_table(*case)
    id = catalog.table_id()
    if _is_taken(catalog, id, stream(sent)):
        same_rows(read_table(catalog, id), sent)


@must("lance.arrow.create", operations=CREATE, clause="arrow-faithful")
@given(drawn=arrow_tables())
def test_create_with_any_schema(catalog: LanceCatalog, drawn: list[pa.Table]) -> None:
    """For any schema of core types, CreateTable returns 400 or stores the schema and the rows of every batch."""
    id = catalog.table_id()
    if not _is_taken(catalog, id, batches(drawn[0])):
        return
    table = read_table(catalog, id)
    equal(table.schema.names, drawn[0].schema.names, "the columns of the table")
    equal(table.schema.types, drawn[0].schema.types, "the types of the columns")
    same_rows(table, drawn[0])


@must("lance.arrow.insert", operations=INSERT, clause="arrow-faithful")
@given(drawn=arrow_tables(2))
def test_insert_with_any_schema(catalog: LanceCatalog, drawn: list[pa.Table]) -> None:
    """For any schema of core types, InsertIntoTable adds the rows of every batch."""
    id = catalog.table_id()
    if not _is_taken(catalog, id, stream(drawn[0])):
        return
    catalog.insert_into_table(id, batches(drawn[1]))
    same_rows(read_table(catalog, id), *drawn)


@must("lance.arrow.merge", operations=MERGE, clause="arrow-faithful")
@given(drawn=arrow_tables(3))
def test_merge_with_any_schema(catalog: LanceCatalog, drawn: list[pa.Table]) -> None:
    """For any schema of core types, MergeInsertIntoTable updates every column of the matching rows."""
    kept, old, new = drawn
    rows = min(old.num_rows, new.num_rows)
    changed = new.slice(0, rows).set_column(0, "id", old.slice(0, rows)["id"])
    id = catalog.table_id()
    if not _is_taken(catalog, id, stream(pa.concat_tables([kept, old]))):
        return
    catalog.merge_insert_into_table(id, batches(changed), on="id", **UPSERT)
    same_rows(read_table(catalog, id), kept, old.slice(rows), changed)


@must("lance.arrow.batches", operations=INSERT, clause="arrow-faithful")
def test_insert_many_batches(catalog: LanceCatalog) -> None:
    """InsertIntoTable with 200 batches, small and empty ones included, inserts every row."""
    id = catalog.new_table(rows=1)
    sent = pa.concat_tables([tables(rows, first=10 + index * 10) for index, rows in enumerate([3, 0, 10, 1, 0] * 40)])
    catalog.insert_into_table(id, batches(sent))
    same_rows(read_table(catalog, id), tables(1), sent)


DICTIONARY = pa.dictionary(pa.int32(), pa.string())


@must("lance.arrow.dictionaries", operations=CREATE, clause="arrow-special-types")
def test_changing_dictionaries(catalog: LanceCatalog) -> None:
    """CreateTable with dictionaries that differ between batches returns 400 or stores the value of every row."""
    parts = [["a", "b"], ["c", "a"], ["b", "c"]]
    column = pa.chunked_array([pa.array(part).dictionary_encode().cast(DICTIONARY) for part in parts])
    sent = pa.table({"id": pa.chunked_array([[0, 1], [2, 3], [4, 5]]), "value": column})
    id = catalog.table_id()
    if catalog.create_table(id, batches(sent), expect=(200, 400)).succeeded:
        same_rows(read_table(catalog, id), sent)


BIG_ROWS = 60_000


def _big(first: int = 0) -> pa.Table:
    """Return rows of about 80 bytes each, with the keys from `first` to BIG_ROWS - 1."""
    keys = range(first, BIG_ROWS)
    return pa.table({"id": pa.array(keys, pa.int64()), "text": [f"{key:064d}" for key in keys]})


def _check_big(catalog: LanceCatalog, id: Names) -> None:
    last = BIG_ROWS - 1
    equal(catalog.count_table_rows(id).json, BIG_ROWS, "the number of rows")
    equal(catalog.rows(id, filter=f"id = {last}"), [{"id": last, "text": f"{last:064d}"}], "the last row")


@should("lance.arrow.large.create", operations=CREATE, clause="arrow-large")
def test_create_large(catalog: LanceCatalog) -> None:
    """CreateTable with a body of several megabytes in many batches stores every row."""
    _check_big(catalog, catalog.new_table_of(_big()))


@should("lance.arrow.large.insert", operations=INSERT, clause="arrow-large")
def test_insert_large(catalog: LanceCatalog) -> None:
    """InsertIntoTable with a body of several megabytes in many batches inserts every row."""
    id = catalog.new_table_of(_big().slice(0, 1))
    catalog.insert_into_table(id, stream(_big(1)))
    _check_big(catalog, id)


@should("lance.arrow.large.merge", operations=MERGE, clause="arrow-large")
def test_merge_large(catalog: LanceCatalog) -> None:
    """MergeInsertIntoTable with a body of several megabytes in many batches merges every row."""
    id = catalog.new_table_of(_big().slice(0, 1))
    catalog.merge_insert_into_table(id, stream(_big()), on="id", **UPSERT)
    _check_big(catalog, id)


# Schemas

REQUIRED = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("note", pa.string())])


@should("lance.arrow.required", operations=CREATE, clause="arrow-schema-kept")
def test_required_column_stays_required(catalog: LanceCatalog) -> None:
    """CreateTable keeps nullability: a non-nullable column reads back as non-nullable."""
    table = read_table(catalog, catalog.new_table_of(pa.table({"id": [1], "note": ["x"]}, schema=REQUIRED)))
    equal([field.nullable for field in table.schema], [False, True], "whether the columns id and note may be null")


@should("lance.arrow.required_null", operations=INSERT, clause="insert-null", kind="error")
def test_null_in_required_column(catalog: LanceCatalog) -> None:
    """InsertIntoTable with a null in a non-nullable column returns 400 and inserts no row."""
    id = catalog.new_table_of(pa.table({"id": [1], "note": ["x"]}, schema=REQUIRED))
    catalog.insert_into_table(id, stream(pa.table({"id": [2, None], "note": ["y", "z"]})), expect=400)
    equal(catalog.count_table_rows(id).json, 1, "the number of rows")


@should("lance.arrow.metadata", operations=CREATE, clause="arrow-schema-kept")
def test_metadata_stay(catalog: LanceCatalog) -> None:
    """CreateTable keeps the metadata of the Arrow schema and of its fields."""
    field = pa.field("id", pa.int64(), metadata={"unit": "piece"})
    sent = pa.table({"id": [1]}, schema=pa.schema([field], metadata={"origin": "here"}))
    table = read_table(catalog, catalog.new_table_of(sent))
    equal(table.schema.names, ["id"], "the columns of the table")
    equal(_metadata(table.schema.field("id")).get("unit"), "piece", "the metadata unit of the column id")
    equal(_metadata(table.schema).get("origin"), "here", "the metadata origin of the schema")


def _metadata(owner: pa.Field | pa.Schema) -> dict[str, str]:
    """Return the metadata of a field or a schema as text."""
    return {
        key.decode(errors="replace"): value.decode(errors="replace") for key, value in (owner.metadata or {}).items()
    }


def _struct(*names: str) -> pa.Table:
    return pa.table({"value": pa.StructArray.from_arrays([pa.array([i]) for i, _ in enumerate(names)], list(names))})


ODD_SCHEMAS = {
    "nameless_column": pa.table({"": [1]}),
    "doubled_field": _struct("same", "same"),
    "nameless_field": _struct(""),
    "dotted_column": pa.table({"a.b": [1]}),
    "dotted_field": _struct("a.b"),
    "case_only": pa.table({"a": [1], "A": [2]}),
    "row_id": pa.table({"_rowid": pa.array([1], pa.uint64())}),
    "row_address": pa.table({"_rowaddr": pa.array([1], pa.uint64())}),
    "no_columns": pa.table({}),
    "unicode": pa.table({"größe ✓": [1]}),
    "control": pa.table({"a\nb": [1]}),
    "deep": pa.table({"value": pa.array([[[[[[[[1]]]]]]]])}),
}
LARGE_SCHEMAS = {
    "long_name": pa.table({"x" * 1000: [1]}),
    "wide": pa.table({f"c{index}": [index] for index in range(400)}),
}


@must("lance.arrow.schema.{}", operations=CREATE, clause="arrow-readable", kind="hostile", each=ODD_SCHEMAS)
def test_odd_schema(catalog: LanceCatalog, case: pa.Table) -> None:
    """CreateTable with an unusual schema ({}) returns 400 or creates a table with the same columns and values."""
    _stores_schema(catalog, case, (400,))


@should("lance.arrow.schema.{}", operations=CREATE, clause="long-texts", kind="hostile", each=LARGE_SCHEMAS)
def test_large_schema(catalog: LanceCatalog, case: pa.Table) -> None:
    """CreateTable with a large schema ({}) returns 4xx or creates a table with the same columns and values."""
    _stores_schema(catalog, case, TOO_LONG)


def _stores_schema(catalog: LanceCatalog, case: pa.Table, refusals: tuple[int, ...]) -> None:
    id = catalog.table_id()
    if catalog.create_table(id, stream(case), expect=(200, *refusals)).succeeded:
        table = read_table(catalog, id)
        if not table.equals(case):  # columns_of cannot represent two fields of one name
            equal(columns_of(table), columns_of(case), "the columns of the table")
