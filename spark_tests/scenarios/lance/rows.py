"""A table of rows by SQL."""

from __future__ import annotations

from spark_tests.scenarios.lake import Lake


def new_table(lake: Lake, rows: int = 6) -> str:
    """Create a table of rows (id, word) and return its name."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (id INT, word STRING) USING lance")
    lake.run(f"INSERT INTO {table} SELECT CAST(id AS INT), concat('w', id) FROM range({rows})")
    return table
