"""Views: the same fact about a table as several operations return it, and changes of a table to look at.

A server need not offer every operation: a view of one that it lacks is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import contains, equal, exactly, lacks, number, same_items
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import read_table
from conformance.lance.support.columns import KEPT
from conformance.lance.support.listing import collect, collect_all_tables, collect_tables
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.queries import ids
from specs.lance.identifiers import join_parts

GONE = 404
TABLES = "the listed tables"
DETAILED = {"load_detailed_metadata": True}
RENAMED = [{"path": "n", "data_type": KEPT, "rename": "m"}]


def people(first: int, count: int) -> pa.Table:
    """Return rows with the columns id, name and n, their ids from `first` on."""
    keys = range(first, first + count)
    names = [f"row {key}" for key in keys]
    return pa.table(
        {"id": pa.array(keys, pa.int64()), "name": pa.array(names, pa.string()), "n": pa.array(keys, pa.int64())}
    )


def new_people(catalog: LanceCatalog, name: str = "t") -> tuple[Names, int]:
    """Create a table with the ids 0 to 2 and insert 3 and 4; return its id and its first version."""
    id = catalog.new_table_of(people(0, 3), name)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(people(3, 2)))
    return id, first


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a table that `new_people` created: its operation, and the request.

    `act` takes the catalog, the id of the table and its first version.
    """

    id: str
    act: Callable[[LanceCatalog, Names, int], Answer]


def _insert(first: int, count: int, **mode: Any) -> Callable[[LanceCatalog, Names, int], Answer]:
    return lambda catalog, id, _first: catalog.insert_into_table(id, stream(people(first, count)), **mode)


ROW_CHANGES: dict[str, Change] = {
    "insert": Change("InsertIntoTable", _insert(5, 1)),
    "insert_overwrite": Change("InsertIntoTable", _insert(7, 2, mode="Overwrite")),
    "update": Change("UpdateTable", lambda catalog, id, _: catalog.update_table(id, updates=[["name", "'new'"]])),
    "delete": Change("DeleteFromTable", lambda catalog, id, _: catalog.delete_from_table(id, predicate="id IN (1, 4)")),
    "merge_upsert": Change(
        "MergeInsertIntoTable",
        lambda catalog, id, _: catalog.merge_insert_into_table(id, stream(people(4, 2)), on="id", **UPSERT),
    ),
    "restore": Change("RestoreTable", lambda catalog, id, first: catalog.restore_table(id, version=first)),
}
COLUMN_CHANGES: dict[str, Change] = {
    "add_columns": Change(
        "AlterTableAddColumns",
        lambda catalog, id, _: catalog.alter_table_add_columns(
            id, new_columns=[{"name": "a", "expression": "id + 1"}, {"name": "b", "expression": "n * 2"}]
        ),
    ),
    "alter_columns": Change(
        "AlterTableAlterColumns",
        lambda catalog, id, _: catalog.alter_table_alter_columns(id, alterations=RENAMED),
    ),
    "drop_columns": Change(
        "AlterTableDropColumns",
        lambda catalog, id, _: catalog.alter_table_drop_columns(id, columns=["name", "n"]),
    ),
}
CHANGES = {**ROW_CHANGES, **COLUMN_CHANGES}


# Rows


def rows_are(catalog: LanceCatalog, id: Names, expected: tuple[int, ...]) -> None:
    """Check that every operation that counts or returns the rows of a table shows those with these ids."""
    same_items(ids(read_table(catalog, id).to_pylist()), expected, "the ids of the rows by QueryTable")
    for what, count in _row_counts(catalog, id).items():
        equal(count(), len(expected), f"the number of rows by {what}")


def _row_counts(catalog: LanceCatalog, id: Names) -> dict[str, Callable[[], Any]]:
    counts = {
        "CountTableRows": lambda: catalog.count_table_rows(id).json,
        "CountTableRows with a predicate": lambda: catalog.count_table_rows(id, predicate="id >= 0").json,
        "GetTableStats": lambda: catalog.get_table_stats(id)["num_rows"],
    }
    return {what: count for what, count in counts.items() if not catalog.client.lacks(what.partition(" ")[0])}


# Versions


def answered_version_is_shown(catalog: LanceCatalog, id: Names, answered: Any) -> int:
    """Check that DescribeTable returns the version in the answer of a change; return it."""
    latest = catalog.version(id)
    equal(answered, latest, "the version in the answer, beside that of DescribeTable")
    return latest


def told_version_is_shown(catalog: LanceCatalog, id: Names, answer: Answer) -> None:
    """Check that DescribeTable returns the version that the answer of a change tells, if it tells one."""
    if (told := answer.get("version")) is not None:
        answered_version_is_shown(catalog, id, told)


def latest_is_shown(catalog: LanceCatalog, id: Names, answered: Any = None) -> int:
    """Check that all operations agree on the latest version, the answer of a change too; return it."""
    latest = catalog.version(id) if answered is None else answered_version_is_shown(catalog, id, answered)
    if not catalog.client.lacks("ListTableVersions"):
        first = exactly(
            catalog.list_table_versions(id, descending=True, limit=1)["versions"], 1, "the versions of a page of one"
        )
        equal(first[0]["version"], latest, "the first version by ListTableVersions with descending=true")
        every = collect(lambda **page: catalog.list_table_versions(id, **page), "versions")
        numbers = [number(version["version"], "the number of a version") for version in every]
        equal(max(numbers, default=None), latest, "the largest version by ListTableVersions")
    return latest


# Tables


def table_is_shown(catalog: LanceCatalog, id: Names) -> None:
    """Check that every operation that shows tables shows a table with data; each listing has it once."""
    catalog.table_exists(id)
    catalog.describe_table(id)
    entries = collect_tables(catalog, id[:-1])
    equal(entries.count(id[-1]), 1, f"how often {id[-1]} is among the tables of its namespace")
    if not catalog.client.lacks("ListAllTables"):
        contains(collect_all_tables(catalog), [join_parts(id)], "all tables")


def table_is_gone(catalog: LanceCatalog, id: Names, *, rows: bool = False) -> None:
    """Check that no operation shows a table."""
    catalog.table_exists(id, expect=GONE)
    catalog.describe_table(id, expect=GONE)
    lacks(collect_tables(catalog, id[:-1]), [id[-1]], TABLES)
    if rows:
        catalog.count_table_rows(id, expect=GONE)
        if not catalog.client.lacks("ListAllTables"):
            lacks(collect_all_tables(catalog), [join_parts(id)], "all tables")
