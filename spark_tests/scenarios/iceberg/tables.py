"""Tables of the Iceberg scenarios: one with rows and words, one with several snapshots."""

from __future__ import annotations

from conformance.author.checks import distinct, exactly
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake


def new_table(lake: Lake, mode: str = "copy-on-write", rows: int = 6) -> str:
    """Create a table with rows (id, part, word), partitioned by part = id % 3, and return its name."""
    table = lake.name("t")
    modes = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update", "merge"))
    lake.run(
        f"CREATE TABLE {table} (id INT, part INT, word STRING) USING iceberg PARTITIONED BY (part) "
        f"TBLPROPERTIES ('format-version' = '2', {modes})"
    )
    lake.run(f"INSERT INTO {table} SELECT CAST(id AS INT), CAST(id % 3 AS INT), concat('w', id) FROM range({rows})")
    return table


def words(lake: Lake, table: str) -> dict[int, str]:
    """Return the words of a table by id. Raises Violation for a repeated id."""
    rows = lake.run(f"SELECT id, word FROM {table}")
    distinct((id for id, _ in rows), "the ids of the rows")
    return dict(rows)


def new_history(lake: Lake, catalog: IcebergCatalog) -> tuple[str, list[int]]:
    """Create a table with the rows 1, 2 and 3, each in its own append; return its name and the snapshots."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    for x in (1, 2, 3):
        lake.run(f"INSERT INTO {table} VALUES ({x})")
    snapshots = [snapshot["snapshot-id"] for snapshot in catalog.metadata(catalog.table_id())["snapshots"]]
    return table, exactly(snapshots, 3, "the snapshots, of which each append makes one")


def rows(lake: Lake, table: str, version: str = "") -> list[int]:
    """Return the rows of a table, or of one of its versions."""
    return [x for (x,) in lake.run(f"SELECT x FROM {table} {version} ORDER BY x")]
