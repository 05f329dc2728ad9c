"""Validation of schemas that Lance accepts but cannot write or read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from reference_server.lance.errors import TableSchemaValidationError

if TYPE_CHECKING:
    import pyarrow as pa

RESERVED = ("_rowid", "_rowaddr", "_rowoffset", "_row_created_at_version", "_row_last_updated_at_version")
# NUL cuts off a name on its way to Lance, and Lance itself quotes names with backticks.
UNSPEAKABLE = "\0`"


def check_schema(schema: pa.Schema) -> None:
    """Raise TableSchemaValidationError for a schema that no table can have.

    Schemas that Lance rejects by itself are left to it.
    """
    if not schema.names or "" in schema.names:
        raise TableSchemaValidationError("A table needs at least one column, and each needs a name.")
    check_field_names(schema.names)
    if any("`" in name for name in schema.names):
        raise TableSchemaValidationError("The name of a column cannot have a backtick.")
    for field in schema:
        for kind in _within(field.type):
            _check_type(field.name, kind)


def check_new_name(name: str) -> None:
    """Raise TableSchemaValidationError for an invalid name of a new column."""
    if not name or name in RESERVED or any(character in name for character in (".", *UNSPEAKABLE)):
        raise TableSchemaValidationError(
            f"{name[:100]!r} is not a name for a column: it is empty, reserved, or has a dot, a backtick or a NUL."
        )


def check_field_names(names: Iterable[str]) -> None:
    """Raise TableSchemaValidationError for names that the fields of one schema or struct cannot have together."""
    names = list(names)
    if any("\0" in name for name in names):
        raise TableSchemaValidationError("The name of a column or field cannot have a NUL character.")
    if len(set(names)) < len(names):
        raise TableSchemaValidationError(f"Each name may occur once, but there are {', '.join(names)}.")


def _check_type(column: str, kind: pa.DataType) -> None:
    from pyarrow import types  # noqa: PLC0415 - slow to import

    if types.is_struct(kind):
        check_field_names(field.name for field in kind)
        if not kind.num_fields:
            raise TableSchemaValidationError(f"The column {column!r} has a struct without fields.")
    if types.is_fixed_size_list(kind) and _varies(kind.value_type):
        raise TableSchemaValidationError(f"The column {column!r} has fixed-size lists of {kind.value_type}.")


def _varies(kind: pa.DataType) -> bool:
    """Return whether Lance cannot store values of a type in lists of a fixed size."""
    from pyarrow import types  # noqa: PLC0415

    tests = (types.is_dictionary, types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in (*tests, types.is_string_view, types.is_binary_view))


def _within(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Yield a type and all types nested in it."""
    yield kind
    for index in range(kind.num_fields):
        yield from _within(kind.field(index).type)
