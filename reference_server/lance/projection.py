"""Columns that queries name: those of the answer, and those that are searched.

A column is named by its path: the name of a column, or names of fields joined by dots.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput, TableColumnNotFound
from reference_server.lance.sql import whole

if TYPE_CHECKING:
    import pyarrow as pa

# What a query may ask for beside the columns of the table.
FOUND_COLUMNS = ("_rowid", "_rowaddr", "_rowoffset", "_distance", "_score")
PATH = re.compile(r"\w+(\.\w+)*")


def projection(schema: pa.Schema, columns: dict[str, Any] | None) -> list[str] | dict[str, str] | None:
    """Return what a scanner takes as columns, None for all of them.

    Raises TableColumnNotFound for a column that the table lacks, InvalidInput for names and aliases at once.
    """
    given = columns or {}
    names, aliases = given.get("column_names"), given.get("column_aliases")
    if names is not None and aliases is not None:
        raise InvalidInput("A query has column_names or column_aliases, not both.")
    if aliases is not None:
        return {alias: _expression(schema, name) for alias, name in aliases.items()}
    for name in names or ():
        if name not in FOUND_COLUMNS:
            find_field(schema, name)
    return None if names is None else list(names)


def _expression(schema: pa.Schema, name: str) -> str:
    """Return a column as SQL. What is no path at all is an expression already: clients send such."""
    if name in FOUND_COLUMNS:
        return name
    if name not in schema.names and not PATH.fullmatch(name):
        return whole(name)
    find_field(schema, name)
    parts = [name] if name in schema.names else name.split(".")
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def find_field(schema: pa.Schema, path: str) -> pa.Field:
    """Return the field at a path. Raises TableColumnNotFound when there is none."""
    if path in schema.names:
        return schema.field(path)
    found: pa.Field | None = None
    fields: pa.Schema | pa.StructType | None = schema
    for part in path.split("."):
        if fields is None or part not in (field.name for field in fields):
            raise TableColumnNotFound(f"The table has no column {path!r}.")
        found = fields.field(part)
        fields = _fields_within(found.type)
    return found


def _fields_within(type: pa.DataType) -> pa.StructType | None:
    """Return the fields of a struct, or of the structs in a list."""
    from pyarrow import types  # noqa: PLC0415 - slow to import

    while types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        type = type.value_type
    return type if types.is_struct(type) else None
