"""dropTable: files of dropped tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from conformance.author.checks import equal
from conformance.author.patience import wait_for
from conformance.author.requirement import may, must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.scans.samples import plain_rows
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table

DROP = ["dropTable"]
PURGE_SECONDS = 10.0
PURGES = "purges"


def new_full_table(catalog: IcebergCatalog) -> ScanTable:
    """Return a table with data files, delete files, and a data file that only an older snapshot contains."""
    table = new_scan_table(catalog, SCHEMA)
    old, data = table.data(*plain_rows(1)), table.data(*plain_rows(2))
    table.commit(old, data)
    table.commit(table.position_deletes(data), removed=[old])
    return table


def remaining(table: ScanTable, locations: Collection[str], *, there: bool) -> list[str]:
    """Return the names of the files that exist, or with there=False of those that do not."""
    return [location.rpartition("/")[2] for location in locations if table.stage.files.exists(location) == there]


def _locations(table: ScanTable) -> Iterator[str]:
    for snapshot in table.metadata["snapshots"]:
        yield snapshot["manifest-list"]
    for manifest in (file for several in table.manifests.values() for file in several):
        yield manifest.record["manifest_path"]
        yield from (entry.file.path for entry in manifest.entries)


@may("iceberg.table.drop.purged_files", operations=DROP, clause="drop-table-purge")
def test_purged_files_go(catalog: IcebergCatalog) -> None:
    """dropTable with purgeRequested deletes the data, delete and manifest files of all snapshots."""
    table = new_full_table(catalog)
    files = set(_locations(table))
    catalog.require_purging()
    catalog.drop_table(table.id, purgeRequested="true")
    left = wait_for(
        catalog.client,
        catalog.target.paces[PURGES],
        lambda: remaining(table, files, there=True),
        lambda names: not names,
        seconds=PURGE_SECONDS,
        progress=sorted,
    )
    equal(left, [], "the files that are still there")


@must("iceberg.table.drop.files_stay", operations=DROP, clause="drop-table-keeps-files")
def test_files_stay_without_purge(catalog: IcebergCatalog) -> None:
    """dropTable without purgeRequested, or with false, keeps all data, delete and manifest files."""
    for requested in (None, "false"):
        table = new_full_table(catalog)
        catalog.drop_table(table.id, purgeRequested=requested)
        equal(remaining(table, set(_locations(table)), there=False), [], "the files that are gone")
