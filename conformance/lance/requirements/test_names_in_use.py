"""Names that are free again or alike: reuse, namespaces that are empty, siblings, and declared tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.listing import collect_all_tables, collect_namespaces, collect_tables
from conformance.lance.support.queries import ids
from conformance.lance.support.views import people, table_is_gone, table_is_shown
from specs.lance.identifiers import join_parts

Act = Callable[[LanceCatalog, Names], object]


# Names that are free again


@dataclass(frozen=True, slots=True)
class Reuse:
    """An operation that gives the former name of a renamed table to another table."""

    id: str
    act: Act


REUSES = {
    "create": Reuse("CreateTable", lambda catalog, id: catalog.create_table(id, stream(tables(1, first=50)))),
    "create_overwrite": Reuse(
        "CreateTable", lambda catalog, id: catalog.create_table(id, stream(tables(1, first=50)), mode="Overwrite")
    ),
    "declare": Reuse("DeclareTable", lambda catalog, id: catalog.declare_table(id)),
}


@must("lance.reuse.renamed.{}", clause="names-apart", kind="data", each=REUSES)
def test_reuse_of_the_name_of_a_renamed_table(catalog: LanceCatalog, case: Reuse) -> None:
    """{} under the former name of a renamed table, and the drop of the new table, leave the renamed table as it is."""
    id, renamed = catalog.new_table("before"), catalog.table_id("after")
    with catalog.client.preparing():
        catalog.rename_table(id, new_table_name=renamed[-1])
    case.act(catalog, id)
    same_items(ids(catalog.rows(renamed)), [0, 1, 2], "the ids of the rows of the renamed table")
    catalog.insert_into_table(id, stream(tables(2, first=70)))
    same_items(ids(catalog.rows(renamed)), [0, 1, 2], "the ids of the rows of the renamed table")
    catalog.drop_table(id)
    same_items(ids(catalog.rows(renamed)), [0, 1, 2], "the ids of the rows of the renamed table")


@must("lance.reuse.swapped", operations=["RenameTable"], clause="names-apart", kind="data", twin=True)
def test_names_are_swapped(catalog: LanceCatalog) -> None:
    """RenameTable by way of a third name swaps the names of two tables, each of which keeps its rows."""
    a, b, third = catalog.new_table("a", rows=1), catalog.new_table("b", rows=2), catalog.table_id("c")
    for id, name in ((a, third), (b, a), (third, b)):
        catalog.rename_table(id, new_table_name=name[-1])
    equal([catalog.count_table_rows(id).json for id in (a, b)], [2, 1], "the numbers of rows of the tables")
    table_is_gone(catalog, third)


# Namespaces that are empty again


@must("lance.reuse.emptied.rename", operations=["RenameTable"], clause="namespace-empty")
def test_emptied_namespace_can_be_dropped(catalog: LanceCatalog) -> None:
    """After RenameTable of its only table, DropNamespace with behavior Restrict drops the namespace."""
    space, (*home, name) = catalog.new_namespace(), catalog.table_id("moved")
    catalog.make_table((*space, "t"), tables(1))
    catalog.rename_table((*space, "t"), new_table_name=name, new_namespace_id=home)
    catalog.drop_namespace(space, behavior="Restrict")
    catalog.namespace_exists(space, expect=404)


@must("lance.reuse.not_empty.declared", operations=["DropNamespace"], clause="drop-namespace-restrict", kind="error")
def test_namespace_with_declared_table(catalog: LanceCatalog) -> None:
    """DropNamespace with behavior Restrict on a namespace with only a declared table returns 409 with code 3."""
    catalog.control(lambda: catalog.drop_namespace(catalog.new_namespace("empty"), behavior="Restrict"))
    space = catalog.new_namespace()
    catalog.declare_table((*space, "t"))
    refused = catalog.drop_namespace(space, behavior="Restrict", expect=409)
    equal(refused.code, 3, "the code of the error")
    catalog.table_exists((*space, "t"))


# Siblings whose names begin alike

ALIKE = ("n", "nn", "n_1", "n-1")


def _spaces_alike(catalog: LanceCatalog) -> list[Names]:
    """Create namespaces whose names begin alike, all but the first with a table, and return their identifiers."""
    spaces = [catalog.new_namespace(name) for name in ALIKE]
    for space in spaces[1:]:
        catalog.make_table((*space, "t"), tables(1))
    if catalog.nested:
        catalog.create_namespace((*spaces[1], "inner"))
    return spaces


@must("lance.alike.list_tables", operations=["ListTables"], clause="siblings-apart")
def test_tables_of_siblings(catalog: LanceCatalog) -> None:
    """ListTables does not list tables of a sibling whose name begins with that of the namespace."""
    first, *others = _spaces_alike(catalog)
    equal(collect_tables(catalog, first), [], "the tables of the namespace without tables")
    for space in others:
        equal(collect_tables(catalog, space), ["t"], f"the tables of {space[-1]}")


@must("lance.alike.list_namespaces", operations=["ListNamespaces"], clause="siblings-apart")
def test_children_of_siblings(catalog: LanceCatalog) -> None:
    """ListNamespaces does not list children of a sibling whose name begins with that of the namespace."""
    catalog.require_nested()
    first, second, *_ = _spaces_alike(catalog)
    equal(collect_namespaces(catalog, first), [], "the children of the namespace without children")
    equal(collect_namespaces(catalog, second), ["inner"], "the children of its sibling")


DROPS = {"restrict": "Restrict", "cascade": "Cascade"}


@must("lance.alike.drop.{}", operations=["DropNamespace"], clause="siblings-apart", kind="data", each=DROPS)
def test_drop_beside_siblings(catalog: LanceCatalog, case: str) -> None:
    """DropNamespace with behavior {} drops an empty namespace and nothing of siblings whose names begin alike."""
    first, *others = _spaces_alike(catalog)
    answer = catalog.drop_namespace(first, behavior=case, expect=None)
    catalog.supported(answer, f"drops with {case}")
    catalog.namespace_exists(first, expect=404)
    for space in others:
        equal(catalog.count_table_rows((*space, "t")).json, 1, f"the count of rows of the table in {space[-1]}")


@must("lance.alike.tables", operations=["DropTable", "RenameTable"], clause="siblings-apart", kind="data")
def test_tables_alike(catalog: LanceCatalog) -> None:
    """DropTable and RenameTable of a table leave tables whose names begin alike as they are."""
    first, second, *others = [catalog.new_table(name, rows=at + 1) for at, name in enumerate(ALIKE)]
    catalog.drop_table(first)
    catalog.rename_table(second, new_table_name=catalog.table_id("other")[-1])
    for at, id in enumerate(others):
        equal(catalog.count_table_rows(id).json, at + 3, f"the count of rows of {id[-1]}")
    if not catalog.client.lacks("ListAllTables"):
        lacks(collect_all_tables(catalog), map(join_parts, (first, second)), "all tables")


# Declared tables on their way


def _fill(catalog: LanceCatalog, id: Names) -> object:
    return catalog.insert_into_table(id, stream(tables(1)))


def _merge(catalog: LanceCatalog, id: Names) -> object:
    return catalog.merge_insert_into_table(id, stream(tables(1)), on="id", when_not_matched_insert_all=True)


def _fill_and_empty(catalog: LanceCatalog, id: Names) -> object:
    _fill(catalog, id)
    return catalog.delete_from_table(id, predicate="true")


def _drop_and_declare(catalog: LanceCatalog, id: Names) -> object:
    _fill(catalog, id)
    catalog.drop_table(id)
    return catalog.declare_table(id)


@dataclass(frozen=True, slots=True)
class OnDeclared:
    """A change of a declared table, and whether the table is only declared afterwards."""

    id: str
    act: Act
    only_declared: bool


ON_DECLARED = {
    "inserted": OnDeclared("InsertIntoTable", _fill, False),
    "merged": OnDeclared("MergeInsertIntoTable", _merge, False),
    "emptied": OnDeclared("DeleteFromTable", _fill_and_empty, False),
    "declared_again": OnDeclared("DeclareTable", _drop_and_declare, True),
}


@must("lance.declared.{}", clause="describe-declared", each=ON_DECLARED)
def test_declared_table_afterwards(catalog: LanceCatalog, case: OnDeclared) -> None:
    """After {} on a declared table, is_only_declared is true exactly if nothing was written to it."""
    id = catalog.new_declared_table()
    case.act(catalog, id)
    equal(bool(catalog.is_only_declared(id)), case.only_declared, "the is_only_declared of the table")


@must("lance.agree.table.insert", operations=["InsertIntoTable"], clause="tables-agree", twin=True)
def test_tables_agree(catalog: LanceCatalog) -> None:
    """After InsertIntoTable into a declared table, every operation that shows tables shows it, each listing once."""
    id = catalog.new_declared_table()
    catalog.insert_into_table(id, stream(people(0, 1)))
    table_is_shown(catalog, id)


# Rows whose columns are arranged otherwise

MORE = pa.table({"n": [8], "name": ["more"], "id": [7]})
ARRANGED: dict[str, Any] = {
    "order": (MORE, {"id": 7, "name": "more", "n": 8}),
    "nullable": (MORE.select(["id", "n"]), {"id": 7, "name": None, "n": 8}),
}


@must("lance.rows.insert.arranged.{}", operations=["InsertIntoTable"], clause="insert-by-name", each=ARRANGED)
def test_insert_by_column_name(catalog: LanceCatalog, case: tuple[pa.Table, dict[str, Any]]) -> None:
    """InsertIntoTable of rows with their columns arranged otherwise ({}) returns 400 or stores them by column name."""
    data, row = case
    id = catalog.new_table_of(people(0, 1))
    inserted = catalog.insert_into_table(id, stream(data), expect=(200, 400)).succeeded
    expected = [*people(0, 1).to_pylist(), *([row] if inserted else [])]
    same_items(catalog.rows(id), expected, "the rows of the table")


@must("lance.query.vector.beyond", operations=["QueryTable"], clause="query-vector-offset")
def test_search_beyond_the_rows(catalog: LanceCatalog) -> None:
    """A vector search with an offset of more rows than the table has returns no row."""
    vectors = pa.array([[float(at)] for at in range(3)], pa.list_(pa.float32(), 1))
    id = catalog.new_table_of(tables(3).append_column("v", vectors))
    search: dict[str, Any] = {"vector": {"single_vector": [0.0]}, "vector_column": "v", "distance_type": "l2"}
    equal(catalog.rows(id, **search, k=2, offset=100), [], "the rows of the answer")
