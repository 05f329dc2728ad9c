"""Time travel and branches."""

from __future__ import annotations

from conformance.author.checks import equal, holds, only, same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.iceberg.tables import new_history, rows
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-time-travel"


@must("spark.iceberg.travel.snapshot", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_snapshot(lake: Lake, catalog: IcebergCatalog) -> None:
    """VERSION AS OF a snapshot reads the rows of that snapshot."""
    table, snapshots = new_history(lake, catalog)
    seen = [rows(lake, table, f"VERSION AS OF {snapshot}") for snapshot in snapshots]
    equal(seen, [[1], [1, 2], [1, 2, 3]], "the rows of each snapshot")


@must("spark.iceberg.travel.time", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_time(lake: Lake, catalog: IcebergCatalog) -> None:
    """TIMESTAMP AS OF the time of a snapshot reads the rows of that snapshot."""
    table, _ = new_history(lake, catalog)
    times = [snapshot["timestamp-ms"] for snapshot in catalog.metadata(catalog.table_id())["snapshots"]]
    seen = [rows(lake, table, f"TIMESTAMP AS OF timestamp_millis({time})") for time in times]
    equal(seen, [[1], [1, 2], [1, 2, 3]], "the rows at the time of each snapshot")


@must("spark.iceberg.travel.tag", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_tag(lake: Lake, catalog: IcebergCatalog) -> None:
    """A tag can be created, read, moved to another snapshot and dropped."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE TAG mark AS OF VERSION {snapshots[0]}")
    equal(rows(lake, table, "VERSION AS OF 'mark'"), [1], "the rows of the tag")
    lake.run(f"ALTER TABLE {table} REPLACE TAG mark AS OF VERSION {snapshots[1]} RETAIN 7 DAYS")
    equal(rows(lake, table, "VERSION AS OF 'mark'"), [1, 2], "the rows of the moved tag")
    mark = catalog.metadata(catalog.table_id())["refs"]["mark"]
    equal(mark["max-ref-age-ms"], 7 * 86_400_000, "the max-ref-age-ms of the tag")
    lake.run(f"ALTER TABLE {table} DROP TAG mark")
    same_items(catalog.metadata(catalog.table_id())["refs"], ["main"], "the refs of the table")


@must("spark.iceberg.branch.written", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_branch(lake: Lake, catalog: IcebergCatalog) -> None:
    """Rows written to a branch are read on it, and neither on the main branch nor on another branch."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH one")
    lake.run(f"ALTER TABLE {table} CREATE BRANCH two")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_one')} VALUES (4)")
    lake.run(f"DELETE FROM {lake.name('t', 'branch_one')} WHERE x = 1")
    equal(rows(lake, table, "VERSION AS OF 'one'"), [2, 3, 4], "the rows of the branch one")
    equal(rows(lake, table, "VERSION AS OF 'two'"), [1, 2, 3], "the rows of the branch two")
    equal(rows(lake, table), [1, 2, 3], "the rows of the main branch")


@must("spark.iceberg.branch.fast-forwarded", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_fast_forward(lake: Lake, catalog: IcebergCatalog) -> None:
    """After the main branch is fast-forwarded to another branch, both read the same rows."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH audit")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_audit')} VALUES (4)")
    lake.call("fast_forward", table=lake.plain("t"), branch="main", to="audit")
    equal(rows(lake, table), [1, 2, 3, 4], "the rows of the main branch")
    refs = catalog.metadata(catalog.table_id())["refs"]
    equal(refs["main"]["snapshot-id"], refs["audit"]["snapshot-id"], "the snapshot-id of the main branch")


@must("spark.iceberg.branch.diverged", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_diverged(lake: Lake, catalog: IcebergCatalog) -> None:
    """Fast-forwarding the main branch to a branch that has diverged is rejected, and both stay unchanged."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH audit")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_audit')} VALUES (4)")
    lake.run(f"INSERT INTO {table} VALUES (5)")
    lake.refused(
        lake.calling("fast_forward", table=lake.plain("t"), branch="main", to="audit"), "IllegalArgumentException"
    )
    equal(rows(lake, table), [1, 2, 3, 5], "the rows of the main branch")
    equal(rows(lake, table, "VERSION AS OF 'audit'"), [1, 2, 3, 4], "the rows of the branch audit")


@must("spark.iceberg.branch.dropped", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_drop_branch(lake: Lake, catalog: IcebergCatalog) -> None:
    """A dropped branch can no longer be read, and the main branch still can."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH one")
    lake.run(f"ALTER TABLE {table} DROP BRANCH one")
    same_items(catalog.metadata(catalog.table_id())["refs"], ["main"], "the refs of the table")
    holds(lake.attempt(f"SELECT * FROM {table} VERSION AS OF 'one'"), "a branch that was dropped cannot be read")
    equal(rows(lake, table), [1, 2, 3], "the rows of the main branch")


@must("spark.iceberg.branch.staged", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_staged(lake: Lake, catalog: IcebergCatalog) -> None:
    """An append that is staged for an audit is read only after it is cherry-picked."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    try:
        lake.run("SET spark.wap.id = audit-1")
        lake.run(f"INSERT INTO {table} VALUES (4)")
    finally:
        lake.run("RESET spark.wap.id")
    equal(rows(lake, table), [1, 2, 3], "the rows before the append is cherry-picked")
    metadata = catalog.metadata(catalog.table_id())
    staged = [
        snapshot["snapshot-id"] for snapshot in metadata["snapshots"] if snapshot["summary"].get("wap.id") == "audit-1"
    ]
    snapshot = only(staged, "the snapshots whose wap.id is audit-1")
    lake.call("cherrypick_snapshot", table=lake.plain("t"), snapshot_id=snapshot)
    equal(rows(lake, table), [1, 2, 3, 4], "the rows after the append is cherry-picked")
