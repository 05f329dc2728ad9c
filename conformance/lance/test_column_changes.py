"""Columns changed in tables that are more than one write: with fragments, indices, and types of all kinds."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.lance.arrow import read_file, stream
from conformance.lance.arrow_types import CORE, SPECIAL, rows_of, typed_table
from conformance.lance.catalog import ALL_ROWS, LanceCatalog, Names
from conformance.lance.indexing import all_indices, wait_for_index
from conformance.lance.test_columns import ADD, ALTER, CHANGES, DROP
from conformance.lance.test_rows import check_transaction
from conformance.outcomes import Unoffered
from conformance.requirement import given, must, should
from conformance.strategies import tables


@must("lance.column.add.fragments", operations=ADD, clause="add-columns")
@given(rows=st.lists(st.integers(1, 4), min_size=1, max_size=3), deleted=st.integers(0, 3))
def test_add_column_to_every_row(catalog: LanceCatalog, rows: list[int], deleted: int) -> None:
    """A column is computed for the rows of every insert, also where others were deleted."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    catalog.delete_from_table(id, predicate=f"id = {deleted}")
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": "id * 10 + 1"}])
    found = sorted((row["id"], row["new"]) for row in catalog.rows(id))
    assert found == sorted((n, n * 10 + 1) for count in rows for n in range(count) if n != deleted)


@must("lance.column.add.empty", operations=ADD, clause="add-columns")
def test_add_column_to_empty_table(catalog: LanceCatalog) -> None:
    """A table whose rows were all deleted gets a column too, of its expression's type, and rows can follow."""
    id = catalog.new_table(rows=1)
    catalog.delete_from_table(id, predicate="true")
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": "id + 1"}])
    more = tables(2).append_column("new", pa.array([7, 8], pa.int64()))
    catalog.insert_into_table(id, stream(more))
    assert sorted(row["new"] for row in catalog.rows(id)) == [7, 8]


SAME: dict[str, tuple[pa.DataType, list[Any]]] = {
    **{name: CORE[name] for name in ("int64", "string", "timestamp_us", "decimal128", "list", "struct", "vector")},
    **{name: SPECIAL[name] for name in ("timestamp_ms_utc", "timestamp_ns", "duration_ns", "dictionary", "map")},
}


def _stored(catalog: LanceCatalog, sent: pa.Table) -> Names:
    """Create a table. Raises Unoffered where the server has no columns of its types."""
    id = catalog.table_id()
    if catalog.create_table(id, stream(sent), expect=(200, 400)).status == 400:
        raise Unoffered("the server has no columns of this type")
    return id


def _read(catalog: LanceCatalog, id: Names) -> pa.Table:
    return read_file(catalog.query_table(id, vector={}, k=ALL_ROWS).body)


@should("lance.column.alter.same_type.{}", operations=ALTER, clause="alter-columns-same-type", each=SAME)
def test_rename_with_the_type_as_described(catalog: LanceCatalog, case: tuple[pa.DataType, list[Any]]) -> None:
    """Renaming a column with the type that DescribeTable tells of it ({}) keeps type and values."""
    id = _stored(catalog, typed_table(*case))
    before = _read(catalog, id)
    described = catalog.describe_table(id, query={"load_detailed_metadata": True})["schema"]["fields"][1]["type"]
    catalog.alter_table_alter_columns(id, alterations=[{"path": "value", "data_type": described, "rename": "new"}])
    after = _read(catalog, id)
    assert after.schema.names == ["id", "new"]
    assert after.schema.types == before.schema.types
    assert rows_of(after.rename_columns(before.schema.names)) == rows_of(before)


def _indexed(catalog: LanceCatalog) -> Names:
    """Create a table with an index on its column `id`."""
    id = catalog.new_table(rows=20)
    catalog.create_table_scalar_index(id, column="id", index_type="BTREE", name="by_id")
    wait_for_index(catalog, id, "by_id")
    return id


@should("lance.column.alter.index", operations=ALTER, clause="index-follows-column")
def test_index_follows_renamed_column(catalog: LanceCatalog) -> None:
    """A renamed column keeps its index, which names it as it is called now, and is found by its values."""
    id = _indexed(catalog)
    catalog.alter_table_alter_columns(id, alterations=[{"path": "id", "data_type": {"type": "int64"}, "rename": "key"}])
    assert [row["key"] for row in catalog.rows(id, filter="key = 7")] == [7]
    assert [(entry["index_name"], entry["columns"]) for entry in all_indices(catalog, id)] == [("by_id", ["key"])]


@should("lance.column.drop.index", operations=DROP, clause="index-follows-column")
def test_index_goes_with_dropped_column(catalog: LanceCatalog) -> None:
    """The index of a dropped column is gone with it, and the rows stay."""
    id = _indexed(catalog)
    catalog.alter_table_drop_columns(id, columns=["id"])
    assert all_indices(catalog, id) == []
    assert len(catalog.rows(id)) == 20


TOLD = {name: case for name, case in CHANGES.items() if name != "metadata"}


@should(
    "lance.column.{}.transaction",
    operations=lambda case: case[0],
    clause="transaction-known",
    each=TOLD,
)
def test_transaction_of_change_is_known(catalog: LanceCatalog, case: Any) -> None:
    """A transaction_id in the answer ({}) is one that DescribeTransaction knows."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], "age": [30, 41]}))
    check_transaction(catalog, case[1](catalog, id))
