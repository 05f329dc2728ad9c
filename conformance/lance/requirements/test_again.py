"""The same request again, after what it did was undone: it is done anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.checks import equal
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.requirement import must
from conformance.strategies import tables


@dataclass(frozen=True, slots=True)
class Change:
    """A request that is sent twice: what it is about, the request, what undoes it, and the check that it was done."""

    id: str
    clause: str
    prepare: Callable[[LanceCatalog], Names]
    act: Callable[[LanceCatalog, Names], object]
    undo: Callable[[LanceCatalog, Names], object]
    check: Callable[[LanceCatalog, Names], object]


def _new_id(catalog: LanceCatalog) -> Names:
    id = catalog.table_id()
    catalog.note_tables([id])
    return id


def _counts(count: int) -> Callable[[LanceCatalog, Names], None]:
    def check(catalog: LanceCatalog, id: Names) -> None:
        equal(catalog.count_table_rows(id, predicate="id = 2").json, count, "the count of the rows with id 2")

    return check


def _insert(catalog: LanceCatalog, id: Names) -> object:
    return catalog.insert_into_table(id, stream(tables(1, first=2)))


def _delete(catalog: LanceCatalog, id: Names) -> object:
    return catalog.delete_from_table(id, predicate="id = 2")


CHANGES = {
    "drop_namespace": Change(
        "DropNamespace",
        "drop-namespace",
        lambda catalog: catalog.new_namespace(),
        lambda catalog, id: catalog.drop_namespace(id),
        lambda catalog, id: catalog.create_namespace(id),
        lambda catalog, id: catalog.namespace_exists(id, expect=404),
    ),
    "drop_table": Change(
        "DropTable",
        "drop-table",
        lambda catalog: catalog.new_table(),
        lambda catalog, id: catalog.drop_table(id),
        lambda catalog, id: catalog.make_table(id, tables(1)),
        lambda catalog, id: catalog.table_exists(id, expect=404),
    ),
    "delete_rows": Change(
        "DeleteFromTable", "delete-rows", lambda catalog: catalog.new_table(), _delete, _insert, _counts(0)
    ),
    "merge_rows": Change(
        "MergeInsertIntoTable",
        "merge-insert",
        lambda catalog: catalog.new_table(rows=2),
        lambda catalog, id: catalog.merge_insert_into_table(
            id, stream(tables(1, first=2)), on="id", when_not_matched_insert_all=True
        ),
        _delete,
        _counts(1),
    ),
    "declare_in_batch": Change(
        "BatchCommitTables",
        "batch-commit",
        _new_id,
        lambda catalog, id: catalog.batch_commit_tables(operations=[{"declare_table": {"id": id}}]),
        lambda catalog, id: catalog.drop_table(id),
        lambda catalog, id: catalog.table_exists(id),
    ),
}


@must("lance.again.{}", clause=lambda case: case.clause, each=CHANGES)
def test_done_again(catalog: LanceCatalog, case: Change) -> None:
    """What a request did ({}) and others undid is done again by the same request."""
    id = case.prepare(catalog)
    case.act(catalog, id)
    case.check(catalog, id)
    with catalog.client.preparing():
        case.undo(catalog, id)
    case.act(catalog, id)
    case.check(catalog, id)
