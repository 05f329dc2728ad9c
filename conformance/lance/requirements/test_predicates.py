"""Predicates: the same rows in every operation that takes one, and null as neither true nor false."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.queries import Row, ids
from conformance.values.outcomes import Unoffered

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("n", pa.int32()),
        ("name", pa.string()),
        ("flag", pa.bool_()),
        ("x", pa.float64()),
        ("mark", pa.string()),
    ]
)
ROWS: list[Row] = [
    {"id": id, "n": n, "name": name, "flag": flag, "x": id / 2 - 1, "mark": ""}
    for id, n, name, flag in (
        (0, 1, "ann", True),
        (1, 2, "bob", False),
        (2, None, "Ann", None),
        (3, 4, None, None),
        (4, None, None, True),
        (5, 6, "it's", False),
        (6, -2, "größe", None),
        (7, 2, "a%b", True),
    )
]
EVERY = [row["id"] for row in ROWS]


def new_table(catalog: LanceCatalog, sql: str = "") -> Names:
    """Create a table of ROWS in two fragments, with a column `place` of structs if a predicate is about it."""
    half, data = len(ROWS) // 2, pa.Table.from_pylist(ROWS, schema=SCHEMA)
    if "place" in sql:
        data = data.append_column("place", pa.array([{"zip": row["id"] * 100} for row in ROWS]))
    id = catalog.new_table_of(data.slice(0, half))
    catalog.insert_into_table(id, stream(data.slice(half)))
    return id


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate as SQL, and the ids of the rows for which it holds."""

    sql: str
    ids: tuple[int, ...]


# Predicates over columns with null. A predicate that is unknown for a row does not hold for it.
NULLS = {
    "compared": Predicate("n > 1", (1, 3, 5, 7)),
    "unequal": Predicate("n <> 2", (0, 3, 5, 6)),
    "negated": Predicate("NOT (n > 1)", (0, 6)),
    "not_in": Predicate("n NOT IN (1, 6)", (1, 3, 6, 7)),
    "not_between": Predicate("n NOT BETWEEN 2 AND 4", (0, 5, 6)),
    "not_like": Predicate("name NOT LIKE 'a%'", (1, 2, 5, 6)),
    "not_flag": Predicate("NOT flag", (1, 5)),
    "either": Predicate("n > 4 OR NOT (name = 'bob')", (0, 2, 5, 6, 7)),
}
# Other predicates, of the kinds that clients send.
KINDS = {
    "comparison": Predicate("id >= 6", (6, 7)),
    "between": Predicate("id BETWEEN 2 AND 4", (2, 3, 4)),
    "in": Predicate("id IN (1, 3, 99)", (1, 3)),
    "like": Predicate("name LIKE 'a%'", (0, 7)),
    "text": Predicate("name = 'Ann'", (2,)),
    "quote": Predicate("name = 'it''s'", (5,)),
    "unicode": Predicate("name = 'größe'", (6,)),
    "boolean": Predicate("flag", (0, 4, 7)),
    "is_null": Predicate("n IS NULL", (2, 4)),
    "is_not_null": Predicate("name IS NOT NULL AND flag IS NOT NULL", (0, 1, 5, 7)),
    "arithmetic": Predicate("id % 2 = 1 AND id * 2 > 3", (3, 5, 7)),
    "negative": Predicate("n < 0", (6,)),
    "float": Predicate("x < -0.25", (0, 1)),
    "nested": Predicate("place.zip > 500", (6, 7)),
    "precedence": Predicate("id = 0 OR id > 3 AND id < 6", (0, 4, 5)),
    "columns": Predicate("n > id", (0, 1, 3, 5)),
    "none": Predicate("id < 0", ()),
    "all": Predicate("id >= 0", tuple(EVERY)),
}


def _found(catalog: LanceCatalog, id: Names, sql: str, **query: Any) -> list[int]:
    return ids(catalog.rows(id, filter=sql, **query))


@must("lance.predicate.null.count", operations=["CountTableRows"], clause="predicate-unknown", kind="data")
def test_count_of_unknown_rows(catalog: LanceCatalog) -> None:
    """CountTableRows does not count rows for which null makes the predicate unknown, also under NOT."""
    id = new_table(catalog)
    for predicate in NULLS.values():
        count = catalog.count_table_rows(id, predicate=predicate.sql).json
        equal(count, len(predicate.ids), f"the count of rows with {predicate.sql}")


@must("lance.predicate.null.query", operations=["QueryTable"], clause="predicate-unknown", kind="data")
def test_query_of_unknown_rows(catalog: LanceCatalog) -> None:
    """QueryTable does not return rows for which null makes the filter unknown, also under NOT."""
    id = new_table(catalog)
    for predicate in NULLS.values():
        same_items(_found(catalog, id, predicate.sql), predicate.ids, f"the ids of the rows with {predicate.sql}")


