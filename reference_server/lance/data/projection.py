"""Columns in queries: those of the answer, and those that are searched.

A column is named by its path, see paths.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput
from reference_server.lance.data.paths import find_values, quoted
from reference_server.lance.data.sql import whole
from reference_server.lance.data.sql_limits import check_lengths

if TYPE_CHECKING:
    import pyarrow as pa

# Columns that a query may request beside those of the table.
FOUND_COLUMNS = ("_rowid", "_rowaddr", "_rowoffset", "_distance", "_score")
PATH = re.compile(r"\w+(\.\w+)*")


def projection(schema: pa.Schema, columns: dict[str, Any] | None) -> list[str] | dict[str, str] | None:
    """Return the columns argument of a scanner, None for all columns.

    Raises TableColumnNotFound for an unknown column, InvalidInput for names together with aliases.
    """
    requested = columns or {}
    names, aliases = requested.get("column_names"), requested.get("column_aliases")
    if names is not None and aliases is not None:
        raise InvalidInput("A query has column_names or column_aliases, not both.")
    if aliases is not None:
        check_lengths(list(aliases.values()))
        return {alias: _expression(schema, name) for alias, name in aliases.items()}
    for name in names or ():
        if name not in FOUND_COLUMNS:
            find_values(schema, name)
    return None if names is None else list(names)


def _expression(schema: pa.Schema, name: str) -> str:
    """Return a column as SQL. A text that is no path is an expression already: some clients send these."""
    if name in FOUND_COLUMNS:
        return name
    if name not in schema.names and not PATH.fullmatch(name):
        return whole(name)
    find_values(schema, name)
    return quoted(name)
