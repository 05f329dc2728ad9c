"""Tables without rows, changes without rows, tables of many fragments, and vectors of many sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import read_table
from conformance.lance.support.columns import fields
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.queries import ask, ids
from conformance.lance.support.versions import check_tag
from conformance.lance.support.views import latest_is_shown, people, rows_are

COLUMNS = ["id", "name", "n"]


# Tables without rows

Act = Callable[[LanceCatalog, Names], object]


@dataclass(frozen=True, slots=True)
class ActCase:
    """An operation, and its request on a table with the check of its effect."""

    id: str
    act: Act


def _stats(catalog: LanceCatalog, id: Names) -> None:
    equal(catalog.get_table_stats(id)["num_rows"], 0, "the num_rows")


def _describe(catalog: LanceCatalog, id: Names) -> None:
    same_items(fields(catalog, id), COLUMNS, "the columns of the table")


def _query(catalog: LanceCatalog, id: Names) -> None:
    same_items(read_table(catalog, id).column_names, COLUMNS, "the columns of the answer")
    equal(catalog.rows(id, filter="id > 0", offset=3), [], "the rows")


def _update(catalog: LanceCatalog, id: Names) -> None:
    updated = catalog.update_table(id, predicate="id > 0", updates=[["name", "'x'"]]).get("updated_rows")
    equal(updated, 0, "the updated_rows")
    equal(catalog.update_table(id, updates=[["n", "n + 1"]]).get("updated_rows"), 0, "the updated_rows")


def _delete(catalog: LanceCatalog, id: Names) -> None:
    catalog.delete_from_table(id, predicate="id > 0")
    rows_are(catalog, id, ())


def _merge(catalog: LanceCatalog, id: Names) -> None:
    catalog.merge_insert_into_table(id, stream(people(0, 2)), on="id", **UPSERT)
    rows_are(catalog, id, (0, 1))


def _insert(catalog: LanceCatalog, id: Names) -> None:
    catalog.insert_into_table(id, stream(people(0, 2)))
    rows_are(catalog, id, (0, 1))


def _alter(catalog: LanceCatalog, id: Names) -> None:
    catalog.alter_table_drop_columns(id, columns=["n"])
    same_items(fields(catalog, id), ["id", "name"], "the columns of the table")


def _tag(catalog: LanceCatalog, id: Names) -> None:
    version = catalog.version(id)
    catalog.create_table_tag(id, tag="empty", version=version)
    check_tag(catalog, id, "empty", version)


def _restore(catalog: LanceCatalog, id: Names) -> None:
    version = catalog.version(id)
    catalog.insert_into_table(id, stream(people(0, 2)))
    catalog.restore_table(id, version=version)
    rows_are(catalog, id, ())


def _rename(catalog: LanceCatalog, id: Names) -> None:
    other = catalog.table_id("other")
    catalog.rename_table(id, new_table_name=other[-1])
    rows_are(catalog, other, ())


def _plan(operation: str) -> Act:
    return lambda catalog, id: ask(catalog, OPERATIONS[operation], id, {"filter": "id > 0"})


ON_EMPTY = {
    "stats": ActCase("GetTableStats", _stats),
    "describe": ActCase("DescribeTable", _describe),
    "query": ActCase("QueryTable", _query),
    "update": ActCase("UpdateTable", _update),
    "delete": ActCase("DeleteFromTable", _delete),
    "merge": ActCase("MergeInsertIntoTable", _merge),
    "insert": ActCase("InsertIntoTable", _insert),
    "drop_columns": ActCase("AlterTableDropColumns", _alter),
    "tag": ActCase("CreateTableTag", _tag),
    "restore": ActCase("RestoreTable", _restore),
    "rename": ActCase("RenameTable", _rename),
    "explain": ActCase("ExplainTableQueryPlan", _plan("explain_table_query_plan")),
    "analyze": ActCase("AnalyzeTableQueryPlan", _plan("analyze_table_query_plan")),
}


@must("lance.empty.{}", clause="empty-tables", each=ON_EMPTY)
def test_operation_on_empty_table(catalog: LanceCatalog, case: ActCase) -> None:
    """{} works on a table with columns and without rows."""
    case.act(catalog, catalog.new_empty_table(people(0, 1)))


# Changes of no rows


@dataclass(frozen=True, slots=True)
class NoRows:
    """A change that concerns no row of a table with the ids 0 to 2; the answer's field that counts rows, if any."""

    id: str
    send: Callable[[LanceCatalog, Names], Answer]
    counted: str = ""


