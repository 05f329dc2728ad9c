"""Metadata tables after known writes."""

from __future__ import annotations

from conformance.author.checks import at_least, equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.iceberg.tables import new_history, new_table
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-metadata-tables"


@must("spark.iceberg.metadata-table.snapshots", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_snapshots(lake: Lake, catalog: IcebergCatalog) -> None:
    """The table `snapshots` has a row for each write, with its operation and its parent."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"DELETE FROM {table} WHERE x = 1")
    rows = lake.run(
        f"SELECT snapshot_id, parent_id, operation FROM {lake.name('t', 'snapshots')} ORDER BY committed_at"
    )
    equal([row[2] for row in rows], ["append", "append", "append", "delete"], "the operations of the snapshots")
    equal([row[1] for row in rows], [None, *(row[0] for row in rows[:-1])], "the parents of the snapshots")
    equal([row[0] for row in rows[:-1]], snapshots, "the snapshots of the appends")


@must("spark.iceberg.metadata-table.history", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_history(lake: Lake, catalog: IcebergCatalog) -> None:
    """The table `history` shows the current snapshot at each time, and marks snapshots that were rolled back."""
    _, snapshots = new_history(lake, catalog)
    lake.call("rollback_to_snapshot", table=lake.plain("t"), snapshot_id=snapshots[0])
    rows = lake.run(
        f"SELECT snapshot_id, is_current_ancestor FROM {lake.name('t', 'history')} ORDER BY made_current_at"
    )
    expected = [(snapshots[0], True), (snapshots[1], False), (snapshots[2], False), (snapshots[0], True)]
    equal(rows, expected, "the history of the table")


@must("spark.iceberg.metadata-table.refs", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_refs(lake: Lake, catalog: IcebergCatalog) -> None:
    """The table `refs` lists branches and tags with their snapshots."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE TAG first AS OF VERSION {snapshots[0]}")
    lake.run(f"ALTER TABLE {table} CREATE BRANCH side AS OF VERSION {snapshots[1]}")
    rows = lake.run(f"SELECT name, type, snapshot_id FROM {lake.name('t', 'refs')} ORDER BY name")
    refs = [("first", "TAG", snapshots[0]), ("main", "BRANCH", snapshots[2]), ("side", "BRANCH", snapshots[1])]
    equal(rows, refs, "the refs of the table")


@must("spark.iceberg.metadata-table.files", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_files(lake: Lake) -> None:
    """The tables `files`, `partitions` and `manifests` count the rows of the table."""
    new_table(lake, rows=60)
    equal(lake.value(f"SELECT sum(record_count) FROM {lake.name('t', 'files')}"), 60, "the record_count of all files")
    partitions = lake.run(f"SELECT partition.part, record_count FROM {lake.name('t', 'partitions')} ORDER BY 1")
    equal(partitions, [(0, 20), (1, 20), (2, 20)], "the record_count of each partition")
    manifests = lake.run(f"SELECT sum(added_data_files_count) FROM {lake.name('t', 'manifests')}")
    files = lake.run(f"SELECT count(*) FROM {lake.name('t', 'files')}")
    equal(manifests, files, "the added_data_files_count of all manifests")


@must("spark.iceberg.metadata-table.entries", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_entries(lake: Lake) -> None:
    """The tables of the metadata log and of all data files show every commit, also files deleted since."""
    table = new_table(lake)
    lake.run(f"DELETE FROM {table} WHERE part = 0")
    total = lake.value(f"SELECT sum(record_count) FROM {lake.name('t', 'all_data_files')}")
    at_least(total, 6, "the record_count of all data files")
    entries = lake.value(f"SELECT count(*) FROM {lake.name('t', 'metadata_log_entries')}")
    equal(entries, 3, "the number of metadata_log_entries")


@must("spark.iceberg.metadata-table.travel", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_travel(lake: Lake, catalog: IcebergCatalog) -> None:
    """The table `files` of an earlier snapshot shows the files of that snapshot."""
    _, snapshots = new_history(lake, catalog)
    counts = [
        lake.value(f"SELECT count(*) FROM {lake.name('t', 'files')} VERSION AS OF {snapshot}") for snapshot in snapshots
    ]
    equal(counts, [1, 2, 3], "the number of files in each snapshot")
