"""Requests about several things: all of them take effect, and none if one of them is bad, wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import contains, equal, exactly, lacks, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.columns import KEPT, fields
from conformance.lance.support.listing import collect_tables
from conformance.lance.support.queries import column
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import new_table_with_versions, new_transaction, numbers
from conformance.lance.support.views import new_people, people

NAMES = ("a", "b", "c")
PLACES = {"first": 0, "middle": 1, "last": 2}
BEFORE = people(0, 5).to_pylist()
Send = Callable[[LanceCatalog, Names, list[Any]], Answer]


@dataclass(frozen=True, slots=True)
class ListOfChanges:
    """A request whose list has three changes of a table: good ones, and a bad one that may stand at any place."""

    id: str
    send: Send
    good: tuple[Any, Any, Any]
    bad: Any
    statuses: tuple[int, ...] = (400, 404)


def _alteration(path: str, name: str) -> dict[str, Any]:
    return {"path": path, "data_type": KEPT, "rename": name}


LISTS = {
    "add_columns": ListOfChanges(
        "AlterTableAddColumns",
        lambda catalog, id, items: catalog.alter_table_add_columns(id, new_columns=items, expect=None),
        tuple({"name": name, "expression": "n + 1"} for name in NAMES),  # type: ignore[arg-type]
        {"name": "bad", "expression": "nowhere + 1"},
    ),
    "alter_columns": ListOfChanges(
        "AlterTableAlterColumns",
        lambda catalog, id, items: catalog.alter_table_alter_columns(id, alterations=items, expect=None),
        (_alteration("id", "a"), _alteration("n", "b"), _alteration("more", "c")),
        _alteration("nowhere", "d"),
    ),
    "drop_columns": ListOfChanges(
        "AlterTableDropColumns",
        lambda catalog, id, items: catalog.alter_table_drop_columns(id, columns=items, expect=None),
        ("name", "n", "more"),
        "nowhere",
    ),
    "update": ListOfChanges(
        "UpdateTable",
        lambda catalog, id, items: catalog.update_table(id, updates=items, expect=None),
        (["name", "'x'"], ["n", "n + 100"], ["more", "id + 7"]),
        ["nowhere", "1"],
    ),
}
WIDE = ["id", "name", "n", "more"]
AFTER: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "AlterTableAddColumns": lambda row: {**row, **dict.fromkeys(NAMES, row["n"] + 1)},
    "AlterTableAlterColumns": lambda row: {"a": row["id"], "name": row["name"], "b": row["n"], "c": row["more"]},
    "AlterTableDropColumns": lambda row: {"id": row["id"]},
    "UpdateTable": lambda row: {**row, "name": "x", "n": row["n"] + 100, "more": row["id"] + 7},
}


def _new_wide(catalog: LanceCatalog, name: str = "t") -> tuple[Names, list[dict[str, Any]]]:
    """Create a table with the columns WIDE and return its id and its rows."""
    data = people(0, 3)
    data = data.append_column("more", data["n"])
    return catalog.new_table_of(data, name), data.to_pylist()


@must("lance.several.all.{}", clause="several-all", kind="data", each=LISTS)
def test_every_item_takes_effect(catalog: LanceCatalog, case: ListOfChanges) -> None:
    """{} with three items in its list applies every one of them."""
    id, rows = _new_wide(catalog)
    case.send(catalog, id, list(case.good))
    catalog.client.check_status(catalog.client.steps[-1], 200)
    same_items(catalog.rows(id), map(AFTER[case.id], rows), "the rows of the table")


def _send_good(catalog: LanceCatalog, changes: ListOfChanges) -> None:
    changes.send(catalog, _new_wide(catalog, "twin")[0], list(changes.good))
    catalog.client.check_status(catalog.client.steps[-1], 200)


BAD = {f"{name}.{place}": (case, at) for name, case in LISTS.items() for place, at in PLACES.items()}


@must(
    "lance.several.none.{}",
    operations=lambda case: [case[0].id],
    clause="several-none",
    kind="error",
    each=BAD,
)
def test_no_item_takes_effect(catalog: LanceCatalog, case: tuple[ListOfChanges, int]) -> None:
    """A request on columns of which one is missing ({}) returns 400 or 404 and changes no column and no row."""
    changes, at = case
    catalog.control(lambda: _send_good(catalog, changes))
    id, rows = _new_wide(catalog)
    items = list(changes.good)
    items[at] = changes.bad
    changes.send(catalog, id, items)
    catalog.client.check_status(catalog.client.steps[-1], changes.statuses)
    same_items(fields(catalog, id), WIDE, "the columns of the table")
    same_items(catalog.rows(id), rows, "the rows of the table")


# Queries


@must("lance.several.query.names", operations=["QueryTable"], clause="query-columns")
def test_several_columns(catalog: LanceCatalog) -> None:
    """QueryTable with three column_names returns these columns with their own values, in any order of the names."""
    id, _ = new_people(catalog)
    for names in (["n", "id", "name"], ["name", "n", "id"]):
        rows = catalog.rows(id, columns={"column_names": names})
        same_items(rows, BEFORE, f"the rows with {names}")


@must("lance.several.query.aliases", operations=["QueryTable"], clause="query-aliases")
def test_several_aliases(catalog: LanceCatalog) -> None:
    """QueryTable with three column_aliases returns every column under its alias, also where aliases are swapped."""
    id, _ = new_people(catalog)
    aliases = {"n": "id", "id": "n", "label": "name"}
    rows = catalog.rows(id, columns={"column_aliases": aliases}, filter="id > 2")
    equal(sorted(column(rows, "label")), ["row 3", "row 4"], "the values of label")
    equal([set(row) == set(aliases) for row in rows], [True, True], "whether rows have the aliases and nothing else")


# Batches


def _declare(id: Names) -> dict[str, Any]:
    return {"declare_table": {"id": id}}


@must("lance.several.batch.deregister", operations=["BatchCommitTables"], clause="batch-commit")
def test_batch_deregisters_all(catalog: LanceCatalog) -> None:
    """BatchCommitTables that deregisters three tables removes all three from their namespace and no other table."""
    ids = [catalog.new_table(name) for name in NAMES]
    kept = catalog.new_table("kept")
    for id in ids:
        catalog.sandbox.note_made("RegisterTable", id)
    catalog.batch_commit_tables(operations=[{"deregister_table": {"id": id}} for id in ids])
    listed = collect_tables(catalog, catalog.home)
    contains(listed, [kept[-1]], "the listed tables")
    lacks(listed, [id[-1] for id in ids], "the listed tables")


@must("lance.several.batch.ranges", operations=["BatchCommitTables"], clause="batch-commit")
def test_batch_deletes_versions_of_all(catalog: LanceCatalog) -> None:
    """BatchCommitTables that deletes versions of three tables deletes them of each."""
    ids = [catalog.new_table(name) for name in NAMES]
    firsts = [catalog.version(id) for id in ids]
    for id in ids:
        catalog.update_table_schema_metadata(id, {"a": "1"})
    before = [numbers(catalog, id) for id in ids]
    operations = [
        {"delete_table_versions": {"id": id, "ranges": [{"start_version": first, "end_version": first + 1}]}}
        for id, first in zip(ids, firsts, strict=True)
    ]
    catalog.batch_commit_tables(operations=operations)
    for id, first, versions in zip(ids, firsts, before, strict=True):
        equal(numbers(catalog, id), [number for number in versions if number != first], f"the versions of {id[-1]}")


@must(
    "lance.several.batch.declare.{}", operations=["BatchCommitTables"], clause="batch-atomic", kind="error", each=PLACES
)
def test_batch_with_one_taken_name(catalog: LanceCatalog, case: int) -> None:
    """BatchCommitTables that declares three tables, of which the {} exists, returns 409 and declares none."""
    ids = [catalog.table_id(name) for name in NAMES]
    catalog.control(lambda: _batch_of_declarations(catalog))
    with catalog.client.preparing():
        catalog.declare_table(ids[case])
    catalog.note_tables(ids)
    refused = catalog.batch_commit_tables(operations=[_declare(id) for id in ids], expect=409)
    equal(refused.code, 5, "the code of the error")
    for id in ids:
        catalog.table_exists(id, expect=200 if id == ids[case] else 404)


def _batch_of_declarations(catalog: LanceCatalog) -> None:
    ids = [catalog.table_id(f"twin_{name}") for name in NAMES]
    catalog.note_tables(ids)
    catalog.batch_commit_tables(operations=[_declare(id) for id in ids])


@must(
    "lance.several.batch.versions.{}",
    operations=["BatchCreateTableVersions"],
    clause="batch-atomic",
    kind="error",
    each=PLACES,
)
def test_batch_with_one_missing_table(catalog: LanceCatalog, case: int) -> None:
    """BatchCreateTableVersions with three entries, of which the {} names a missing table, creates no version."""
    ids = [catalog.new_table(name) for name in NAMES]
    entries = [{"id": id, **stage(catalog, id)} for id in ids]
    entries[case] = {**entries[case], "id": catalog.table_id("missing")}
    refused = catalog.batch_create_table_versions(entries=entries, expect=404)
    equal(refused.code, 4, "the code of the error")
    equal([catalog.count_table_rows(id).json for id in ids], [3, 3, 3], "the numbers of rows of the tables")


@must("lance.several.versions.ranges", operations=["BatchDeleteTableVersions"], clause="delete-versions-range")
def test_several_ranges(catalog: LanceCatalog) -> None:
    """BatchDeleteTableVersions with three ranges in any order deletes the versions of each and keeps the rows."""
    id = new_table_with_versions(catalog)
    every = numbers(catalog, id)
    first, second, third = exactly(every, 4, "the versions of the table")[:3]
    ranges = [{"start_version": at, "end_version": at + 1} for at in (third, first, second)]
    catalog.batch_delete_table_versions(id, ranges=ranges)
    equal(numbers(catalog, id), every[3:], "the versions of the table")
    equal(catalog.count_table_rows(id).json, 4, "the count of rows")


# Transactions


def _set(key: str) -> dict[str, Any]:
    return {"setPropertyAction": {"key": key, "value": "yes", "mode": "Fail"}}


@must("lance.several.actions.{}", operations=["AlterTransaction"], clause="several-actions", kind="error", each=PLACES)
def test_one_action_that_fails(catalog: LanceCatalog, case: int) -> None:
    """AlterTransaction with three actions, of which the {} cannot be done, returns 400 or 409 and does none."""
    id = new_transaction(catalog)
    with catalog.client.preparing():
        catalog.alter_transaction(id, actions=[_set("taken")])
    keys = list(NAMES)
    keys[case] = "taken"
    catalog.alter_transaction(id, actions=[_set(key) for key in keys], expect=(400, 409))
    properties = catalog.describe_transaction(id).get("properties") or {}
    equal([name for name in NAMES if name in properties], [], "the properties that were set all the same")


@must("lance.several.actions.all", operations=["AlterTransaction"], clause="alter-transaction-properties")
def test_several_actions(catalog: LanceCatalog) -> None:
    """AlterTransaction with three actions sets every one of the three properties."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[_set(key) for key in NAMES])
    properties = catalog.describe_transaction(id).get("properties") or {}
    equal({name: properties.get(name) for name in NAMES}, dict.fromkeys(NAMES, "yes"), "the properties")
