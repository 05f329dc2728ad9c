"""Procedures of the connector."""

from __future__ import annotations

import os
from pathlib import Path

from conformance.author.checks import at_most, equal, holds, only, same_items, text
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.files import UNREACHABLE, reachable
from conformance.iceberg.support.staging import stage
from conformance.target.local_files import local_path
from conformance.values.outcomes import Unoffered
from spark_tests.scenarios.iceberg.tables import new_history, rows
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-procedures"
LATER = "TIMESTAMP'2999-01-01 00:00:00'"


@must("spark.iceberg.procedure.rollback", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rollback(lake: Lake, catalog: IcebergCatalog) -> None:
    """rollback_to_snapshot resets a table to a snapshot, and the table can be written from there."""
    table, snapshots = new_history(lake, catalog)
    lake.call("rollback_to_snapshot", table=lake.plain("t"), snapshot_id=snapshots[0])
    equal(rows(lake, table), [1], "the rows after the rollback")
    lake.run(f"INSERT INTO {table} VALUES (9)")
    equal(rows(lake, table), [1, 9], "the rows after the insert")


@must("spark.iceberg.procedure.set-current", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_set_current(lake: Lake, catalog: IcebergCatalog) -> None:
    """set_current_snapshot makes an earlier and then a later snapshot of a table the current one."""
    table, snapshots = new_history(lake, catalog)
    for snapshot, expected in ((snapshots[0], [1]), (snapshots[2], [1, 2, 3])):
        lake.call("set_current_snapshot", table=lake.plain("t"), snapshot_id=snapshot)
        equal(rows(lake, table), expected, "the rows of the current snapshot")


@must("spark.iceberg.procedure.expired", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_expire(lake: Lake, catalog: IcebergCatalog) -> None:
    """expire_snapshots removes old snapshots and keeps the rows."""
    table, snapshots = new_history(lake, catalog)
    lake.call("expire_snapshots", table=lake.plain("t"), older_than=LATER, retain_last=1)
    remaining = [snapshot["snapshot-id"] for snapshot in catalog.metadata(catalog.table_id())["snapshots"]]
    equal(remaining, snapshots[-1:], "the snapshots that are left")
    equal(rows(lake, table), [1, 2, 3], "the rows of the table")


@must("spark.iceberg.procedure.expired-but-referred", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_expire_keeps_refs(lake: Lake, catalog: IcebergCatalog) -> None:
    """expire_snapshots keeps the snapshot that a tag refers to."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE TAG kept AS OF VERSION {snapshots[0]}")
    lake.call("expire_snapshots", table=lake.plain("t"), older_than=LATER, retain_last=1)
    remaining = {snapshot["snapshot-id"] for snapshot in catalog.metadata(catalog.table_id())["snapshots"]}
    same_items(remaining, {snapshots[0], snapshots[2]}, "the snapshots that are left")
    equal(rows(lake, table, "VERSION AS OF 'kept'"), [1], "the rows of the tag")


@must("spark.iceberg.procedure.data-files-rewritten", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rewrite_data_files(lake: Lake, catalog: IcebergCatalog) -> None:
    """rewrite_data_files combines small files and changes no row."""
    table, _ = new_history(lake, catalog)
    before = lake.value(f"SELECT count(*) FROM {lake.name('t', 'files')}")
    lake.call("rewrite_data_files", table=lake.plain("t"), options="map('min-input-files', '2')")
    after = lake.value(f"SELECT count(*) FROM {lake.name('t', 'files')}")
    at_most(after, before - 1, "the number of data files after rewrite_data_files")
    equal(rows(lake, table), [1, 2, 3], "the rows of the table")


@must("spark.iceberg.procedure.manifests-rewritten", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rewrite_manifests(lake: Lake, catalog: IcebergCatalog) -> None:
    """rewrite_manifests combines manifests and changes no row."""
    table, _ = new_history(lake, catalog)
    lake.call("rewrite_manifests", table=lake.plain("t"))
    after = lake.value(f"SELECT count(*) FROM {lake.name('t', 'manifests')}")
    equal(after, 1, "the number of manifests after rewrite_manifests")
    equal(rows(lake, table), [1, 2, 3], "the rows of the table")


@must("spark.iceberg.procedure.orphans-removed", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_orphans(lake: Lake, catalog: IcebergCatalog) -> None:
    """remove_orphan_files deletes a stray file and no file of the table."""
    table, _ = new_history(lake, catalog)
    stray = folder_of(catalog) / "data" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"stray")
    os.utime(stray, (0, 0))  # files younger than three days are kept
    lake.call("remove_orphan_files", table=lake.plain("t"))
    holds(not stray.exists(), "remove_orphan_files takes the stray file away")
    equal(rows(lake, table), [1, 2, 3], "the rows of the table")


def folder_of(catalog: IcebergCatalog) -> Path:
    """Return the folder of the scenario's table, in which Spark will delete files.

    Raises Unoffered if it is not accessible from this machine, or contains anything but a table.
    """
    folder = local_path(stage(catalog, catalog.table_id()).location.rpartition("/")[0])
    if folder is None:
        raise Unoffered(UNREACHABLE)
    with reachable():
        if not {path.name for path in folder.iterdir()} <= {"data", "metadata"}:
            raise Unoffered(f"the folder {folder} holds more than the files of the table")
    return folder


@must("spark.iceberg.procedure.registered", operations=["registerTable"], clause=CLAUSE, kind="scenario")
def test_register(lake: Lake, catalog: IcebergCatalog) -> None:
    """register_table creates a table from the metadata of a dropped one, with its rows and its history."""
    table, snapshots = new_history(lake, catalog)
    location = text(catalog.load_table(catalog.table_id())["metadata-location"], "the metadata-location of the table")
    lake.run(f"DROP TABLE {table}")
    lake.call("register_table", table=lake.plain("again"), metadata_file=location)
    equal(rows(lake, lake.name("again")), [1, 2, 3], "the rows of the registered table")
    equal(rows(lake, lake.name("again"), f"VERSION AS OF {snapshots[0]}"), [1], "the rows of its first snapshot")


@must("spark.iceberg.procedure.ancestors", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_ancestors(lake: Lake, catalog: IcebergCatalog) -> None:
    """ancestors_of lists the ancestors of a snapshot, the newest first."""
    _, snapshots = new_history(lake, catalog)
    rows = lake.call("ancestors_of", table=lake.plain("t"))
    equal([row[0] for row in rows], snapshots[::-1], "the ancestors of the current snapshot")


@must("spark.iceberg.procedure.changelog", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_changelog(lake: Lake, catalog: IcebergCatalog) -> None:
    """create_changelog_view shows the rows that were inserted and deleted between two snapshots."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"DELETE FROM {table} WHERE x = 1")
    rows = lake.call(
        "create_changelog_view", table=lake.plain("t"), options=f"map('start-snapshot-id', '{snapshots[1]}')"
    )
    (view, *_) = only(rows, "the views that create_changelog_view makes")
    changes = lake.run(f"SELECT x, _change_type FROM {view} ORDER BY x")
    equal(changes, [(1, "DELETE"), (3, "INSERT")], "the changes that the view shows")
