"""Rows of tables: the commands that change them, and the views that count, return and version them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from conformance.author.checks import exactly, number
from conformance.common.model.rows import Command, ModelState, ModelView, Refusal, Symbols, Thing, two
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.catalog import ALL_ROWS
from conformance.lance.model.kinds import FIRST, FIRST_ROWS, LATEST, ROWS, ChangedTable, LanceRun
from conformance.lance.model.tags import NO_VERSION
from conformance.lance.support.arrow import read_rows, stream
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.versions import MISSING_VERSION

TABLES = two(ROWS)
RAISE = 10  # of the numbers that an update changes
MERGED = 100  # how much more the numbers of merged rows are
Rows = tuple[tuple[int, int], ...]


def told(table: ChangedTable, answer: Answer) -> Answer:
    """Note the version that an answer tells, and return the answer."""
    table.told = answer.get("version") if answer.succeeded else None
    return answer


def _data(ids: Sequence[int], more: int = 0) -> bytes:
    """Return rows with these ids as a stream, with their numbers by so much more."""
    keys, names = pa.array(ids, pa.int64()), pa.array([f"row {id}" for id in ids], pa.string())
    return stream(pa.table({"id": keys, "name": names, "n": pa.array([id + more for id in ids], pa.int64())}))


def _insert(mode: str) -> Callable[[LanceRun, Symbols, Any, Expected], Answer]:
    def send(run: LanceRun, on: Symbols, ids: Any, expect: Expected) -> Answer:
        table = run.name(on[0])
        return told(table, run.catalog.insert_into_table(table.id, _data(ids), mode=mode, expect=expect))

    return send


def _delete(run: LanceRun, on: Symbols, bound: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    return told(table, run.catalog.delete_from_table(table.id, predicate=f"id {bound}", expect=expect))


def _update(run: LanceRun, on: Symbols, id: Any, expect: Expected) -> Answer:
    table, updates = run.name(on[0]), [["n", f"n + {RAISE}"]]
    return told(table, run.catalog.update_table(table.id, predicate=f"id = {id}", updates=updates, expect=expect))


def _merge(run: LanceRun, on: Symbols, ids: Any, expect: Expected) -> Answer:
    table, data = run.name(on[0]), _data(ids, MERGED)
    return told(table, run.catalog.merge_insert_into_table(table.id, data, on="id", **UPSERT, expect=expect))


def restore(run: LanceRun, on: Symbols, label: Any, expect: Expected) -> Answer:
    """Send RestoreTable to the first version of a table, or to a missing one."""
    table = run.name(on[0])
    version = MISSING_VERSION if label == NO_VERSION else table.first
    return told(table, run.catalog.restore_table(table.id, version=version, expect=expect))


def _with_rows(change: Callable[[Rows, Any], Sequence[tuple[int, int]]]) -> Callable[..., ModelState]:
    """Return the effect of a change of rows."""
    return lambda state, on, value: state.put(
        (ROWS, on), rows=tuple(sorted(change(state.fields((ROWS, on))["rows"], value)))
    )


def _new(ids: Sequence[int], more: int = 0) -> list[tuple[int, int]]:
    return [(id, id + more) for id in ids]


def _thing(on: Symbols) -> list[Thing]:
    return [(ROWS, on)]


OF_A_VERSION = Refusal(
    "version_missing",
    "to a missing version",
    (404,),
    "version-not-found",
    lambda _, __, label: label == NO_VERSION,
    errors=(11,),
)
VERSIONS = {FIRST: FIRST, NO_VERSION: NO_VERSION}
DELETED = {"< 1": lambda id: id < 1, "= 2": lambda id: id == 2}
COMMANDS: Sequence[Command] = [
    Command(
        "insert_rows",
        "InsertIntoTable",
        "insert-append",
        TABLES,
        _insert("Append"),
        _with_rows(lambda rows, ids: [*rows, *_new(ids)]),
        values={"two rows": (5, 6), "one row": (7,)},
        names=_thing,
    ),
    Command(
        "delete_rows",
        "DeleteFromTable",
        "delete-rows",
        TABLES,
        _delete,
        _with_rows(lambda rows, bound: [row for row in rows if not DELETED[bound](row[0])]),
        values={"the first row": "< 1", "another row": "= 2"},
        names=_thing,
    ),
    Command(
        "update_rows",
        "UpdateTable",
        "update-table",
        TABLES,
        _update,
        _with_rows(lambda rows, id: [(known, n + RAISE * (known == id)) for known, n in rows]),
        values={"a row": 1, "another row": 2},
        names=_thing,
    ),
    Command(
        "merge_rows",
        "MergeInsertIntoTable",
        "merge-insert",
        TABLES,
        _merge,
        _with_rows(lambda rows, ids: [*(row for row in rows if row[0] not in ids), *_new(ids, MERGED)]),
        values={"an old row and a new one": (2, 3), "others": (1, 4)},
        names=_thing,
    ),
    Command(
        "overwrite_rows",
        "InsertIntoTable",
        "insert-overwrite",
        TABLES,
        _insert("Overwrite"),
        _with_rows(lambda _, ids: _new(ids)),
        values={"two rows": (8, 9), "another row": (10,)},
        names=_thing,
    ),
    Command(
        "restore_rows",
        "RestoreTable",
        "restore-equal",
        TABLES,
        restore,
        _with_rows(lambda _, __: FIRST_ROWS),
        values=VERSIONS,
        refusals=[OF_A_VERSION],
        names=_thing,
    ),
]


def _count(run: LanceRun, on: Symbols) -> Any:
    return run.catalog.count_table_rows(run.name(on[0]).id).json


def _query(run: LanceRun, on: Symbols, **at: Any) -> Any:
    body: dict[str, Any] = {"vector": {}, "k": ALL_ROWS, "columns": {"column_names": ["id", "n"]}, **at}
    rows = read_rows(run.catalog.query_table(run.name(on[0]).id, **body).body)
    return sorted([number(row["id"], "the id of a row"), number(row["n"], "the n of a row")] for row in rows)


def _query_first(run: LanceRun, on: Symbols) -> Any:
    return _query(run, on, version=run.name(on[0]).first)


def _stats(run: LanceRun, on: Symbols) -> Any:
    return run.catalog.get_table_stats(run.name(on[0]).id)["num_rows"]


def latest(run: LanceRun, on: Symbols) -> Any:
    """Return LATEST if DescribeTable, ListTableVersions and the last change show one version, else these versions."""
    table = run.name(on[0])
    described = run.catalog.version(table.id)
    page = run.catalog.list_table_versions(table.id, descending=True, limit=1)["versions"]
    listed = number(exactly(page, 1, "the versions of a page of one")[0]["version"], "the number of a listed version")
    if {described, listed, table.told or described} == {described}:
        return LATEST
    return {"described": described, "listed": listed, "told by the change": table.told}


def _rows(state: ModelState, on: Symbols) -> list[list[int]]:
    return [list(row) for row in state.fields((ROWS, on))["rows"]]


VIEWS: Sequence[ModelView] = [
    ModelView("CountTableRows", [ROWS], TABLES, lambda state, on: len(_rows(state, on)), _count, "of all rows"),
    ModelView("QueryTable", [ROWS], TABLES, _rows, _query),
    ModelView("GetTableStats", [ROWS], TABLES[:1], lambda state, on: len(_rows(state, on)), _stats),
    ModelView(
        "QueryTable",
        [ROWS],
        TABLES[:1],
        lambda _, __: [list(row) for row in FIRST_ROWS],
        _query_first,
        "of the rows of a first version",
    ),
    ModelView("ListTableVersions", [ROWS], TABLES[:1], lambda _, __: LATEST, latest),
]
