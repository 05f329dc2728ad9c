"""The connector's procedures."""

from __future__ import annotations

import os
from pathlib import Path

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.staging import local_path
from conformance.outcomes import Unoffered
from conformance.requirement import must
from spark_tests.scenarios.iceberg.test_time_travel import new_history, rows
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-procedures"
LATER = "TIMESTAMP'2999-01-01 00:00:00'"


@must("spark.iceberg.procedure.rollback", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rollback(lake: Lake, catalog: IcebergCatalog) -> None:
    """rollback_to_snapshot takes a table back, and it can be written from there."""
    table, snapshots = new_history(lake, catalog)
    lake.call("rollback_to_snapshot", table=lake.plain("t"), snapshot_id=snapshots[0])
    assert rows(lake, table) == [1]
    lake.run(f"INSERT INTO {table} VALUES (9)")
    assert rows(lake, table) == [1, 9]


@must("spark.iceberg.procedure.set-current", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_set_current(lake: Lake, catalog: IcebergCatalog) -> None:
    """set_current_snapshot goes back and forth among the snapshots of a table."""
    table, snapshots = new_history(lake, catalog)
    for snapshot, expected in ((snapshots[0], [1]), (snapshots[2], [1, 2, 3])):
        lake.call("set_current_snapshot", table=lake.plain("t"), snapshot_id=snapshot)
        assert rows(lake, table) == expected


@must("spark.iceberg.procedure.expired", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_expire(lake: Lake, catalog: IcebergCatalog) -> None:
    """expire_snapshots takes the old snapshots away, and the rows stay."""
    table, snapshots = new_history(lake, catalog)
    lake.call("expire_snapshots", table=lake.plain("t"), older_than=LATER, retain_last=1)
    left = [one["snapshot-id"] for one in catalog.metadata(catalog.table_id())["snapshots"]]
    assert left == snapshots[-1:]
    assert rows(lake, table) == [1, 2, 3]


@must("spark.iceberg.procedure.expired-but-referred", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_expire_keeps_refs(lake: Lake, catalog: IcebergCatalog) -> None:
    """expire_snapshots keeps what a tag refers to."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE TAG kept AS OF VERSION {snapshots[0]}")
    lake.call("expire_snapshots", table=lake.plain("t"), older_than=LATER, retain_last=1)
    left = {one["snapshot-id"] for one in catalog.metadata(catalog.table_id())["snapshots"]}
    assert left == {snapshots[0], snapshots[2]}
    assert rows(lake, table, "VERSION AS OF 'kept'") == [1]


@must("spark.iceberg.procedure.data-files-rewritten", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rewrite_data_files(lake: Lake, catalog: IcebergCatalog) -> None:
    """rewrite_data_files puts small files together and changes no row."""
    table, _ = new_history(lake, catalog)
    before = lake.value(f"SELECT count(*) FROM {lake.name('t', 'files')}")
    lake.call("rewrite_data_files", table=lake.plain("t"), options="map('min-input-files', '2')")
    assert lake.value(f"SELECT count(*) FROM {lake.name('t', 'files')}") < before
    assert rows(lake, table) == [1, 2, 3]


@must("spark.iceberg.procedure.manifests-rewritten", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_rewrite_manifests(lake: Lake, catalog: IcebergCatalog) -> None:
    """rewrite_manifests puts manifests together and changes no row."""
    table, _ = new_history(lake, catalog)
    lake.call("rewrite_manifests", table=lake.plain("t"))
    assert lake.value(f"SELECT count(*) FROM {lake.name('t', 'manifests')}") == 1
    assert rows(lake, table) == [1, 2, 3]


@must("spark.iceberg.procedure.orphans-removed", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_orphans(lake: Lake, catalog: IcebergCatalog) -> None:
    """remove_orphan_files takes a stray file away and none that the table needs."""
    table, _ = new_history(lake, catalog)
    stray = folder_of(catalog) / "data" / "stray.parquet"
    stray.parent.mkdir(parents=True, exist_ok=True)
    stray.write_bytes(b"stray")
    os.utime(stray, (0, 0))  # it leaves alone what is younger than three days
    lake.call("remove_orphan_files", table=lake.plain("t"))
    assert not stray.exists()
    assert rows(lake, table) == [1, 2, 3]


def folder_of(catalog: IcebergCatalog) -> Path:
    """Return the folder of the scenario's table. Raises Unoffered where it cannot be reached from here."""
    path = local_path(catalog.metadata(catalog.table_id())["location"])
    if path is None or not path.exists():
        raise Unoffered("the files of the server's tables cannot be reached from here")
    return path


@must("spark.iceberg.procedure.registered", operations=["registerTable"], clause=CLAUSE, kind="scenario")
def test_register(lake: Lake, catalog: IcebergCatalog) -> None:
    """register_table makes a table of metadata that another name left, with its rows and its history."""
    table, snapshots = new_history(lake, catalog)
    location = catalog.load_table(catalog.table_id())["metadata-location"]
    lake.run(f"DROP TABLE {table}")
    lake.call("register_table", table=lake.plain("again"), metadata_file=location)
    assert rows(lake, lake.name("again")) == [1, 2, 3]
    assert rows(lake, lake.name("again"), f"VERSION AS OF {snapshots[0]}") == [1]


@must("spark.iceberg.procedure.ancestors", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_ancestors(lake: Lake, catalog: IcebergCatalog) -> None:
    """ancestors_of tells the line of snapshots, the newest first."""
    _, snapshots = new_history(lake, catalog)
    found = lake.call("ancestors_of", table=lake.plain("t"))
    assert [row[0] for row in found] == snapshots[::-1]


@must("spark.iceberg.procedure.changelog", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_changelog(lake: Lake, catalog: IcebergCatalog) -> None:
    """create_changelog_view shows what was inserted and deleted between two snapshots."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"DELETE FROM {table} WHERE x = 1")
    made = lake.call(
        "create_changelog_view", table=lake.plain("t"), options=f"map('start-snapshot-id', '{snapshots[1]}')"
    )
    changes = lake.run(f"SELECT x, _change_type FROM {made[0][0]} ORDER BY x")
    assert changes == [(1, "DELETE"), (3, "INSERT")]
