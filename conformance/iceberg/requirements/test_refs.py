"""updateTable: branches and tags."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, lacks
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT
from conformance.iceberg.support.metadata import MAIN, current_snapshot, logged_snapshots, refs
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import append, set_ref

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


@should("iceberg.ref.rollback_logged", operations=COMMIT, clause="update-set-main-log", needs=KEPT)
def test_rollback_is_logged(catalog: IcebergCatalog) -> None:
    """Setting main to an older snapshot appends it to snapshot-log again."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    metadata = catalog.update_table(id, [set_ref(MAIN, FIRST)])["metadata"]
    equal(logged_snapshots(metadata), [FIRST, SECOND, FIRST], "the snapshot-log")
