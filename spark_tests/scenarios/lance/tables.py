"""A table that several scenarios make, and how tables are read."""

from __future__ import annotations

from typing import Any

from conformance.checks import contains, distinct
from spark_tests.scenarios.lake import Lake


def new_table(lake: Lake, rows: int = 6) -> str:
    """Create a table of so many rows (id, word) and return its name."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (id INT, word STRING) USING lance")
    lake.run(f"INSERT INTO {table} SELECT CAST(id AS INT), concat('w', id) FROM range({rows})")
    return table


def words(lake: Lake, table: str) -> dict[int, str]:
    """Return the words of a table by id. Raises Violation when an id is there twice."""
    rows = lake.run(f"SELECT id, word FROM {table}")
    distinct((id for id, _ in rows), "the ids of the rows")
    return dict(rows)


def values(rows: Any, column: str) -> list[Any]:
    """Return the values of a column of an Arrow table. Raises Violation when it has no such column."""
    contains(rows.column_names, [column], "the columns of the table")
    found: list[Any] = rows.column(column).to_pylist()
    return found
