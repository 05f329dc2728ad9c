"""dropTable: what becomes of the files of a table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from conformance.checks import equal
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.scans.samples import plain_rows
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table
from conformance.iceberg.support.staging import local_path, reachable
from conformance.requirement import may, must

DROP = ["dropTable"]
PURGE_SECONDS = 10.0
PAUSE_SECONDS = 0.1


def new_full_table(catalog: IcebergCatalog) -> ScanTable:
    """Return a table with data, deletes, and a file that is in an older snapshot alone."""
    table = new_scan_table(catalog, SCHEMA)
    old, data = table.data(*plain_rows(1)), table.data(*plain_rows(2))
    table.commit(old, data)
    table.commit(table.position_deletes(data), removed=[old])
    return table


def files_of(table: ScanTable) -> list[Path]:
    """Return all files of a table that were written here, on this machine."""
    return [path for path in map(local_path, _locations(table)) if path]


def _locations(table: ScanTable) -> Iterator[str]:
    for snapshot in table.metadata["snapshots"]:
        yield snapshot["manifest-list"]
    for manifest in (one for several in table.manifests.values() for one in several):
        yield manifest.record["manifest_path"]
        yield from (entry.file.path for entry in manifest.entries)


def _is_there(path: Path) -> bool:
    with reachable():
        return path.exists()


@may("iceberg.table.drop.purged_files", operations=DROP, clause="drop-table-purge")
def test_purged_files_go(catalog: IcebergCatalog) -> None:
    """With purgeRequested the data, delete and manifest files of all snapshots are gone soon."""
    table = new_full_table(catalog)
    files = files_of(table)
    catalog.drop_table(table.id, purgeRequested="true")
    deadline = time.monotonic() + PURGE_SECONDS
    while any(map(_is_there, files)) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    equal([path.name for path in files if _is_there(path)], [], "the files that are still there")


@must("iceberg.table.drop.files_stay", operations=DROP, clause="drop-table-keeps-files")
def test_files_stay_without_purge(catalog: IcebergCatalog) -> None:
    """Without purgeRequested, or with false, all files of a table stay."""
    for requested in (None, "false"):
        table = new_full_table(catalog)
        catalog.drop_table(table.id, purgeRequested=requested)
        equal([path.name for path in files_of(table) if not _is_there(path)], [], "the files that are gone")
