"""A table of rows by SQL."""

from __future__ import annotations

from conformance.author.checks import distinct
from spark_tests.scenarios.lake import Lake


def new_table(lake: Lake, mode: str = "copy-on-write", rows: int = 6) -> str:
    """Create a table of rows (id, part, word), partitioned by part = id % 3, and return its name."""
    table = lake.name("t")
    modes = ", ".join(f"'write.{verb}.mode' = '{mode}'" for verb in ("delete", "update", "merge"))
    lake.run(
        f"CREATE TABLE {table} (id INT, part INT, word STRING) USING iceberg PARTITIONED BY (part) "
        f"TBLPROPERTIES ('format-version' = '2', {modes})"
    )
    lake.run(f"INSERT INTO {table} SELECT CAST(id AS INT), CAST(id % 3 AS INT), concat('w', id) FROM range({rows})")
    return table


def words(lake: Lake, table: str) -> dict[int, str]:
    """Return the words of a table by id. Raises Violation when an id is there twice."""
    rows = lake.run(f"SELECT id, word FROM {table}")
    distinct((id for id, _ in rows), "the ids of the rows")
    return dict(rows)
