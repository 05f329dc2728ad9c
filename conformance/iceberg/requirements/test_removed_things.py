"""Removed and dropped things: they stay away, and their names are free for others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import COMMIT, allowed_commit
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import tables_in, views_in
from conformance.iceberg.support.metadata import MAIN, logged_snapshots
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import set_ref, update

REFS = "the refs and their snapshots"


@dataclass(frozen=True, slots=True)
class Taken:
    """A way in which something gets the name that a dropped table or view had.

    `drops` is the operation whose clause frees the name. `give` drops what has the name, gives it to something else
    and returns the UUID of that; `uuid` reads the UUID under the name, `listed` lists the names.
    """

    operations: list[str]
    clause: str
    words: str
    give: Callable[[IcebergCatalog, Names], str]
    uuid: Callable[[IcebergCatalog, Names], str]
    listed: Callable[[IcebergCatalog, Names], list[Names]]


def _table_uuid(catalog: IcebergCatalog, id: Names) -> str:
    return str(catalog.metadata(id)["table-uuid"])


def _view_uuid(catalog: IcebergCatalog, id: Names) -> str:
    return str(catalog.view_metadata(id)["view-uuid"])


def _view_for_table(catalog: IcebergCatalog, id: Names) -> str:
    with catalog.client.preparing():
        catalog.create_table(id, schema=SCHEMA)
    catalog.drop_table(id)
    return str(catalog.create_view(id, **view_body(catalog.home))["metadata"]["view-uuid"])


def _table_for_view(catalog: IcebergCatalog, id: Names) -> str:
    with catalog.client.preparing():
        catalog.create_view(id, **view_body(catalog.home))
    catalog.drop_view(id)
    return str(catalog.create_table(id, schema=SCHEMA)["metadata"]["table-uuid"])


OF_TABLE = (_table_uuid, tables_in)
OF_VIEW = (_view_uuid, views_in)
TAKEN = {
    "create_view": Taken(
        ["dropTable", "createView"], "drop-table", "createView gives a view, after a table,", _view_for_table, *OF_VIEW
    ),
    "create_table": Taken(
        ["dropView", "createTable"], "drop-view", "createTable gives a table, after a view,", _table_for_view, *OF_TABLE
    ),
}


@must(
    "iceberg.removed.name.{}",
    clause=lambda case: case.clause,
    each=TAKEN,
    statement=lambda case: f"{case.words} the name of a dropped one, and it stays there.",
)
def test_dropped_name_is_free(catalog: IcebergCatalog, case: Taken) -> None:
    """The name of a dropped table or view is free for another one, which stays there."""
    id = catalog.table_id("t")
    uuid = case.give(catalog, id)
    for _ in range(2):
        equal(case.uuid(catalog, id), uuid, "the UUID under the name")
    same_items(case.listed(catalog, catalog.home), [id], "the listed names")


def _new_table(catalog: IcebergCatalog, id: Names) -> str:
    return str(catalog.create_table(id, schema=SCHEMA)["metadata"]["table-uuid"])


def _new_view(catalog: IcebergCatalog, id: Names) -> str:
    return str(catalog.create_view(id, **view_body(catalog.home))["metadata"]["view-uuid"])


@dataclass(frozen=True, slots=True)
class Former:
    """Way to give the former name of a renamed table or view to something else.

    `taking` is the operation that takes the name and `rename` the one that frees it. `kept` reads the UUID of the
    renamed object; `give` creates the other one and returns its UUID, which `uuid` reads.
    """

    taking: str
    rename: str
    kept: Callable[[IcebergCatalog, Names], str]
    give: Callable[[IcebergCatalog, Names], str]
    uuid: Callable[[IcebergCatalog, Names], str]

    @property
    def operations(self) -> list[str]:
        """The operations that free the name and take it."""
        return list(dict.fromkeys([self.rename, self.taking]))

    @property
    def clause(self) -> str:
        """The clause of the renaming."""
        return "rename-view" if self.rename == "renameView" else "rename-table"


RENAMED_TABLE, RENAMED_VIEW = ("renameTable", _table_uuid), ("renameView", _view_uuid)
FORMER = {
    "view_for_table": Former("createView", *RENAMED_TABLE, _new_view, _view_uuid),
    "table_for_view": Former("createTable", *RENAMED_VIEW, _new_table, _table_uuid),
}


@must(
    "iceberg.renamed.name.{}",
    clause=lambda case: case.clause,
    each=FORMER,
    statement=lambda case: f"After {case.rename} the former name is free for {case.taking}; both objects are there.",
)
def test_former_name_is_free(catalog: IcebergCatalog, case: Former) -> None:
    """The former name of a renamed table or view is free for another one."""
    of_view = case.rename == "renameView"
    id, renamed = catalog.new_view("t") if of_view else catalog.new_table("t"), catalog.table_id("renamed")
    before = case.kept(catalog, id)
    (catalog.rename_view if of_view else catalog.rename_table)(id, renamed)
    given = case.give(catalog, id)
    equal(case.uuid(catalog, id), given, "the UUID under the former name")
    equal(case.kept(catalog, renamed), before, "the UUID under the new name")


@should("iceberg.removed.main_log", operations=COMMIT, clause="update-set-main-log", needs=KEPT)
def test_main_set_anew_keeps_the_log(catalog: IcebergCatalog) -> None:
    """A commit that removes main and sets it anew keeps the snapshot-log and appends to it."""
    id, files = new_table_with_snapshots(catalog, FIRST)
    added = update("add-snapshot", snapshot=files.snapshot(SECOND, 2))
    anew = [update("remove-snapshot-ref", ref_name=MAIN), added, set_ref(MAIN, SECOND)]
    metadata = allowed_commit(catalog, id, anew)["metadata"]
    equal(logged_snapshots(metadata), [FIRST, SECOND], "the snapshot-log")
