"""Time travel and branches."""

from __future__ import annotations

from conformance.iceberg.catalog import IcebergCatalog
from conformance.requirement import must
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-time-travel"


def new_history(lake: Lake, catalog: IcebergCatalog) -> tuple[str, list[int]]:
    """Create a table of the rows 1, 2 and 3, each by an append of its own; return its name and the snapshots."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    for x in (1, 2, 3):
        lake.run(f"INSERT INTO {table} VALUES ({x})")
    snapshots = [one["snapshot-id"] for one in catalog.metadata(catalog.table_id())["snapshots"]]
    assert len(snapshots) == 3, "each append makes a snapshot"
    return table, snapshots


def rows(lake: Lake, table: str, version: str = "") -> list[int]:
    """Return the rows of a table, of a version of it if one is given."""
    return [x for (x,) in lake.run(f"SELECT x FROM {table} {version} ORDER BY x")]


@must("spark.iceberg.travel.snapshot", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_snapshot(lake: Lake, catalog: IcebergCatalog) -> None:
    """A table is read as it was at each of its snapshots."""
    table, snapshots = new_history(lake, catalog)
    seen = [rows(lake, table, f"VERSION AS OF {snapshot}") for snapshot in snapshots]
    assert seen == [[1], [1, 2], [1, 2, 3]]


@must("spark.iceberg.travel.time", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_time(lake: Lake, catalog: IcebergCatalog) -> None:
    """A table is read as it was when each of its snapshots was committed."""
    table, _ = new_history(lake, catalog)
    times = [one["timestamp-ms"] for one in catalog.metadata(catalog.table_id())["snapshots"]]
    seen = [rows(lake, table, f"TIMESTAMP AS OF timestamp_millis({time})") for time in times]
    assert seen == [[1], [1, 2], [1, 2, 3]]


@must("spark.iceberg.travel.tag", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_tag(lake: Lake, catalog: IcebergCatalog) -> None:
    """A tag is made, read, moved and dropped."""
    table, snapshots = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE TAG mark AS OF VERSION {snapshots[0]}")
    assert rows(lake, table, "VERSION AS OF 'mark'") == [1]
    lake.run(f"ALTER TABLE {table} REPLACE TAG mark AS OF VERSION {snapshots[1]} RETAIN 7 DAYS")
    assert rows(lake, table, "VERSION AS OF 'mark'") == [1, 2]
    assert catalog.metadata(catalog.table_id())["refs"]["mark"]["max-ref-age-ms"] == 7 * 86_400_000
    lake.run(f"ALTER TABLE {table} DROP TAG mark")
    assert set(catalog.metadata(catalog.table_id())["refs"]) == {"main"}


@must("spark.iceberg.branch.written", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_branch(lake: Lake, catalog: IcebergCatalog) -> None:
    """What is written to a branch is read there, and neither on the main branch nor on another one."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH one")
    lake.run(f"ALTER TABLE {table} CREATE BRANCH two")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_one')} VALUES (4)")
    lake.run(f"DELETE FROM {lake.name('t', 'branch_one')} WHERE x = 1")
    assert rows(lake, table, "VERSION AS OF 'one'") == [2, 3, 4]
    assert rows(lake, table, "VERSION AS OF 'two'") == [1, 2, 3]
    assert rows(lake, table) == [1, 2, 3]


@must("spark.iceberg.branch.fast-forwarded", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_fast_forward(lake: Lake, catalog: IcebergCatalog) -> None:
    """The main branch is moved forward to another branch, after which both read the same."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH audit")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_audit')} VALUES (4)")
    lake.call("fast_forward", table=lake.plain("t"), branch="main", to="audit")
    assert rows(lake, table) == [1, 2, 3, 4]
    refs = catalog.metadata(catalog.table_id())["refs"]
    assert refs["main"]["snapshot-id"] == refs["audit"]["snapshot-id"]


@must("spark.iceberg.branch.diverged", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_diverged(lake: Lake, catalog: IcebergCatalog) -> None:
    """A branch that the main branch has left behind cannot be fast-forwarded to, and both stay as they are."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH audit")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_audit')} VALUES (4)")
    lake.run(f"INSERT INTO {table} VALUES (5)")
    lake.refused(
        lake.calling("fast_forward", table=lake.plain("t"), branch="main", to="audit"), "IllegalArgumentException"
    )
    assert rows(lake, table) == [1, 2, 3, 5]
    assert rows(lake, table, "VERSION AS OF 'audit'") == [1, 2, 3, 4]


@must("spark.iceberg.branch.dropped", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_drop_branch(lake: Lake, catalog: IcebergCatalog) -> None:
    """A dropped branch can no longer be read; the main branch can."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} CREATE BRANCH one")
    lake.run(f"ALTER TABLE {table} DROP BRANCH one")
    assert set(catalog.metadata(catalog.table_id())["refs"]) == {"main"}
    assert lake.attempt(f"SELECT * FROM {table} VERSION AS OF 'one'")
    assert rows(lake, table) == [1, 2, 3]


@must("spark.iceberg.branch.staged", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_staged(lake: Lake, catalog: IcebergCatalog) -> None:
    """An append that is staged for an audit is not read until it is cherry-picked."""
    table, _ = new_history(lake, catalog)
    lake.run(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    try:
        lake.run("SET spark.wap.id = audit-1")
        lake.run(f"INSERT INTO {table} VALUES (4)")
    finally:
        lake.run("RESET spark.wap.id")
    assert rows(lake, table) == [1, 2, 3]
    metadata = catalog.metadata(catalog.table_id())
    staged = [one["snapshot-id"] for one in metadata["snapshots"] if one["summary"].get("wap.id") == "audit-1"]
    assert len(staged) == 1
    lake.call("cherrypick_snapshot", table=lake.plain("t"), snapshot_id=staged[0])
    assert rows(lake, table) == [1, 2, 3, 4]
