"""Tables of the Lance scenarios, and the values of Arrow tables."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains
from spark_tests.scenarios.lake import Lake


def new_table(lake: Lake, rows: int = 6) -> str:
    """Create a table with rows (id, word) and return its name."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (id INT, word STRING) USING lance")
    lake.run(f"INSERT INTO {table} SELECT CAST(id AS INT), concat('w', id) FROM range({rows})")
    return table


def values(rows: Any, column: str) -> list[Any]:
    """Return the values of a column of an Arrow table. Raises Violation if the column is missing."""
    contains(rows.column_names, [column], "the columns of the table")
    values: list[Any] = rows.column(column).to_pylist()
    return values
