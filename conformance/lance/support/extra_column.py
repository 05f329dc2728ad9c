"""A further column of tables, with data that most requirements have not: nulls, extremes, lists, vectors.

Streams of a world with such data get the column, and what is read loses it after a check of its values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from conformance.values.outcomes import Violation

EXTRA = "lakeproof_column"  # the name of the column


@dataclass(frozen=True, slots=True)
class KindOfData:
    """The data of the column: its type and its values, which the rows have in turn. `words` are those of a finding.

    Most tables have three rows: the values that matter most come first.
    """

    words: str
    type: pa.DataType
    values: Sequence[Any]

    def column(self, rows: int, first: int = 0) -> pa.Array:
        """Return the column for some rows."""
        return pa.array([self.values[place % len(self.values)] for place in range(first, first + rows)], self.type)

    def widen(self, table: pa.Table) -> pa.Table:
        """Return a table with the column."""
        return table.append_column(EXTRA, self.column(table.num_rows))


KINDS_OF_DATA: Mapping[str, KindOfData] = {
    "nulls": KindOfData("for a table with nulls", pa.string(), [None, "value", None]),
    "texts": KindOfData("for a table with unusual texts", pa.string(), ["x" * 300, "", "it's 'quoted' ünïcode ✓\n"]),
    "floats": KindOfData(
        "for a table with NaN and infinity", pa.float64(), [math.nan, math.inf, -math.inf, -0.0, 5e-324]
    ),
    "integers": KindOfData("for a table with the largest integers", pa.int64(), [2**63 - 1, -(2**63), 0, 2**53 + 1]),
    "lists": KindOfData("for a table with lists", pa.list_(pa.string()), [[], None, ["a", None, ""]]),
    "vectors": KindOfData(
        "for a table with a further vector column",
        pa.list_(pa.float32(), 3),
        [[0.5, -1.0, 2.0], None, [0.0, 0.0, 0.0]],
    ),
    "structs": KindOfData(
        "for a table with structs",
        pa.struct([("a", pa.int32()), ("b", pa.string())]),
        [{"a": 1, "b": None}, {"a": None, "b": "x"}],
    ),
    "times": KindOfData(
        "for a table with times",
        pa.timestamp("us", tz="UTC"),
        [datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), None, datetime(2262, 4, 12, tzinfo=UTC)],
    ),
    "bytes": KindOfData("for a table with bytes", pa.binary(), [b"", None, b"\x00\xff"]),
}
_OF_TYPE: dict[pa.DataType, list[Any]] = {}
for _kind in KINDS_OF_DATA.values():
    _OF_TYPE.setdefault(_kind.type, []).extend(_kind.column(len(_kind.values)).to_pylist())


def widened(body: bytes, kind: KindOfData) -> bytes:
    """Return an Arrow stream with the column in all of its batches; bytes that are not such a stream unchanged."""
    sink = pa.BufferOutputStream()
    try:
        with pa.ipc.open_stream(body) as reader:
            schema = reader.schema.append(pa.field(EXTRA, kind.type))
            if EXTRA in reader.schema.names:
                return body
            with pa.ipc.new_stream(sink, schema) as writer:
                first = 0
                for batch in reader:
                    columns = [*batch.columns, kind.column(batch.num_rows, first)]
                    writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
                    first += batch.num_rows
    except (pa.ArrowException, OSError, ValueError):
        return body
    wide: bytes = sink.getvalue().to_pybytes()
    return wide


def narrowed(table: pa.Table) -> pa.Table:
    """Return a table that was read without the column. Raises Violation for values that no row had."""
    if EXTRA not in table.column_names:
        return table
    column = table[EXTRA]
    known = {repr(value) for value in _OF_TYPE.get(column.type, [])}
    for value in column.to_pylist():
        if repr(value) not in known and value is not None:
            raise Violation(f"the column {EXTRA} has a value that was not inserted: {value!r}"[:300])
    return table.drop_columns([EXTRA])