@must("lance.predicate.null.update", operations=["UpdateTable"], clause="predicate-unknown", kind="data")
def test_update_of_unknown_rows(catalog: LanceCatalog) -> None:
    """UpdateTable neither updates nor counts rows for which null makes the predicate unknown, also under NOT."""
    id = new_table(catalog)
    marks = dict.fromkeys(EVERY, "")
    for key, predicate in NULLS.items():
        answer = catalog.update_table(id, predicate=predicate.sql, updates=[["mark", f"'{key}'"]])
        equal(answer.get("updated_rows"), len(predicate.ids), f"the updated_rows with {predicate.sql}")
        marks.update(dict.fromkeys(predicate.ids, key))
    rows = [(row["id"], row["mark"]) for row in catalog.rows(id)]
    same_items(rows, marks.items(), "the rows as id and mark")


@must("lance.predicate.null.delete", operations=["DeleteFromTable"], clause="predicate-unknown", kind="data")
def test_delete_of_unknown_rows(catalog: LanceCatalog) -> None:
    """DeleteFromTable does not delete rows for which null makes the predicate unknown, also under NOT."""
    id = new_table(catalog)
    remaining = list(EVERY)
    for key in ("not_flag", "not_in", "not_like", "negated"):
        predicate = NULLS[key]
        catalog.delete_from_table(id, predicate=predicate.sql)
        remaining = [number for number in remaining if number not in predicate.ids]
        same_items(ids(catalog.rows(id)), remaining, f"the ids of the rows after deleting those with {predicate.sql}")


@must("lance.predicate.null.merge", operations=["MergeInsertIntoTable"], clause="predicate-unknown", kind="data")
def test_merge_deletes_no_unknown_rows(catalog: LanceCatalog) -> None:
    """A merge does not delete rows for which null makes when_not_matched_by_source_delete_filt unknown."""
    id = new_table(catalog)
    remaining = list(EVERY)
    for key in ("negated", "not_flag", "unequal"):
        predicate = NULLS[key]
        catalog.merge_insert_into_table(
            id,
            stream(pa.Table.from_pylist(ROWS[:1], schema=SCHEMA)),
            on="id",
            when_not_matched_by_source_delete=True,
            when_not_matched_by_source_delete_filt=predicate.sql,
        )
        gone = {*predicate.ids} - {0}
        remaining = [number for number in remaining if number not in gone]
        same_items(ids(catalog.rows(id)), remaining, f"the ids of the rows after deleting those with {predicate.sql}")


USERS = ["CountTableRows", "QueryTable", "UpdateTable", "DeleteFromTable"]


@must("lance.predicate.same.{}", operations=USERS, clause="predicate-same-rows", kind="data", each=KINDS)
def test_same_rows_everywhere(catalog: LanceCatalog, case: Predicate) -> None:
    """Counts, queries, updates and deletes with the same predicate ({}) are about the same rows."""
    id = new_table(catalog, case.sql)
    _require(catalog, id, case.sql)
    equal(catalog.count_table_rows(id, predicate=case.sql).json, len(case.ids), "the count of rows")
    same_items(_found(catalog, id, case.sql), case.ids, "the ids of the rows that are found")
    updated = catalog.update_table(id, predicate=case.sql, updates=[["mark", "'x'"]]).get("updated_rows")
    equal(updated, len(case.ids), "the updated_rows")
    same_items(_found(catalog, id, "mark = 'x'"), case.ids, "the ids of the rows that are updated")
    catalog.delete_from_table(id, predicate=case.sql)
    same_items(ids(catalog.rows(id)), _without(case.ids), "the ids of the remaining rows")


def _require(catalog: LanceCatalog, id: Names, sql: str) -> None:
    """Raise Unoffered where counts and queries reject the predicate as invalid: the document names no functions."""
    with catalog.client.preparing():
        count = catalog.count_table_rows(id, predicate=sql, expect=(200, 400))
        query = catalog.query_table(id, vector={}, k=1, filter=sql, expect=(200, 400))
    if not (count.succeeded or query.succeeded):
        raise Unoffered("the server has no predicates of this kind")


def _without(gone: Collection[int]) -> list[int]:
    return [number for number in EVERY if number not in gone]


# Predicates on indexed columns


INDEXED = {"btree": ("BTREE", "n"), "bitmap": ("BITMAP", "name")}


@must(
    "lance.predicate.indexed.{}",
    operations=["CreateTableIndex", *USERS[:2]],
    clause="predicate-same-rows",
    kind="data",
    each=INDEXED,
)
def test_unknown_rows_of_an_indexed_column(catalog: LanceCatalog, case: tuple[str, str]) -> None:
    """A {} index on a column with nulls changes no row that a predicate finds, IS NULL and NOT included."""
    id = new_table(catalog)
    kind, column = case
    answer = catalog.create_table_index(id, column=column, index_type=kind, name="idx", expect=None)
    catalog.supported(answer, f"indices of type {kind}")
    for predicate in (*NULLS.values(), KINDS["is_null"], KINDS["is_not_null"]):
        count = catalog.count_table_rows(id, predicate=predicate.sql).json
        equal(count, len(predicate.ids), f"the count of rows with {predicate.sql}")
