"""updateTable: table statistics and partition statistics."""

from __future__ import annotations

from conformance.author.checks import equal, shows
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT
from conformance.iceberg.support.content import partition_statistics, statistics
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import update


@must("iceberg.statistics.set", operations=COMMIT, clause="update-statistics", needs=KEPT)
def test_statistics_are_set(catalog: IcebergCatalog) -> None:
    """set-statistics replaces the statistics of the same snapshot, and remove-statistics removes them."""
    id, files = new_table_with_snapshots(catalog, FIRST, SECOND)
    for snapshot, name in ((FIRST, "a"), (SECOND, "a"), (FIRST, "b")):
        catalog.update_table(
            id, [update("set-statistics", snapshot_id=snapshot, statistics=statistics(files.location, snapshot, name))]
        )
    entries = sorted(catalog.metadata(id).get("statistics") or [], key=lambda entry: entry["snapshot-id"])
    shows(
        entries,
        [statistics(files.location, FIRST, "b"), statistics(files.location, SECOND)],
        "the statistics of the table",
    )
    gone = [update("remove-statistics", snapshot_id=FIRST)]
    _statistics_of(catalog.update_table(id, gone)["metadata"], SECOND)


def _statistics_of(metadata: Metadata, snapshot: int) -> None:
    """Check that only this snapshot has statistics."""
    snapshots = [entry["snapshot-id"] for entry in metadata.get("statistics") or ()]
    equal(snapshots, [snapshot], "the snapshots that have statistics")


@must("iceberg.statistics.set_partition", operations=COMMIT, clause="update-statistics")
def test_partition_statistics_are_set(catalog: IcebergCatalog) -> None:
    """set-partition-statistics replaces those of the same snapshot; remove-partition-statistics removes them."""
    id, files = new_table_with_snapshots(catalog, FIRST)
    for name in ("a", "b"):
        wanted = partition_statistics(files.location, FIRST, name)
        catalog.update_table(id, [update("set-partition-statistics", partition_statistics=wanted)])
    entries = catalog.metadata(id).get("partition-statistics")
    shows(entries, [partition_statistics(files.location, FIRST, "b")], "the partition-statistics of the table")
    gone = [update("remove-partition-statistics", snapshot_id=FIRST)]
    left = catalog.update_table(id, gone)["metadata"].get("partition-statistics") or []
    equal(left, [], "the partition-statistics after their removal")


@should("iceberg.statistics.without_id", operations=COMMIT, clause="update-statistics-snapshot")
def test_statistics_name_their_snapshot(catalog: IcebergCatalog) -> None:
    """set-statistics works without snapshot-id beside the statistics, which contain it."""
    catalog.revision.require_optional("SetStatisticsUpdate", "snapshot-id")
    id, files = new_table_with_snapshots(catalog, FIRST)
    metadata = catalog.update_table(id, [update("set-statistics", statistics=statistics(files.location, FIRST))])[
        "metadata"
    ]
    _statistics_of(metadata, FIRST)


@should("iceberg.statistics.go_along", operations=COMMIT, clause="update-remove-snapshots-statistics")
def test_statistics_go_with_their_snapshot(catalog: IcebergCatalog) -> None:
    """remove-snapshots also removes the statistics of the removed snapshot."""
    id, files = new_table_with_snapshots(catalog, FIRST, SECOND)
    both = [
        update("set-statistics", snapshot_id=snapshot, statistics=statistics(files.location, snapshot))
        for snapshot in (FIRST, SECOND)
    ]
    catalog.update_table(id, both)
    metadata = catalog.update_table(id, [update("remove-snapshots", snapshot_ids=[FIRST])])["metadata"]
    _statistics_of(metadata, SECOND)