CHANGES_OF_NOTHING = {
    "insert": NoRows("InsertIntoTable", lambda catalog, id: catalog.insert_into_table(id, stream(people(0, 0)))),
    "update": NoRows(
        "UpdateTable",
        lambda catalog, id: catalog.update_table(id, predicate="id > 99", updates=[["name", "'x'"]]),
        "updated_rows",
    ),
    "delete": NoRows("DeleteFromTable", lambda catalog, id: catalog.delete_from_table(id, predicate="id > 99")),
    "merge": NoRows(
        "MergeInsertIntoTable",
        lambda catalog, id: catalog.merge_insert_into_table(id, stream(people(0, 0)), on="id", **UPSERT),
    ),
    "merge_update": NoRows(
        "MergeInsertIntoTable",
        lambda catalog, id: catalog.merge_insert_into_table(
            id, stream(people(70, 2)), on="id", when_matched_update_all=True
        ),
    ),
}


@must("lance.empty.change.{}", clause="changes-of-nothing", kind="data", each=CHANGES_OF_NOTHING)
def test_change_of_no_rows(catalog: LanceCatalog, case: NoRows) -> None:
    """{} that concerns no row succeeds, counts none and leaves rows and latest version in agreement."""
    id = catalog.new_table_of(people(0, 3))
    answer = case.send(catalog, id)
    if case.counted:
        equal(answer.get(case.counted), 0, f"the {case.counted}")
    latest_is_shown(catalog, id)
    same_items(catalog.rows(id), people(0, 3).to_pylist(), "the rows of the table")


# Many fragments

FRAGMENTS = 6
TWO_EACH = [(index * 10, 2) for index in range(FRAGMENTS)]  # the first id and the number of rows of each insert
EVERY = [first + offset for first, count in TWO_EACH for offset in range(count)]


def _new_fragmented(catalog: LanceCatalog) -> Names:
    """Create a table by several inserts of two rows, and delete one insert's rows and a single row."""
    id = catalog.new_table_of(people(*TWO_EACH[0]))
    for first, count in TWO_EACH[1:]:
        catalog.insert_into_table(id, stream(people(first, count)))
    catalog.delete_from_table(id, predicate="id IN (10, 11, 20)")
    return id


LEFT = [id for id in EVERY if id not in (10, 11, 20)]


def _across_query(catalog: LanceCatalog, id: Names) -> None:
    same_items(ids(catalog.rows(id, filter="id % 10 = 1")), [1, 21, 31, 41, 51], "the ids of the rows that are found")


def _across_update(catalog: LanceCatalog, id: Names) -> None:
    updated = catalog.update_table(id, predicate="id % 10 = 0", updates=[["n", "-1"]]).get("updated_rows")
    equal(updated, 4, "the updated_rows")
    same_items(ids(catalog.rows(id, filter="n = -1")), [0, 30, 40, 50], "the ids of the updated rows")
    same_items(ids(catalog.rows(id)), LEFT, "the ids of all rows")


def _across_delete(catalog: LanceCatalog, id: Names) -> None:
    catalog.delete_from_table(id, predicate="id % 10 = 0")
    rows_are(catalog, id, tuple(number for number in LEFT if number % 10))


def _across_merge(catalog: LanceCatalog, id: Names) -> None:
    source = pa.concat_tables([people(first, 2) for first in (0, 10, 50)])
    catalog.merge_insert_into_table(id, stream(source), on="id", **UPSERT)
    rows_are(catalog, id, tuple(sorted({*LEFT, 10, 11})))


def _across_alter(catalog: LanceCatalog, id: Names) -> None:
    catalog.alter_table_add_columns(id, new_columns=[{"name": "more", "expression": "id * 2"}])
    same_items([row["more"] for row in catalog.rows(id)], [number * 2 for number in LEFT], "the values of more")


def _across_index(catalog: LanceCatalog, id: Names) -> None:
    answer = catalog.create_table_index(id, column="id", index_type="BTREE", name="idx", expect=None)
    catalog.supported(answer, "indices of type BTREE")
    rows_are(catalog, id, tuple(LEFT))
    for number, count in ((20, 0), (21, 1), (51, 1)):
        equal(catalog.count_table_rows(id, predicate=f"id = {number}").json, count, f"the count of the id {number}")


