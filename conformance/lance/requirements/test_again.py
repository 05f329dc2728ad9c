"""Requests repeated after their effect was undone."""

from __future__ import annotations

from conformance.author.checks import only
from conformance.author.requirement import must, should
from conformance.common.requests import RepeatedRequest
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.computed import add_computed, check_filled, new_computed
from conformance.lance.support.views import told_version_is_shown
from conformance.lance.worlds import STATE


def _new_id(catalog: LanceCatalog) -> Names:
    id = catalog.new_table_id()
    catalog.note_tables([id])
    return id


def _declare_in_batch(catalog: LanceCatalog, id: Names) -> None:
    only(catalog.batch_commit_tables(operations=[{"declare_table": {"id": id}}])["results"], "the results")


def _drop_column(catalog: LanceCatalog, id: Names) -> None:
    told_version_is_shown(catalog, id, catalog.alter_table_drop_columns(id, columns=["more"]))


def _compute_anew(catalog: LanceCatalog, id: Names) -> None:
    _drop_column(catalog, id)
    add_computed(catalog, id)


CHANGES: dict[str, RepeatedRequest[LanceCatalog]] = {
    "backfill_column": RepeatedRequest(
        "AlterTableBackfillColumns",
        "backfill",
        new_computed,
        lambda catalog, id: catalog.alter_table_backfill_columns(id, column="more"),
        _compute_anew,
        check_filled,
    ),
    "declare_in_batch": RepeatedRequest(
        "BatchCommitTables",
        "batch-commit",
        _new_id,
        _declare_in_batch,
        lambda catalog, id: catalog.drop_table(id),
        lambda catalog, id: catalog.table_exists(id),
        world={STATE: ("new",)},
    ),
}


DECLARATIONS: dict[str, RepeatedRequest[LanceCatalog]] = {
    "create_empty_table": RepeatedRequest(
        "CreateEmptyTable",
        "declare-table",
        _new_id,
        lambda catalog, id: catalog.create_empty_table(id),
        lambda catalog, id: catalog.drop_table(id),
        lambda catalog, id: catalog.table_exists(id),
    ),
}


@must(
    "lance.again.{}",
    clause=lambda case: case.clause,
    each=CHANGES,
    world=lambda case: case.world,
    twin=True,
)
def test_done_again(catalog: LanceCatalog, case: RepeatedRequest[LanceCatalog]) -> None:
    """{} takes effect again when the same request is repeated after its effect was undone."""
    case.made_again(catalog, catalog.client)


@should("lance.again.{}", clause=lambda case: case.clause, each=DECLARATIONS)
def test_declared_again(catalog: LanceCatalog, case: RepeatedRequest[LanceCatalog]) -> None:
    """{} declares the table again when the same request is repeated after the table was dropped."""
    case.made_again(catalog, catalog.client)
