"""Paths of columns: names of fields joined by dots, read in one way for all operations.

A path leads through structs and into the items of lists, as in Lance's own schema: types can be changed there. Values
are read and written along structs only, since a list has many items in a row. Lists of a fixed size and maps have no
fields within them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_server.lance.errors import TableColumnNotFound

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST_SHOWN = 200


def find_field(schema: pa.Schema, path: str) -> pa.Field:
    """Return the field at a path. Raises TableColumnNotFound."""
    return _fields_along(schema, path)[-1]


def find_values(schema: pa.Schema, path: str) -> pa.Field:
    """Return the field at a path that has one value in each row. Raises TableColumnNotFound."""
    from pyarrow import types  # noqa: PLC0415 - slow to import

    *parents, innermost = _fields_along(schema, path)
    if not all(types.is_struct(field.type) for field in parents):
        raise _missing(path)
    return innermost


def fields_within(kind: pa.DataType) -> list[pa.Field]:
    """Return the fields of a type that paths can lead to."""
    from pyarrow import types  # noqa: PLC0415

    if types.is_fixed_size_list(kind) or types.is_map(kind):
        return []
    return [kind.field(index) for index in range(kind.num_fields)]


def quoted(path: str) -> str:
    """Return a path as an SQL identifier."""
    return ".".join(f"`{name.replace('`', '``')}`" for name in path.split("."))


def _fields_along(schema: pa.Schema, path: str) -> list[pa.Field]:
    """Return a field for each name of a path."""
    along: list[pa.Field] = []
    fields = list(schema)
    for name in path.split("."):
        match = next((field for field in fields if field.name == name), None)
        if match is None:
            raise _missing(path)
        along.append(match)
        fields = fields_within(match.type)
    return along


def _missing(path: str) -> TableColumnNotFound:
    return TableColumnNotFound(f"The table has no column {path[:LONGEST_SHOWN]!r}.")
