"""loadTable with snapshots=refs: what it shows beside the snapshots."""

from __future__ import annotations

from conformance.author.checks import same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import same_metadata
from conformance.iceberg.support.metadata import previous_files, unlike
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import set_ref

# A server that leaves snapshots out may leave out what else refers to them.
OF_SNAPSHOTS = ("snapshots", "snapshot-log", "statistics", "partition-statistics")


@must("iceberg.refs_load.rest", operations=["loadTable"], clause="load-table", needs=KEPT)
def test_all_but_snapshots_is_the_same(catalog: IcebergCatalog) -> None:
    """loadTable with snapshots=refs returns the same metadata as with snapshots=all, except for snapshots."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    with catalog.client.preparing():
        catalog.update_table(id, [set_ref("v1", SECOND, "tag")])
    everything, some = (catalog.load_table(id, snapshots=mode)["metadata"] for mode in ("all", "refs"))
    same_items(previous_files(some), previous_files(everything), "the files of the metadata-log")
    actual, expected = (unlike(shown, *OF_SNAPSHOTS) for shown in (some, everything))
    same_metadata(catalog, actual, expected, "the metadata without snapshots")
