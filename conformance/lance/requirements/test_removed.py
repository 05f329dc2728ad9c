"""Removed objects: gone from every operation, also after the next write, and removed only once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.listing import collect_all_tables, collect_namespaces
from conformance.lance.support.versions import numbers
from conformance.lance.support.views import new_people, people, table_is_gone
from conformance.lance.worlds import WITHOUT_PARTS
from specs.lance.identifiers import join_parts

NOT_FOUND = 404

# Tables


@must("lance.removed.table.batch_deregister", operations=["BatchCommitTables"], clause="removed-stays-removed")
def test_removed_table_stays_removed(catalog: LanceCatalog) -> None:
    """After BatchCommitTables deregisters a table, no operation shows it, also once another table is created."""
    id = catalog.new_table()
    _deregister_in_batch(catalog, id)
    table_is_gone(catalog, id, rows=True)
    other = catalog.new_table("other", rows=1)
    catalog.insert_into_table(other, stream(people(5, 1).select(["id", "name"])))
    table_is_gone(catalog, id, rows=True)


def _deregister_in_batch(catalog: LanceCatalog, id: Names, expect: int = 200) -> Answer:
    catalog.sandbox.note_made("RegisterTable", id)
    return catalog.batch_commit_tables(operations=[{"deregister_table": {"id": id}}], expect=expect)


@must("lance.removed.table.cascade", operations=["DropNamespace"], clause="removed-stays-removed")
def test_tables_of_a_dropped_namespace_stay_removed(catalog: LanceCatalog) -> None:
    """After a DropNamespace that cascades, a namespace of the same name has none of the former tables and children."""
    space = catalog.new_namespace()
    id = (*space, "t")
    catalog.make_table(id, people(0, 2))
    if catalog.nested:
        catalog.create_namespace((*space, "inner"))
    catalog.supported(catalog.drop_namespace(space, behavior="Cascade", expect=None), "drops that cascade")
    if not catalog.client.lacks("ListAllTables"):
        lacks(collect_all_tables(catalog), [join_parts(id)], "all tables")
    catalog.create_namespace(space)
    table_is_gone(catalog, id)
    equal(collect_namespaces(catalog, space), [], "the children of the new namespace")
    catalog.make_table((*space, "u"), people(0, 1))
    table_is_gone(catalog, id)


# Parts of a table


PartAction = Callable[[LanceCatalog, Names, int], object]


@dataclass(frozen=True, slots=True)
class PartRemoval:
    """An operation that removes a part of a table.

    `act` removes it from a table that `new_people` created, and `check` checks that it is gone; each takes the id of
    the table and its first version.
    """

    id: str
    act: PartAction
    check: PartAction


def _rows_are_gone(catalog: LanceCatalog, id: Names, _first: int) -> None:
    equal(catalog.count_table_rows(id, predicate="id IN (1, 3)").json, 0, "the count of the deleted rows")
    same_items([row["id"] for row in catalog.rows(id) if row["id"] < 5], [0, 2, 4], "the ids of the earlier rows")


def _record_is_gone(catalog: LanceCatalog, id: Names, first: int) -> None:
    catalog.describe_table_version(id, version=first, expect=NOT_FOUND)
    lacks(numbers(catalog, id), [first], "the listed versions")


PARTS = {
    "merged_rows": PartRemoval(
        "MergeInsertIntoTable",
        lambda catalog, id, _: catalog.merge_insert_into_table(
            id,
            stream(people(0, 1)),
            on="id",
            when_not_matched_by_source_delete=True,
            when_not_matched_by_source_delete_filt="id IN (1, 3)",
        ),
        _rows_are_gone,
    ),
    "version": PartRemoval(
        "BatchDeleteTableVersions",
        lambda catalog, id, first: catalog.batch_delete_table_versions(
            id, ranges=[{"start_version": first, "end_version": first + 1}]
        ),
        _record_is_gone,
    ),
}


@must("lance.removed.part.{}", clause="removed-stays-removed", each=PARTS, world={**WITHOUT_PARTS, "data": ("plain",)})
def test_removed_part_stays_removed(catalog: LanceCatalog, case: PartRemoval) -> None:
    """After {} of a part of a table, no response has that part, also after the next insert and update."""
    id, first = new_people(catalog)
    case.act(catalog, id, first)
    case.check(catalog, id, first)
    catalog.insert_into_table(id, stream(people(5, 2)))
    catalog.update_table(id, predicate="id = 5", updates=[["name", "'later'"]])
    case.check(catalog, id, first)


# Removing twice


@must("lance.removed.twice.batch_deregister", operations=["BatchCommitTables"], clause="removed-once", kind="error")
def test_removing_twice(catalog: LanceCatalog) -> None:
    """A second deregistration of a table by BatchCommitTables returns 404 with code 4."""
    id = catalog.new_table()
    with catalog.client.preparing():
        _deregister_in_batch(catalog, id)
    equal(_deregister_in_batch(catalog, id, expect=NOT_FOUND).code, 4, "the code of the error")


@must("lance.removed.twice.namespace", operations=["DropNamespace"], clause="removed-once", kind="error")
def test_dropping_a_namespace_twice(catalog: LanceCatalog) -> None:
    """A second DropNamespace of the same namespace returns 400 or 404 with code 1, and succeeds in mode Skip."""
    id = catalog.new_namespace()
    with catalog.client.preparing():
        catalog.drop_namespace(id)
    equal(catalog.drop_namespace(id, expect=(400, 404)).code, 1, "the code of the error")
    catalog.drop_namespace(id, mode="Skip", expect=(200, 204))
    catalog.namespace_exists(id, expect=NOT_FOUND)
