"""Column changes of tables with several fragments, with indices, and with columns of many types."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import equal, same_items
from conformance.author.requirement import given, must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import CORE, SPECIAL, read_table, same_rows, typed_table
from conformance.lance.support.columns import ADD, ALTER, CHANGES, DROP, field
from conformance.lance.support.indexing import all_indices, wait_for_index
from conformance.lance.support.versions import check_transaction
from conformance.lance.worlds import UNINDEXED
from conformance.values.outcomes import Unoffered


@must("lance.column.add.fragments", operations=ADD, clause="add-columns")
@given(rows=st.lists(st.integers(1, 4), min_size=1, max_size=3), deleted=st.integers(0, 3))
def test_add_column_to_every_row(catalog: LanceCatalog, rows: list[int], deleted: int) -> None:
    """AlterTableAddColumns computes the column for the rows of every insert, also after other rows were deleted."""
    id = catalog.new_table(rows=rows[0])
    for count in rows[1:]:
        catalog.insert_into_table(id, stream(tables(count)))
    catalog.delete_from_table(id, predicate=f"id = {deleted}")
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": "id * 10 + 1"}])
    expected = [(n, n * 10 + 1) for count in rows for n in range(count) if n != deleted]
    same_items([(row["id"], row["new"]) for row in catalog.rows(id)], expected, "the rows as id and new")


@must("lance.column.add.empty", operations=ADD, clause="add-columns")
def test_add_column_to_empty_table(catalog: LanceCatalog) -> None:
    """AlterTableAddColumns on a table whose rows were all deleted adds a column that later inserts can fill."""
    id = catalog.new_table(rows=1)
    catalog.delete_from_table(id, predicate="true")
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": "id + 1"}])
    more = tables(2).append_column("new", pa.array([7, 8], pa.int64()))
    catalog.insert_into_table(id, stream(more))
    same_items([row["new"] for row in catalog.rows(id)], [7, 8], "the values of new")


SAME: dict[str, tuple[pa.DataType, list[Any]]] = {
    **{name: CORE[name] for name in ("int64", "string", "timestamp_us", "decimal128", "list", "struct", "vector")},
    **{name: SPECIAL[name] for name in ("timestamp_ms_utc", "timestamp_ns", "duration_ns", "dictionary", "map")},
}


def _stored(catalog: LanceCatalog, sent: pa.Table) -> Names:
    """Create a table. Raises Unoffered where the server does not support its column types."""
    id = catalog.table_id()
    if catalog.create_table(id, stream(sent), expect=(200, 400)).status == 400:
        raise Unoffered("the server has no columns of this type")
    return id


@should("lance.column.alter.same_type.{}", operations=ALTER, clause="alter-columns-same-type", each=SAME)
def test_rename_with_the_type_as_described(catalog: LanceCatalog, case: tuple[pa.DataType, list[Any]]) -> None:
    """Renaming a column with the data_type that DescribeTable returns ({}) keeps its type and values."""
    id = _stored(catalog, typed_table(*case))
    before = read_table(catalog, id)
    equal(before.schema.names, ["id", "value"], "the columns of the table")
    described = field(catalog, id, "value")["type"]
    catalog.alter_table_alter_columns(id, alterations=[{"path": "value", "data_type": described, "rename": "new"}])
    after = read_table(catalog, id)
    equal(after.schema.names, ["id", "new"], "the columns of the table")
    equal(after.schema.types, before.schema.types, "the types of the columns")
    same_rows(after.rename_columns(before.schema.names), before)


def _indexed(catalog: LanceCatalog) -> Names:
    """Create a table with an index on the column `id`."""
    id = catalog.new_table(rows=20)
    catalog.create_table_scalar_index(id, column="id", index_type="BTREE", name="by_id")
    wait_for_index(catalog, id, "by_id")
    return id


@should("lance.column.alter.index", operations=ALTER, clause="index-follows-column", world=UNINDEXED)
def test_index_follows_renamed_column(catalog: LanceCatalog) -> None:
    """After an indexed column is renamed, its index lists the new name and filters on that name find the rows."""
    id = _indexed(catalog)
    catalog.alter_table_alter_columns(id, alterations=[{"path": "id", "data_type": {"type": "int64"}, "rename": "key"}])
    equal([row["key"] for row in catalog.rows(id, filter="key = 7")], [7], "the keys of the found rows")
    indices = [(entry["index_name"], entry["columns"]) for entry in all_indices(catalog, id)]
    equal(indices, [("by_id", ["key"])], "the indices with their columns")


@should("lance.column.drop.index", operations=DROP, clause="index-follows-column")
def test_index_goes_with_dropped_column(catalog: LanceCatalog) -> None:
    """AlterTableDropColumns of an indexed column drops the index and keeps the rows."""
    id = _indexed(catalog)
    catalog.alter_table_drop_columns(id, columns=["id"])
    equal(all_indices(catalog, id), [], "the indices of the table")
    equal(len(catalog.rows(id)), 20, "the number of rows")


TOLD = {name: case for name, case in CHANGES.items() if name != "metadata"}


@should(
    "lance.column.{}.transaction",
    operations=lambda case: case[0],
    clause="transaction-known",
    each=TOLD,
)
def test_transaction_of_change_is_known(catalog: LanceCatalog, case: Any) -> None:
    """DescribeTransaction knows the transaction_id that a column change ({}) returns."""
    id = catalog.new_table_of(pa.table({"id": [1, 2], "age": [30, 41]}))
    check_transaction(catalog, case[1](catalog, id))