ACROSS = {
    "query": ActCase("QueryTable", _across_query),
    "update": ActCase("UpdateTable", _across_update),
    "delete": ActCase("DeleteFromTable", _across_delete),
    "merge": ActCase("MergeInsertIntoTable", _across_merge),
    "add_columns": ActCase("AlterTableAddColumns", _across_alter),
    "index": ActCase("CreateTableIndex", _across_index),
}


@must("lance.fragments.{}", clause="rows-of-all-inserts", kind="data", each=ACROSS)
def test_rows_of_many_inserts(catalog: LanceCatalog, case: ActCase) -> None:
    """{} is about the rows of every insert of a table, some of which were deleted."""
    with catalog.client.preparing():
        id = _new_fragmented(catalog)
    case.act(catalog, id)


# Merges where the table has a key twice

TWICE = pa.concat_tables([people(1, 2), people(1, 1), people(5, 1)])  # the ids 1, 2, 1, 5
SOURCE = pa.table({"id": [1, 7], "name": ["new", "new"], "n": [-1, -7]})
MERGES: dict[str, tuple[dict[str, Any], list[tuple[int, int]]]] = {
    "update": ({"when_matched_update_all": True}, [(1, -1), (1, -1), (2, 2), (5, 5)]),
    "insert": ({"when_not_matched_insert_all": True}, [(1, 1), (1, 1), (2, 2), (5, 5), (7, -7)]),
    "delete": ({"when_not_matched_by_source_delete": True}, [(1, 1), (1, 1)]),
}


@must("lance.rows.merge.key_twice.{}", operations=["MergeInsertIntoTable"], clause="merge-on", kind="data", each=MERGES)
def test_merge_into_rows_with_one_key(
    catalog: LanceCatalog, case: tuple[dict[str, Any], list[tuple[int, int]]]
) -> None:
    """A merge ({}) treats every row of the table whose key is in the request alike, where the table has a key twice."""
    clauses, expected = case
    id = catalog.new_table_of(TWICE)
    catalog.merge_insert_into_table(id, stream(SOURCE), on="id", **clauses)
    same_items([(row["id"], row["n"]) for row in catalog.rows(id)], expected, "the rows as id and n")


# Vectors of many sizes

SIZES = {str(size): size for size in (1, 3, 7, 128, 1536)}


def _unit(at: int, size: int) -> list[float]:
    """Return a vector whose last number alone tells it from others."""
    return [1.0] * (size - 1) + [float(at)]


def _search(at: int, size: int, column: str) -> dict[str, Any]:
    return {
        "vector": {"single_vector": _unit(at, size)},
        "vector_column": column,
        "distance_type": "l2",
        "k": 1,
    }


@must("lance.query.vector.size.{}", operations=["QueryTable"], clause="query-nearest", each=SIZES)
def test_vectors_of_a_size(catalog: LanceCatalog, case: int) -> None:
    """A vector search in a column of vectors with {} numbers returns the nearest rows, and their vectors whole."""
    vectors = pa.array([_unit(at, case) for at in range(8)], pa.list_(pa.float32(), case))
    id = catalog.new_table_of(pa.table({"id": pa.array(range(8), pa.int64()), "vector": vectors}))
    for at in (0, 5):
        rows = catalog.rows(id, **_search(at, case, "vector"))
        equal(ids(rows), [at], "the id of the nearest row")
        equal(list(rows[0]["vector"]), _unit(at, case), "the vector of the nearest row")


@must("lance.query.vector.sizes_mixed", operations=["QueryTable"], clause="query-vector-column")
def test_vector_columns_of_two_sizes(catalog: LanceCatalog) -> None:
    """A vector search in a table with vector columns of two sizes searches the column that it names, in its size."""
    table = tables(6)
    for name, size in (("short", 2), ("long", 9)):
        column = pa.array([_unit(at if size == 2 else 5 - at, size) for at in range(6)], pa.list_(pa.float32(), size))
        table = table.append_column(name, column)
    id = catalog.new_table_of(table)
    for name, size, nearest in (("short", 2, 4), ("long", 9, 1)):
        rows = catalog.rows(id, **_search(4, size, name))
        equal(ids(rows), [nearest], f"the id of the row that is nearest in {name}")
