"""updateTable: branches and tags."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, FAILED, IMPOSSIBLE, allowed_commit, state, type_is, unchanged
from conformance.iceberg.support.metadata import MAIN, current_snapshot, logged_snapshots, refs, snapshot_ids
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import append, requirement, set_ref, update

CURRENT, REFS = "the current-snapshot-id", "the refs and their snapshots"


@must("iceberg.ref.set", operations=COMMIT, clause="update-set-ref", kind="data", needs=KEPT)
def test_refs_are_set(catalog: IcebergCatalog) -> None:
    """set-snapshot-ref stores a branch and a tag with the given snapshot and retention."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    kept: dict[str, Any] = {
        "min_snapshots_to_keep": 2,
        "max_snapshot_age_ms": 86_400_000,
        "max_ref_age_ms": 172_800_000,
    }
    set_both = [set_ref("audit", FIRST, **kept), set_ref("v1", FIRST, "tag", max_ref_age_ms=1_000_000)]
    metadata = catalog.update_table(id, set_both)["metadata"]
    branch, tag = ((metadata.get("refs") or {}).get(name) or {} for name in ("audit", "v1"))
    wanted = {"snapshot-id": FIRST, "type": "branch", **{key.replace("_", "-"): n for key, n in kept.items()}}
    equal({key: branch.get(key) for key in wanted}, wanted, "the branch audit")
    wanted = {"snapshot-id": FIRST, "type": "tag", "max-ref-age-ms": 1_000_000}
    equal({key: tag.get(key) for key in wanted}, wanted, "the tag v1")
    equal(current_snapshot(metadata), SECOND, CURRENT)


@must("iceberg.ref.branch_append", operations=COMMIT, clause="update-set-ref", kind="data", needs=KEPT)
def test_append_to_a_branch(catalog: IcebergCatalog) -> None:
    """An append to a branch other than main changes neither the current snapshot nor snapshot-log."""
    id, files = new_table_with_snapshots(catalog, FIRST)
    metadata = catalog.update_table(id, append(files.snapshot(SECOND, 2, parent=FIRST), "audit"))["metadata"]
    equal(refs(metadata), {MAIN: FIRST, "audit": SECOND}, REFS)
    equal(current_snapshot(metadata), FIRST, CURRENT)
    lacks(logged_snapshots(metadata), [SECOND], "the snapshot-log")


OTHERS = {"branch": ("audit", "branch"), "tag": ("v1", "tag")}


@must("iceberg.ref.assert.{}", operations=COMMIT, clause="assert-ref-snapshot-id", kind="data", each=OTHERS, needs=KEPT)
def test_other_ref_has_moved(catalog: IcebergCatalog, case: tuple[str, str]) -> None:
    """assert-ref-snapshot-id with an outdated snapshot id or null for a {} returns 409 and changes nothing."""
    name, type = case
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    with catalog.client.preparing():
        catalog.update_table(id, [set_ref(name, SECOND, type)])
    before = state(catalog, id)
    for expected in (FIRST, None):
        stale = requirement("assert-ref-snapshot-id", ref=name, snapshot_id=expected)
        type_is(catalog.update_table(id, [set_ref(name, FIRST, type)], [stale], expect=409), FAILED)
    gone = requirement("assert-ref-snapshot-id", ref="never", snapshot_id=FIRST)
    type_is(catalog.update_table(id, [set_ref(name, FIRST, type)], [gone], expect=409), FAILED)
    unchanged(catalog, id, before)


@must("iceberg.ref.unknown_snapshot", operations=COMMIT, clause="update-set-ref-unknown", kind="error")
def test_ref_to_unknown_snapshot(catalog: IcebergCatalog) -> None:
    """set-snapshot-ref to a missing snapshot returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id, [set_ref("audit", FIRST)], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


@should("iceberg.ref.main_is_a_branch", operations=COMMIT, clause="update-set-main-tag", kind="error")
def test_main_is_no_tag(catalog: IcebergCatalog) -> None:
    """set-snapshot-ref that makes main a tag returns 400 or 409 and changes nothing."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    before = state(catalog, id)
    catalog.update_table(id, [set_ref(MAIN, FIRST, "tag")], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


@must("iceberg.ref.rollback", operations=COMMIT, clause="update-set-main", kind="data", needs=KEPT)
def test_rollback(catalog: IcebergCatalog) -> None:
    """Setting main to an older snapshot makes it current and keeps all snapshots."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    metadata = catalog.update_table(id, [set_ref(MAIN, FIRST)])["metadata"]
    equal(current_snapshot(metadata), FIRST, CURRENT)
    same_items(snapshot_ids(metadata), [FIRST, SECOND], "the snapshots of the table")


@should("iceberg.ref.rollback_logged", operations=COMMIT, clause="update-set-main-log", needs=KEPT)
def test_rollback_is_logged(catalog: IcebergCatalog) -> None:
    """Setting main to an older snapshot appends it to snapshot-log again."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    metadata = catalog.update_table(id, [set_ref(MAIN, FIRST)])["metadata"]
    equal(logged_snapshots(metadata), [FIRST, SECOND, FIRST], "the snapshot-log")


@must("iceberg.ref.remove", operations=COMMIT, clause="update-remove-ref", kind="data", needs=KEPT)
def test_refs_are_removed(catalog: IcebergCatalog) -> None:
    """remove-snapshot-ref deletes the ref and keeps its snapshot."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    catalog.update_table(id, [set_ref("v1", FIRST, "tag")])
    metadata = catalog.update_table(id, [update("remove-snapshot-ref", ref_name="v1")])["metadata"]
    equal(refs(metadata), {MAIN: SECOND}, REFS)
    same_items(snapshot_ids(metadata), [FIRST, SECOND], "the snapshots of the table")


@must("iceberg.ref.remove_main", operations=COMMIT, clause="update-remove-ref")
def test_main_is_removed(catalog: IcebergCatalog) -> None:
    """remove-snapshot-ref of main deletes it and unsets current-snapshot-id."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    metadata = allowed_commit(catalog, id, [update("remove-snapshot-ref", ref_name=MAIN)])["metadata"]
    equal(refs(metadata), {}, REFS)
    equal(current_snapshot(metadata), None, CURRENT)
