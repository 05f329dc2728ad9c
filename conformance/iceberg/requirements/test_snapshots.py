"""updateTable: snapshots and the snapshot log; loadTable: selection of snapshots."""

from __future__ import annotations

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, IMPOSSIBLE, state, unchanged
from conformance.iceberg.support.metadata import MAIN, by_id, current_snapshot, logged_snapshots, refs, snapshot_ids
from conformance.iceberg.support.staging import (
    FIRST,
    KEPT,
    SECOND,
    THIRD,
    new_table_with_files,
    new_table_with_snapshots,
)
from conformance.iceberg.support.updates import append, requirement, set_properties, set_ref, update

LOAD = ["loadTable"]
CURRENT, SNAPSHOTS, REFS, LOG = "the current snapshot", "the snapshots", "the refs", "the snapshots of the snapshot-log"


@must("iceberg.snapshot.add", operations=COMMIT, clause="update-add-snapshot")
def test_snapshot_is_added(catalog: IcebergCatalog) -> None:
    """add-snapshot stores the snapshot as sent, sets last-sequence-number and sets no current snapshot."""
    id, files = new_table_with_files(catalog)
    snapshot = files.snapshot(FIRST, 1)
    metadata = catalog.update_table(id, [update("add-snapshot", snapshot=snapshot)])["metadata"]
    stored = by_id(metadata["snapshots"], "snapshot-id", FIRST)
    for name, value in snapshot.items():
        equal(stored.get(name), value, f"the {name} of the snapshot")
    equal(metadata["last-sequence-number"], 1, "the last-sequence-number")
    equal(current_snapshot(metadata), None, CURRENT)


@must("iceberg.snapshot.kept", operations=COMMIT, clause="update-add-snapshot", kind="data")
def test_earlier_snapshot_stays(catalog: IcebergCatalog) -> None:
    """A snapshot stays in the metadata when another one becomes current."""
    id, files = new_table_with_snapshots(catalog, FIRST)
    catalog.update_table(id, append(files.snapshot(SECOND, 2, parent=FIRST)))
    same_items(snapshot_ids(catalog.metadata(id)), [FIRST, SECOND], SNAPSHOTS)


@must("iceberg.snapshot.big_ids", operations=COMMIT, clause="update-add-snapshot", needs=KEPT)
def test_ids_keep_all_digits(catalog: IcebergCatalog) -> None:
    """64-bit snapshot ids keep all their digits, also in requirements and refs."""
    id, files = new_table_with_snapshots(catalog, SECOND, FIRST)
    expected = requirement("assert-ref-snapshot-id", ref=MAIN, snapshot_id=FIRST)
    metadata = catalog.update_table(id, append(files.snapshot(THIRD, 3, parent=FIRST)), [expected])["metadata"]
    same_items(snapshot_ids(metadata), [SECOND, FIRST, THIRD], SNAPSHOTS)
    equal(refs(metadata), {MAIN: THIRD}, REFS)
    parent = by_id(metadata["snapshots"], "snapshot-id", FIRST)["parent-snapshot-id"]
    equal(parent, SECOND, f"the parent-snapshot-id of the snapshot {FIRST}")


@should("iceberg.snapshot.logged", operations=COMMIT, clause="update-set-main-log", needs=KEPT)
def test_appends_are_logged(catalog: IcebergCatalog) -> None:
    """Every snapshot that becomes current is appended to snapshot-log, including the first."""
    id, files = new_table_with_files(catalog)
    for number, (snapshot, parent) in enumerate(((FIRST, None), (SECOND, FIRST))):
        catalog.update_table(id, append(files.snapshot(snapshot, number + 1, parent=parent)))
        equal(logged_snapshots(catalog.metadata(id)), [FIRST, SECOND][: number + 1], LOG)


