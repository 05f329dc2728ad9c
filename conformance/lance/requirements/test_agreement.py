"""Answers that agree: what one operation returns about a table, every other one returns too, after any change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import read_table
from conformance.lance.support.columns import fields
from conformance.lance.support.indexing import all_indices, wait_for_index
from conformance.lance.support.listing import collect, collect_namespaces
from conformance.lance.support.views import (
    CHANGES,
    COLUMN_CHANGES,
    OVERWRITE,
    ROW_CHANGES,
    Change,
    latest_is_shown,
    new_people,
    people,
    rows_are,
    table_is_gone,
    table_is_shown,
    tags_agree,
)
from conformance.lance.worlds import UNINDEXED, UNTAGGED


@must("lance.agree.rows.{}", clause="rows-agree", kind="data", each=CHANGES)
def test_rows_agree(catalog: LanceCatalog, case: Change) -> None:
    """After {}, CountTableRows, QueryTable and GetTableStats return the same rows."""
    id, first = new_people(catalog)
    rows_are(catalog, id, (0, 1, 2, 3, 4))
    case.act(catalog, id, first)
    rows_are(catalog, id, case.ids)


@must("lance.agree.version.{}", clause="versions-agree", each={**CHANGES})
def test_versions_agree(catalog: LanceCatalog, case: Change) -> None:
    """After {}, its answer, DescribeTable and ListTableVersions return the same latest version."""
    id, first = new_people(catalog)
    answer = case.act(catalog, id, first)
    told = answer.get("version") if case.id != "UpdateTableSchemaMetadata" else None
    latest = latest_is_shown(catalog, id, told)
    equal(catalog.count_table_rows(id, version=latest).json, len(case.ids), "the count of rows of the latest version")


SCHEMAS = {
    **COLUMN_CHANGES,
    "restore": ROW_CHANGES["restore"],
    "insert_overwrite": ROW_CHANGES["insert_overwrite"],
    "create_overwrite": OVERWRITE,
}


@must("lance.agree.schema.{}", clause="schema-agrees", each=SCHEMAS, world={"data": ("plain",)})
def test_schemas_agree(catalog: LanceCatalog, case: Change) -> None:
    """After {}, DescribeTable, QueryTable and predicates have the same columns."""
    id, first = new_people(catalog)
    case.act(catalog, id, first)
    same_items(fields(catalog, id), case.columns, "the columns by DescribeTable")
    same_items(read_table(catalog, id).column_names, case.columns, "the columns by QueryTable")
    present = " AND ".join(f"{name} IS NOT NULL" for name in case.columns)
    equal(catalog.count_table_rows(id, predicate=present).json, len(case.ids), "the count of rows with values")
    for name in {"id", "name", "n"} - set(case.columns):
        catalog.count_table_rows(id, predicate=f"{name} IS NOT NULL", expect=(400, 404))


# Tags


@dataclass(frozen=True, slots=True)
class TagChange:
    """An operation on a table with the tags `one` and `same` on its first version and `two` on its second.

    `act` returns the id of the table afterwards, `tags` the expected tags from the two versions.
    """

    id: str
    act: Callable[[LanceCatalog, Names, int, int], Names]
    tags: Callable[[int, int], dict[str, int]]


def _all_tags(first: int, second: int) -> dict[str, int]:
    return {"one": first, "same": first, "two": second}


def _then(
    action: Callable[[LanceCatalog, Names, int, int], object],
) -> Callable[[LanceCatalog, Names, int, int], Names]:
    """Return an action that leaves the table its id."""

    def act(catalog: LanceCatalog, id: Names, first: int, second: int) -> Names:
        action(catalog, id, first, second)
        return id

    return act


def _renamed(catalog: LanceCatalog, id: Names, _first: int, _second: int) -> Names:
    other = catalog.table_id("other")
    catalog.rename_table(id, new_table_name=other[-1])
    return other


TAG_CHANGES = {
    "create": TagChange(
        "CreateTableTag",
        _then(lambda catalog, id, first, _: catalog.create_table_tag(id, tag="new", version=first)),
        lambda first, second: {**_all_tags(first, second), "new": first},
    ),
    "update": TagChange(
        "UpdateTableTag",
        _then(lambda catalog, id, _, second: catalog.update_table_tag(id, tag="one", version=second)),
        lambda first, second: {**_all_tags(first, second), "one": second},
    ),
    "update_back": TagChange(
        "UpdateTableTag",
        _then(lambda catalog, id, first, _: catalog.update_table_tag(id, tag="two", version=first)),
        lambda first, second: {**_all_tags(first, second), "two": first},
    ),
    "delete": TagChange(
        "DeleteTableTag",
        _then(lambda catalog, id, _first, _second: catalog.delete_table_tag(id, tag="same")),
        lambda first, second: {"one": first, "two": second},
    ),
    "insert": TagChange(
        "InsertIntoTable",
        _then(lambda catalog, id, _first, _second: catalog.insert_into_table(id, stream(people(9, 1)))),
        _all_tags,
    ),
}


@must("lance.agree.tags.{}", clause="tags-agree", each=TAG_CHANGES, world=UNTAGGED)
def test_tags_agree(catalog: LanceCatalog, case: TagChange) -> None:
    """After {} on a table with three tags, ListTableTags, its pages and GetTableTagVersion return the same tags."""
    id, first = new_people(catalog)
    second = catalog.version(id)
    for tag, version in _all_tags(first, second).items():
        catalog.create_table_tag(id, tag=tag, version=version)
    after = case.act(catalog, id, first, second)
    tags_agree(catalog, after, case.tags(first, second))


# Indices

INDEXED = {"by_id": "id", "by_n": "n"}


@dataclass(frozen=True, slots=True)
class IndexChange:
    """An operation on a table with the indices INDEXED, and the indices afterwards by their column."""

    id: str
    act: Callable[[LanceCatalog, Names], object]
    indices: dict[str, str]


def _index(catalog: LanceCatalog, id: Names, name: str, column: str) -> None:
    catalog.create_table_index(id, column=column, index_type="BTREE", name=name)
    wait_for_index(catalog, id, name)


INDEX_CHANGES = {
    "create": IndexChange(
        "CreateTableIndex",
        lambda catalog, id: _index(catalog, id, "by_name", "name"),
        {**INDEXED, "by_name": "name"},
    ),
    "drop": IndexChange("DropTableIndex", lambda catalog, id: catalog.drop_table_index(id, "by_id"), {"by_n": "n"}),
    "insert": IndexChange(
        "InsertIntoTable", lambda catalog, id: catalog.insert_into_table(id, stream(people(9, 1))), INDEXED
    ),
    "delete": IndexChange(
        "DeleteFromTable", lambda catalog, id: catalog.delete_from_table(id, predicate="id = 1"), INDEXED
    ),
}


@must("lance.agree.indices.{}", clause="indices-agree", each=INDEX_CHANGES, world=UNINDEXED)
def test_indices_agree(catalog: LanceCatalog, case: IndexChange) -> None:
    """After {} on a table with two indices, ListTableIndices, its pages and the statistics show the same indices."""
    id = catalog.new_table_of(people(0, 20))
    with catalog.client.preparing():
        for name, column in INDEXED.items():
            _index(catalog, id, name, column)
    case.act(catalog, id)
    entries = all_indices(catalog, id)
    columns = {entry["index_name"]: list(entry["columns"]) for entry in entries}
    equal(columns, {name: [column] for name, column in case.indices.items()}, "the columns of the indices")
    pages = collect(lambda **page: catalog.list_table_indices(id, **page), "indexes", limit=1)
    same_items([entry["index_name"] for entry in pages], case.indices, "the indices by pages of one")
    if not catalog.client.lacks("DescribeTableIndexStats"):
        for name in case.indices:
            catalog.describe_table_index_stats(id, name)
    if not catalog.client.lacks("GetTableStats"):
        equal(catalog.get_table_stats(id)["num_indices"], len(case.indices), "the num_indices of the table")


# Tables and namespaces


def _registered(catalog: LanceCatalog) -> Names:
    id = catalog.new_table()
    with catalog.client.preparing():
        location = str(catalog.deregister_table(id)["location"])
    catalog.restore_registration(id, location)
    return id


def _table_renamed(catalog: LanceCatalog) -> Names:
    before, after = catalog.new_table("before"), catalog.table_id("after")
    catalog.rename_table(before, new_table_name=after[-1])
    table_is_gone(catalog, before)
    return after


def _filled(catalog: LanceCatalog) -> Names:
    id = catalog.new_declared_table()
    catalog.insert_into_table(id, stream(people(0, 1)))
    return id


def _made_again(catalog: LanceCatalog) -> Names:
    id = catalog.new_table()
    catalog.drop_table(id)
    catalog.make_table(id, people(0, 1))
    return id


@dataclass(frozen=True, slots=True)
class Arrival:
    """An operation after which there is a table with rows; `make` returns its id."""

    id: str
    make: Callable[[LanceCatalog], Names]


ARRIVALS = {
    "create": Arrival("CreateTable", lambda catalog: catalog.new_table()),
    "insert": Arrival("InsertIntoTable", _filled),
    "register": Arrival("RegisterTable", _registered),
    "rename": Arrival("RenameTable", _table_renamed),
    "recreate": Arrival("DropTable", _made_again),
}


@must("lance.agree.table.{}", clause="tables-agree", each=ARRIVALS, twin=True)
def test_tables_agree(catalog: LanceCatalog, case: Arrival) -> None:
    """After {}, TableExists, DescribeTable, ListTables and ListAllTables show the table, each listing once."""
    table_is_shown(catalog, case.make(catalog))


def _new(catalog: LanceCatalog) -> Names:
    return catalog.new_namespace("new")


def _overwritten(catalog: LanceCatalog) -> Names:
    id = catalog.new_namespace("new")
    catalog.create_namespace(id, mode="Overwrite")
    return id


def _recreated(catalog: LanceCatalog) -> Names:
    id = catalog.new_namespace("new")
    catalog.drop_namespace(id)
    catalog.create_namespace(id)
    return id


NEW_NAMESPACES = {
    "create": Arrival("CreateNamespace", _new),
    "overwrite": Arrival("CreateNamespace", _overwritten),
    "recreate": Arrival("DropNamespace", _recreated),
}


@must("lance.agree.namespace.{}", clause="namespaces-agree", each=NEW_NAMESPACES)
def test_namespaces_agree(catalog: LanceCatalog, case: Arrival) -> None:
    """After {}, NamespaceExists, DescribeNamespace and ListNamespaces show the namespace once, in pages of one too."""
    catalog.new_namespace("other")
    id = case.make(catalog)
    catalog.namespace_exists(id)
    catalog.describe_namespace(id)
    equal(collect_namespaces(catalog, id[:-1]).count(id[-1]), 1, "how often the namespace is listed")
    if catalog.nested:
        pages = collect_namespaces(catalog, id[:-1], limit=1)
        equal(pages.count(id[-1]), 1, "how often the namespace is listed on pages of one")
