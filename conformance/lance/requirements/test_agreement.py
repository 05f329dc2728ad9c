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


@must("lance.agree.tags.insert", operations=["InsertIntoTable"], clause="tags-agree", world=UNTAGGED)
def test_tags_agree(catalog: LanceCatalog) -> None:
    """After InsertIntoTable on a table with tags, ListTableTags, its pages and GetTableTagVersion return the same."""
    id, first = new_people(catalog)
    tags = {"one": first, "same": first, "two": catalog.version(id)}
    for tag, version in tags.items():
        catalog.create_table_tag(id, tag=tag, version=version)
    catalog.insert_into_table(id, stream(people(9, 1)))
    tags_agree(catalog, id, tags)


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


@must("lance.agree.table.insert", operations=["InsertIntoTable"], clause="tables-agree", twin=True)
def test_tables_agree(catalog: LanceCatalog) -> None:
    """After InsertIntoTable into a declared table, every operation that shows tables shows it, each listing once."""
    id = catalog.new_declared_table()
    catalog.insert_into_table(id, stream(people(0, 1)))
    table_is_shown(catalog, id)


@dataclass(frozen=True, slots=True)
class Arrival:
    """An operation after which there is a namespace; `make` returns its id."""

    id: str
    make: Callable[[LanceCatalog], Names]


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
