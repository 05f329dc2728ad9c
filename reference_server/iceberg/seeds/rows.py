"""Rows of a seed: values of columns in Iceberg's JSON form, and Parquet files of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.types import type_name, type_numbers
from reference_server.iceberg.scans.values import kind_of
from reference_server.seeding.nodes import Node
from specs.extras import require_extra
from specs.problems import did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

FIELD_ID = "PARQUET:field_id"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table's schema."""

    id: int
    name: str
    type: Any
    required: bool


def columns_of(schema: Json) -> list[Column]:
    """Return the columns of a struct."""
    return [Column(field["id"], field["name"], field["type"], field["required"]) for field in schema["fields"]]


def read_rows(node: Node, columns: Sequence[Column]) -> list[Row]:
    """Return the rows of a list, with values in the internal form of scans/values.py; absent ones are null.

    Raises Problem with the place of an unknown column, of a null in a required column and of a wrong value.
    """
    return [_struct(row, columns) for row in node.items()]


def _struct(node: Node, columns: Sequence[Column]) -> Row:
    names = {column.name for column in columns}
    given = dict(node.entries())
    for name, value in given.items():
        if name not in names:
            raise value.problem(f"there is no column {name!r}", did_you_mean(name, names))
    return {
        column.name: _cell(given.get(column.name, Node(None, f"{node.place}/{column.name}")), column)
        for column in columns
    }


def _cell(node: Node, column: Column) -> Any:
    if node.value is None:
        if column.required:
            raise node.problem("the column is required")
        return None
    return _value(node, column.type)


def _value(node: Node, column_type: Any) -> Any:
    name = type_name(column_type)
    if name == "struct":
        return _struct(node, columns_of(column_type))
    if name == "list":
        return [_value(item, column_type["element"]) if item.value is not None else None for item in node.items()]
    if name == "map":
        key, value = column_type["key"], column_type["value"]
        return [
            (_value(Node(written, each.place), key), None if each.value is None else _value(each, value))
            for written, each in node.entries()
        ]
    kind = kind_of(column_type)
    if kind is None:
        raise node.problem(f"a seed cannot have values of type {column_type}")
    try:
        return kind.read(_plain(node.value))
    except ValueError as error:
        raise node.problem(str(error)) from None


def _plain(value: Any) -> Any:
    """Return a value of YAML as JSON has it: dates and times as text, bytes in hexadecimal."""
    if isinstance(value, date | datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value


def parquet(columns: Sequence[Column], rows: Sequence[Row]) -> bytes:
    """Return a Parquet file of rows, with the ids of its columns. Raises Problem without the extra `arrow`."""
    require_extra("arrow")
    import pyarrow as pa  # noqa: PLC0415 - slow to import, and only seeds with rows need it
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = pa.schema([_field(column) for column in columns])
    arrays = [
        pa.array([_physical(row[column.name], column.type) for row in rows], field.type)
        for column, field in zip(columns, schema, strict=True)
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), sink)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _physical(value: Any, column_type: Any) -> Any:
    """Return an internal value as pyarrow takes it."""
    name = type_name(column_type)
    if value is None:
        return None
    if name == "decimal":
        return Decimal(value).scaleb(-type_numbers(column_type)[1])
    if name == "struct":
        return {column.name: _physical(value[column.name], column.type) for column in columns_of(column_type)}
    if name == "list":
        return [_physical(item, column_type["element"]) for item in value]
    if name == "map":
        return [(_physical(key, column_type["key"]), _physical(each, column_type["value"])) for key, each in value]
    return value


def _field(column: Column) -> pa.Field:
    import pyarrow as pa  # noqa: PLC0415

    return pa.field(column.name, _arrow(column.type), not column.required, {FIELD_ID: str(column.id)})


def _arrow(column_type: Any) -> pa.DataType:
    import pyarrow as pa  # noqa: PLC0415

    name = type_name(column_type)
    if name == "struct":
        return pa.struct([_field(column) for column in columns_of(column_type)])
    if name == "list":
        element = Column(column_type["element-id"], "element", column_type["element"], column_type["element-required"])
        return pa.list_(_field(element))
    if name == "map":
        key = Column(column_type["key-id"], "key", column_type["key"], True)
        value = Column(column_type["value-id"], "value", column_type["value"], column_type["value-required"])
        return pa.map_(_field(key), _field(value))
    if name == "decimal":
        return pa.decimal128(*type_numbers(column_type))
    if name == "fixed":
        return pa.binary(type_numbers(column_type)[0])
    return _plain_types()[name]()


def _plain_types() -> dict[str, Callable[[], pa.DataType]]:
    import pyarrow as pa  # noqa: PLC0415

    return {
        "boolean": pa.bool_,
        "int": pa.int32,
        "long": pa.int64,
        "float": pa.float32,
        "double": pa.float64,
        "string": pa.string,
        "binary": pa.binary,
        "uuid": lambda: pa.binary(16),
        "date": pa.date32,
        "time": lambda: pa.time64("us"),
        "timestamp": lambda: pa.timestamp("us"),
        "timestamptz": lambda: pa.timestamp("us", "UTC"),
        "timestamp_ns": lambda: pa.timestamp("ns"),
        "timestamptz_ns": lambda: pa.timestamp("ns", "UTC"),
    }
