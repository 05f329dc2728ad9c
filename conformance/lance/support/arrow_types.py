"""Arrow types with edge values, strategies for whole tables, and comparisons of tables.

CORE has the types that every Lance table supports. SPECIAL has types that some servers, or some revisions of the
Lance format, do not support: a server may reject them, but must not corrupt them.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.author.checks import same_items
from conformance.lance.catalog import ALL_ROWS, LanceCatalog, Names
from conformance.lance.support.arrow import read_file
from conformance.values.outcomes import Violation

DAY, LAST_DAY, TIME = dt.date(2024, 2, 29), dt.date(9999, 12, 31), dt.time(23, 59, 58, 987000)
POINT = pa.struct([("x", pa.int32()), ("label", pa.string())])

CORE: dict[str, tuple[pa.DataType, list[Any]]] = {
    "bool": (pa.bool_(), [True, False]),
    "int8": (pa.int8(), [0, -128, 127]),
    "int16": (pa.int16(), [0, -(2**15), 2**15 - 1]),
    "int32": (pa.int32(), [0, -(2**31), 2**31 - 1]),
    "int64": (pa.int64(), [0, -(2**63), 2**63 - 1]),
    "uint8": (pa.uint8(), [0, 255]),
    "uint16": (pa.uint16(), [0, 2**16 - 1]),
    "uint32": (pa.uint32(), [0, 2**32 - 1]),
    "uint64": (pa.uint64(), [0, 2**64 - 1]),
    "float32": (pa.float32(), [0.0, -1.5, float("inf")]),
    "float64": (pa.float64(), [0.1, -0.0, 5e-324, float("-inf")]),
    "string": (pa.string(), ["", "ünïcode ✓", "nul \0 inside", "x" * 300]),
    "binary": (pa.binary(), [b"", b"\0\xff", b"y" * 300]),
    "date32": (pa.date32(), [DAY, LAST_DAY, dt.date(1, 1, 1)]),
    "timestamp_us": (pa.timestamp("us"), [dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(9999, 1, 1)]),
    "decimal128": (pa.decimal128(38, 2), [Decimal("0.01"), Decimal("-1e35")]),
    "list": (pa.list_(pa.int32()), [[], [1, None, 3]]),
    "list_of_lists": (pa.list_(pa.list_(pa.string())), [[], [[], ["a", None], None]]),
    "list_of_structs": (pa.list_(POINT), [[], [{"x": 1, "label": "a"}, None, {"x": None, "label": None}]]),
    "struct": (POINT, [{"x": 1, "label": "a"}, {"x": None, "label": ""}]),
    "nested_struct": (pa.struct([("point", POINT), ("tags", pa.list_(pa.string()))]), [{"point": None, "tags": ["a"]}]),
    "vector": (pa.list_(pa.float32(), 3), [[1.0, -0.5, 0.0], [0.0, 0.0, 0.0]]),
}
SPECIAL: dict[str, tuple[pa.DataType, list[Any]]] = {
    "null": (pa.null(), []),
    "float16": (pa.float16(), [1.5, -0.5]),
    "large_string": (pa.large_string(), ["", "text"]),
    "large_binary": (pa.large_binary(), [b"", b"\0"]),
    "large_list": (pa.large_list(pa.int32()), [[], [1, None]]),
    "fixed_size_binary": (pa.binary(4), [b"abcd", b"\0\0\0\0"]),
    "date64": (pa.date64(), [DAY]),
    "time32_s": (pa.time32("s"), [dt.time(1, 2, 3)]),
    "time32_ms": (pa.time32("ms"), [TIME]),
    "time64_us": (pa.time64("us"), [TIME]),
    "time64_ns": (pa.time64("ns"), [TIME]),
    "timestamp_s": (pa.timestamp("s"), [0, -1]),
    "timestamp_ms_utc": (pa.timestamp("ms", tz="UTC"), [0, 1]),
    "timestamp_us_zone": (pa.timestamp("us", tz="Europe/Berlin"), [0, -1]),
    "timestamp_us_offset": (pa.timestamp("us", tz="+02:00"), [0, 1]),
    "timestamp_ns": (pa.timestamp("ns"), [1, -1]),
    "duration_s": (pa.duration("s"), [0, -1]),
    "duration_ns": (pa.duration("ns"), [1]),
    "decimal256": (pa.decimal256(76, 5), [Decimal("1e60")]),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), ["a", "b", "a"]),
    "dictionary_int8": (pa.dictionary(pa.int8(), pa.string()), ["a", "b", "a"]),
    "dictionary_of_int": (pa.dictionary(pa.int16(), pa.int64()), [7, 8, 7]),
    "list_of_dictionaries": (pa.list_(pa.dictionary(pa.int32(), pa.string())), [["a", "b"], []]),
    "map": (pa.map_(pa.string(), pa.int32()), [[], [("k", 1), ("l", None)]]),
    "fixed_list_of_ints": (pa.list_(pa.int64(), 2), [[1, 2]]),
    "fixed_list_of_null": (pa.list_(pa.float32(), 2), [[1.0, None]]),
    "fixed_list_of_lists": (pa.list_(pa.list_(pa.int32(), 2), 2), [[[1, 2], [3, 4]]]),
    "fixed_list_of_strings": (pa.list_(pa.string(), 2), [["a", "b"], ["", "c"]]),
    "string_view": (pa.string_view(), ["", "a text longer than twelve bytes"]),
    "binary_view": (pa.binary_view(), [b"", b"bytes that are more than twelve"]),
    "list_view": (pa.list_view(pa.int32()), [[1], []]),
    "empty_struct": (pa.struct([]), [{}]),
    "interval": (pa.month_day_nano_interval(), [(1, 2, 3)]),
    "decimal32": (pa.decimal32(5, 2), [Decimal("1.25")]),
}


def typed_table(kind: pa.DataType, values: list[Any]) -> pa.Table:
    """Return a table with a key and a column of a type: these values between two nulls."""
    column = _array([None, *values, None], kind)
    return pa.table({"id": pa.array(range(len(column)), pa.int64()), "value": column})


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if kind == pa.float16():
        return pa.array(values, pa.float32()).cast(kind)
    if pa.types.is_list(kind) and pa.types.is_dictionary(kind.value_type):
        return pa.array(values, pa.list_(kind.value_type.value_type)).cast(kind)
    return pa.array(values, kind)


def kinds() -> SearchStrategy[tuple[pa.DataType, SearchStrategy[Any]]]:
    """Draw a type and the strategy for its values: core types, lists of them, structs of both.

    Lists of structs are those of CORE only: Lance 14 cannot read back every null struct in a list.
    """
    lists = st.recursive(_leaves([name for name in CORE if "struct" not in name]), _lists, max_leaves=2)
    return st.recursive(_leaves(CORE) | lists, _structs, max_leaves=3)


def _leaves(names: Iterable[str]) -> SearchStrategy[Any]:
    return st.sampled_from(sorted(names)).map(lambda name: (CORE[name][0], st.sampled_from([None, *CORE[name][1]])))


def _lists(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return inner.map(lambda item: (pa.list_(item[0]), st.none() | st.lists(item[1], max_size=2)))


def _structs(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    def struct(fields: list[Any]) -> tuple[pa.DataType, SearchStrategy[Any]]:
        named = {f"f{index}": field for index, field in enumerate(fields)}
        values = st.fixed_dictionaries({name: field[1] for name, field in named.items()})
        return pa.struct([(name, field[0]) for name, field in named.items()]), st.none() | values

    return st.lists(inner, min_size=1, max_size=2).map(struct)


@st.composite
def arrow_tables(draw: Any, count: int = 1) -> list[pa.Table]:
    """Draw `count` tables of one schema, each with rows in its own batches; the keys count up from 0."""
    columns = draw(st.lists(kinds(), min_size=1, max_size=3))
    drawn, first = [], 0
    for _ in range(count):
        sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(any))
        batches = []
        for rows in sizes:
            values = [draw(st.lists(column[1], min_size=rows, max_size=rows)) for column in columns]
            arrays = [pa.array(range(first, first + rows), pa.int64())]
            arrays += [pa.array(given, column[0]) for given, column in zip(values, columns, strict=True)]
            batches.append(pa.record_batch(arrays, names=["id", *(f"c{index}" for index in range(len(columns)))]))
            first += rows
        drawn.append(pa.Table.from_batches(batches))
    return drawn


def read_table(catalog: LanceCatalog, id: Names) -> pa.Table:
    """Return all rows of a table. Raises Violation when the rows or the column names cannot be read."""
    table = read_file(catalog.query_table(id, vector={}, k=ALL_ROWS).body)
    try:
        list(table.column_names)
    except ValueError:
        raise Violation("the columns of the rows have names that are no text") from None
    return table


def rows_of(*tables: pa.Table) -> list[tuple[str, ...]]:
    """Return the rows of tables as text, ordered by key, so that values of any type can be compared.

    Text distinguishes -0.0 from 0.0 and is the same for every encoding of a column.
    """
    return sorted(row for table in tables for row in zip(*map(_texts, table.columns), strict=True))


def same_rows(actual: pa.Table, *expected: pa.Table) -> None:
    """Check that a table has the rows of the expected tables, in any order."""
    if rows_of(actual) != rows_of(*expected):
        same_items(_readable_rows(actual), _readable_rows(*expected), "the rows of the table")
        raise Violation("the rows of the table: their values are of another type than those that were sent")


def columns_of(table: pa.Table) -> dict[str, list[Any]]:
    """Return the values of each column by its name."""
    return dict(zip(table.column_names, map(_values, table.columns), strict=True))


def _texts(column: pa.ChunkedArray) -> Iterator[str]:
    return map(repr, _values(column))


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column. Raises Violation when Python cannot represent them."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time64(kind):
        column = column.cast(pa.int64())  # Python's own types are too coarse
    try:
        return list(column.to_pylist())
    except (pa.ArrowException, ArithmeticError, LookupError, ValueError):
        raise Violation(f"a column of type {kind} has values that cannot be read") from None


def _readable_rows(*tables: pa.Table) -> list[dict[str, Any]]:
    return [
        dict(zip(table.column_names, map(_readable, row), strict=True))
        for table in tables
        for row in zip(*map(_values, table.columns), strict=True)
    ]


def _readable(value: Any) -> Any:
    """Return a value with bytes as hex and infinities as text, so that JSON can show it."""
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _readable(item) for name, item in value.items()}
    return [_readable(item) for item in value] if isinstance(value, list | tuple) else value
