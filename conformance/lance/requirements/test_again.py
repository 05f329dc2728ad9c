"""Requests repeated after their effect was undone."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import equal, only, same_items
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.common.requests import RepeatedRequest
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.branching import check_no_branch
from conformance.lance.support.columns import KEPT, field_metadata, fields, metadata
from conformance.lance.support.computed import add_computed, check_filled, new_computed
from conformance.lance.support.indexing import wait_for_index
from conformance.lance.support.versions import check_tag, new_tagged
from conformance.lance.support.views import told_version_is_shown
from conformance.lance.worlds import STATE


def _new_id(catalog: LanceCatalog) -> Names:
    id = catalog.new_table_id()
    catalog.note_tables([id])
    return id


def _declare_in_batch(catalog: LanceCatalog, id: Names) -> None:
    only(catalog.batch_commit_tables(operations=[{"declare_table": {"id": id}}])["results"], "the results")


def _counts(count: int) -> Callable[[LanceCatalog, Names], None]:
    def check(catalog: LanceCatalog, id: Names) -> None:
        equal(catalog.count_table_rows(id, predicate="id = 2").json, count, "the count of the rows with id 2")

    return check


def _insert(catalog: LanceCatalog, id: Names) -> object:
    return catalog.insert_into_table(id, stream(tables(1, first=2)))


def _delete(catalog: LanceCatalog, id: Names) -> object:
    return catalog.delete_from_table(id, predicate="id = 2")


def _has_columns(*names: str) -> Callable[[LanceCatalog, Names], None]:
    return lambda catalog, id: same_items(fields(catalog, id), names, "the columns of the table")


def _add_column(catalog: LanceCatalog, id: Names) -> None:
    new_columns = [{"name": "more", "expression": "id + 1"}]
    told_version_is_shown(catalog, id, catalog.alter_table_add_columns(id, new_columns=new_columns))


def _drop_column(catalog: LanceCatalog, id: Names) -> None:
    told_version_is_shown(catalog, id, catalog.alter_table_drop_columns(id, columns=["more"]))


def _with_another_column(catalog: LanceCatalog) -> Names:
    id = catalog.new_table()
    _add_column(catalog, id)
    return id


def _rename_column(before: str, after: str) -> Callable[[LanceCatalog, Names], object]:
    alterations = [{"path": before, "data_type": KEPT, "rename": after}]

    def rename(catalog: LanceCatalog, id: Names) -> None:
        told_version_is_shown(catalog, id, catalog.alter_table_alter_columns(id, alterations=alterations))

    return rename


def _set_metadata(value: str) -> Callable[[LanceCatalog, Names], object]:
    return lambda catalog, id: catalog.update_table_schema_metadata(id, {"k": value})


def _metadata_are(value: str) -> Callable[[LanceCatalog, Names], None]:
    return lambda catalog, id: equal(metadata(catalog, id).get("k"), value, "the metadata k of the schema")


def _set_field_metadata(value: str) -> Callable[[LanceCatalog, Names], object]:
    updates = [{"path": "id", "metadata": {"k": value}}]

    def update(catalog: LanceCatalog, id: Names) -> None:
        told_version_is_shown(catalog, id, catalog.update_field_metadata(id, updates=updates))

    return update


def _field_metadata_are(value: str) -> Callable[[LanceCatalog, Names], None]:
    what = "the described metadata k of the field"
    return lambda catalog, id: equal(field_metadata(catalog, id, "id").get("k"), value, what)


def _with_a_branch(catalog: LanceCatalog) -> Names:
    id = catalog.new_table()
    _create_branch(catalog, id)
    return id


def _create_branch(catalog: LanceCatalog, id: Names) -> object:
    return catalog.create_table_branch(id, name="new")


def _delete_branch(catalog: LanceCatalog, id: Names) -> object:
    return catalog.delete_table_branch(id, name="new")


def _compute_anew(catalog: LanceCatalog, id: Names) -> None:
    _drop_column(catalog, id)
    add_computed(catalog, id)


def _rename_table(catalog: LanceCatalog, id: Names) -> object:
    return catalog.rename_table(id, new_table_name=_other(catalog)[-1])


def _other(catalog: LanceCatalog) -> Names:
    return catalog.table_id("other")


def _is_renamed(catalog: LanceCatalog, id: Names) -> None:
    catalog.table_exists(_other(catalog))
    catalog.table_exists(id, expect=404)


def _is_named_as_before(catalog: LanceCatalog, id: Names) -> None:
    catalog.table_exists(id)
    catalog.table_exists(_other(catalog), expect=404)


def _tagged_twice(catalog: LanceCatalog) -> Names:
    id, first, _ = new_tagged(catalog)
    catalog.create_table_tag(id, tag="first", version=first)
    return id


def _untag(catalog: LanceCatalog, id: Names) -> object:
    first = catalog.get_table_tag_version(id, tag="first")["version"]
    return catalog.update_table_tag(id, tag="old", version=first)


CHANGES: dict[str, RepeatedRequest[LanceCatalog]] = {
    "rename_table": RepeatedRequest(
        "RenameTable",
        "rename-table",
        lambda catalog: catalog.new_table(),
        _rename_table,
        lambda catalog, id: catalog.rename_table(_other(catalog), new_table_name=id[-1]),
        _is_renamed,
        _is_named_as_before,
    ),
    "add_column": RepeatedRequest(
        "AlterTableAddColumns",
        "add-columns",
        lambda catalog: catalog.new_table(),
        _add_column,
        _drop_column,
        _has_columns("id", "name", "more"),
    ),
    "drop_column": RepeatedRequest(
        "AlterTableDropColumns",
        "drop-columns",
        _with_another_column,
        _drop_column,
        _add_column,
        _has_columns("id", "name"),
    ),
    "rename_column": RepeatedRequest(
        "AlterTableAlterColumns",
        "alter-columns-rename",
        lambda catalog: catalog.new_table(),
        _rename_column("id", "renamed"),
        _rename_column("renamed", "id"),
        _has_columns("renamed", "name"),
        _has_columns("id", "name"),
    ),
    "set_metadata": RepeatedRequest(
        "UpdateTableSchemaMetadata",
        "schema-metadata-replaces",
        lambda catalog: catalog.new_table(),
        _set_metadata("one"),
        _set_metadata("other"),
        _metadata_are("one"),
        _metadata_are("other"),
    ),
    "move_tag": RepeatedRequest(
        "UpdateTableTag",
        "update-tag",
        _tagged_twice,
        lambda catalog, id: catalog.update_table_tag(id, tag="old", version=catalog.version(id)),
        _untag,
        lambda catalog, id: check_tag(catalog, id, "old", catalog.version(id)),
        lambda catalog, id: check_tag(catalog, id, "old", catalog.get_table_tag_version(id, tag="first")["version"]),
    ),
    "create_branch": RepeatedRequest(
        "CreateTableBranch",
        "create-branch",
        lambda catalog: catalog.new_table(),
        _create_branch,
        _delete_branch,
        lambda catalog, id: catalog.count_table_rows(id, branch="new"),
    ),
    "delete_branch": RepeatedRequest(
        "DeleteTableBranch",
        "delete-branch",
        _with_a_branch,
        _delete_branch,
        _create_branch,
        lambda catalog, id: check_no_branch(catalog.count_table_rows(id, branch="new", expect=404)),
    ),
    "set_field_metadata": RepeatedRequest(
        "UpdateFieldMetadata",
        "field-metadata",
        lambda catalog: catalog.new_table(),
        _set_field_metadata("one"),
        _set_field_metadata("other"),
        _field_metadata_are("one"),
        _field_metadata_are("other"),
    ),
    "backfill_column": RepeatedRequest(
        "AlterTableBackfillColumns",
        "backfill",
        new_computed,
        lambda catalog, id: catalog.alter_table_backfill_columns(id, column="more"),
        _compute_anew,
        check_filled,
    ),
    "create_index": RepeatedRequest(
        "CreateTableIndex",
        "index-name",
        lambda catalog: catalog.new_table(rows=20),
        lambda catalog, id: catalog.create_table_index(id, column="id", index_type="BTREE", name="idx"),
        lambda catalog, id: catalog.drop_table_index(id, "idx"),
        lambda catalog, id: wait_for_index(catalog, id, "idx"),
    ),
    "delete_rows": RepeatedRequest(
        "DeleteFromTable", "delete-rows", lambda catalog: catalog.new_table(), _delete, _insert, _counts(0)
    ),
    "merge_rows": RepeatedRequest(
        "MergeInsertIntoTable",
        "merge-insert",
        lambda catalog: catalog.new_table(rows=2),
        lambda catalog, id: catalog.merge_insert_into_table(
            id, stream(tables(1, first=2)), on="id", when_not_matched_insert_all=True
        ),
        _delete,
        _counts(1),
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
