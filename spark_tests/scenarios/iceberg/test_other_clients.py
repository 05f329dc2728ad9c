"""Tables that Spark writes and PyIceberg reads, and the other way round."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, same_items
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.iceberg.catalog import IcebergCatalog
from conformance.values.json_values import strict
from conformance.values.outcomes import Blocked
from conformance.values.settings import Settings
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-other-clients"


def pyiceberg(settings: Settings) -> Any:
    """Return PyIceberg's catalog for the target. Raises Blocked if PyIceberg is not installed."""
    try:
        from pyiceberg.catalog.rest import RestCatalog  # noqa: PLC0415 - optional
    except ImportError:
        raise Blocked("PyIceberg is not installed: pip install pyiceberg", "pyiceberg") from None
    properties = {
        "uri": settings.server,
        "warehouse": settings.warehouse,
        "prefix": settings.path_prefix.strip("/"),
        "token": settings.token,
        "credential": "" if settings.token else settings.credential,
        "scope": settings.scope,
        **{f"header.{name}": value for name, value in settings.pairs("header")},
    }
    return RestCatalog("other", **{name: value for name, value in properties.items() if value})


def read(suite: Suite, catalog: IcebergCatalog, **scan: Any) -> list[dict[str, Any]]:
    """Return the rows of the scenario's table, read by PyIceberg."""
    table = pyiceberg(suite.settings).load_table(catalog.table_id())
    rows: list[dict[str, Any]] = strict(table.scan(**scan).to_arrow().to_pylist())
    return rows


@must("spark.iceberg.other.read", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_read(lake: Lake, suite: Suite, catalog: IcebergCatalog) -> None:
    """PyIceberg reads rows, nested values, partitions and filters of a table that Spark wrote."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} USING iceberg PARTITIONED BY (y) AS SELECT * FROM VALUES "
        "(1, 'a', array(1, 2)), (2, 'b', array()), (3, NULL, NULL) AS s(x, y, z)"
    )
    rows = [{"x": 1, "y": "a", "z": [1, 2]}, {"x": 2, "y": "b", "z": []}, {"x": 3, "y": None, "z": None}]
    same_items(read(suite, catalog), rows, "the rows that PyIceberg reads")
    same_items(
        (row["x"] for row in read(suite, catalog, row_filter="y = 'b'")), [2], "the values of x that a filter finds"
    )


@must("spark.iceberg.other.read-deleted", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_read_deleted(lake: Lake, suite: Suite, catalog: IcebergCatalog) -> None:
    """PyIceberg does not read the rows that Spark deleted without rewriting their file."""
    lake.run(
        f"CREATE TABLE {lake.name('t')} USING iceberg TBLPROPERTIES ('format-version' = '2', "
        "'write.delete.mode' = 'merge-on-read') AS SELECT /*+ COALESCE(1) */ CAST(id AS INT) AS x FROM range(10)"
    )
    lake.run(f"DELETE FROM {lake.name('t')} WHERE x IN (3, 7)")
    same_items((row["x"] for row in read(suite, catalog)), [0, 1, 2, 4, 5, 6, 8, 9], "the values of x")


@must("spark.iceberg.other.read-evolved", operations=["loadTable"], clause=CLAUSE, kind="scenario")
def test_read_evolved(lake: Lake, suite: Suite, catalog: IcebergCatalog) -> None:
    """PyIceberg reads a table with columns that Spark renamed, dropped and added, and its branches."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS x, 'old' AS y, 'z' AS z")
    lake.run(f"ALTER TABLE {table} RENAME COLUMN y TO w")
    lake.run(f"ALTER TABLE {table} DROP COLUMN z")
    lake.run(f"ALTER TABLE {table} ADD COLUMN v INT")
    lake.run(f"ALTER TABLE {table} CREATE BRANCH side")
    lake.run(f"INSERT INTO {lake.name('t', 'branch_side')} VALUES (2, 'new', 3)")
    same_items(read(suite, catalog), [{"x": 1, "w": "old", "v": None}], "the rows that PyIceberg reads")
    loaded = pyiceberg(suite.settings).load_table(catalog.table_id())
    contains(loaded.metadata.refs, ["side"], "the refs of the table")
    side = loaded.scan(snapshot_id=loaded.metadata.refs["side"].snapshot_id).to_arrow().to_pylist()
    same_items((row["x"] for row in strict(side)), [1, 2], "the values of x on the branch")


@must("spark.iceberg.other.written", operations=["createTable", "updateTable"], clause=CLAUSE, kind="scenario")
def test_written(lake: Lake, suite: Suite, catalog: IcebergCatalog) -> None:
    """Spark reads and appends to a table that PyIceberg created and filled, and PyIceberg reads the rows of both."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    rows = pa.table({"x": pa.array([1, 2], pa.int32()), "y": ["a", None]})
    catalog.note_tables([catalog.table_id()])
    other = pyiceberg(suite.settings).create_table(catalog.table_id(), schema=rows.schema)
    other.append(rows)
    equal(lake.run(f"SELECT x, y FROM {lake.name('t')} ORDER BY x"), [(1, "a"), (2, None)], "the rows that Spark reads")
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (3, 'c')")
    same_items((row["x"] for row in read(suite, catalog)), [1, 2, 3], "the values of x")


@must("spark.iceberg.other.changed", operations=["updateTable"], clause=CLAUSE, kind="scenario")
def test_changed(lake: Lake, suite: Suite, catalog: IcebergCatalog) -> None:
    """Spark immediately reads the changes that PyIceberg made to a table that Spark had read before."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} USING iceberg AS SELECT 1 AS x")
    equal(lake.run(f"SELECT * FROM {table}"), [(1,)], "the rows that Spark reads")
    other = pyiceberg(suite.settings).load_table(catalog.table_id())
    with other.update_schema() as change:
        change.rename_column("x", "z")
    other.delete("z = 1")
    equal(lake.columns(table), {"z": "int"}, "the columns that Spark sees after the change")
    equal(lake.run(f"SELECT * FROM {table}"), [], "the rows that Spark reads after the delete")