@should("iceberg.snapshot.stale_sequence", operations=COMMIT, clause="update-add-snapshot-sequence", kind="error")
def test_stale_sequence_number(catalog: IcebergCatalog) -> None:
    """add-snapshot with a sequence number not above the last one returns 400 or 409 and changes nothing."""
    id, files = new_table_with_snapshots(catalog, FIRST, SECOND)
    before = state(catalog, id)
    stale = files.snapshot(THIRD, 2, parent=FIRST)
    catalog.update_table(id, [update("add-snapshot", snapshot=stale)], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


@should(
    "iceberg.snapshot.stale_sequence_conflict",
    operations=COMMIT,
    clause="update-add-snapshot-sequence-retry",
    kind="error",
)
def test_stale_sequence_number_is_a_conflict(catalog: IcebergCatalog) -> None:
    """add-snapshot with a sequence number not above the last one returns 409, after which writers try again."""
    id, files = new_table_with_snapshots(catalog, FIRST, SECOND)
    stale = files.snapshot(THIRD, 2, parent=FIRST)
    catalog.update_table(id, [update("add-snapshot", snapshot=stale)], expect=409)


@should("iceberg.snapshot.several", operations=COMMIT, clause="update-several-snapshots", needs=KEPT)
def test_several_snapshots(catalog: IcebergCatalog) -> None:
    """A commit that adds several snapshots to main makes the last one current and logs it last."""
    id, files = new_table_with_files(catalog)
    second = files.snapshot(SECOND, 2, parent=FIRST)
    metadata = catalog.update_table(id, [*append(files.snapshot(FIRST, 1)), *append(second)])["metadata"]
    same_items(snapshot_ids(metadata), [FIRST, SECOND], SNAPSHOTS)
    equal(current_snapshot(metadata), SECOND, CURRENT)
    equal(logged_snapshots(metadata)[-1:], [SECOND], "the last entry of the snapshot-log")


@must("iceberg.snapshot.row_ids", operations=COMMIT, clause="update-add-snapshot-row-ids")
def test_row_ids(catalog: IcebergCatalog) -> None:
    """In format version 3, next-row-id grows by the added-rows of each snapshot."""
    id, files = new_table_with_files(catalog, version=3)
    catalog.update_table(id, append(files.snapshot(FIRST, 1, first_row_id=0, added_rows=30)))
    second = files.snapshot(SECOND, 2, parent=FIRST, first_row_id=30, added_rows=5)
    equal(catalog.update_table(id, append(second))["metadata"]["next-row-id"], 35, "the next-row-id")


@must("iceberg.snapshot.row_ids_stale", operations=COMMIT, clause="update-add-snapshot-row-ids", kind="error")
def test_stale_row_id(catalog: IcebergCatalog) -> None:
    """In version 3, add-snapshot without first-row-id or below next-row-id returns 400 or 409 and changes nothing."""
    id, files = new_table_with_files(catalog, version=3)
    catalog.update_table(id, append(files.snapshot(FIRST, 1, first_row_id=0, added_rows=30)))
    before = state(catalog, id)
    stale = files.snapshot(SECOND, 2, parent=FIRST, first_row_id=29, added_rows=1)
    missing = {name: value for name, value in stale.items() if name not in ("first-row-id", "added-rows")}
    for snapshot in (stale, missing):
        catalog.update_table(id, append(snapshot), expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


# Removing snapshots


@should("iceberg.snapshot.remove_log", operations=COMMIT, clause="update-remove-snapshots-log")
def test_log_has_no_gap(catalog: IcebergCatalog) -> None:
    """remove-snapshots also removes the snapshot-log entries up to the removed snapshot."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND, THIRD)
    metadata = catalog.update_table(id, [update("remove-snapshots", snapshot_ids=[SECOND])])["metadata"]
    equal(logged_snapshots(metadata), [THIRD], LOG)
    same_items(snapshot_ids(metadata), [FIRST, THIRD], SNAPSHOTS)


# Snapshots in loadTable


@must("iceberg.table.load.snapshots_all", operations=LOAD, clause="load-table-snapshots-all", needs=KEPT)
def test_all_snapshots_are_shown(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots=all, or without the parameter, returns all snapshots."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND, THIRD)
    same_items(snapshot_ids(catalog.metadata(id)), [FIRST, SECOND, THIRD], SNAPSHOTS)
    same_items(snapshot_ids(catalog.load_table(id, snapshots="all")["metadata"]), [FIRST, SECOND, THIRD], SNAPSHOTS)


@should("iceberg.table.load.snapshots_refs", operations=LOAD, clause="load-table-snapshots-refs-alone", needs=KEPT)
def test_snapshots_of_refs_are_shown(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots=refs returns only the snapshots of branches and tags."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND, THIRD)
    catalog.update_table(id, [set_ref("v1", FIRST, "tag")])
    metadata = catalog.load_table(id, snapshots="refs")["metadata"]
    same_items(snapshot_ids(metadata), [FIRST, THIRD], SNAPSHOTS)
    equal(refs(metadata), {MAIN: THIRD, "v1": FIRST}, REFS)


@must("iceberg.commit.from_refs", operations=[*COMMIT, *LOAD], clause="metadata-from-refs", kind="data", needs=KEPT)
def test_commit_after_a_look_at_refs(catalog: IcebergCatalog) -> None:
    """A commit by a client that loaded snapshots=refs keeps all snapshots and all of snapshot-log."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    logged = logged_snapshots(catalog.metadata(id))
    seen = catalog.load_table(id, snapshots="refs")["metadata"]
    same = requirement("assert-table-uuid", uuid=seen["table-uuid"])
    metadata = catalog.update_table(id, [set_properties(a="1")], [same])["metadata"]
    same_items(snapshot_ids(metadata), [FIRST, SECOND], SNAPSHOTS)
    equal(logged_snapshots(metadata), logged, LOG)
