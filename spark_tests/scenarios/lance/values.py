"""Numbers from jobs."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains


def values(rows: Any, column: str) -> list[Any]:
    """Return the values of a column of an Arrow table. Raises Violation when it has no such column."""
    contains(rows.column_names, [column], "the columns of the table")
    values: list[Any] = rows.column(column).to_pylist()
    return values
