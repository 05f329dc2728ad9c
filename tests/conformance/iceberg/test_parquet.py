"""Parquet files of the suite: read by pyarrow and DuckDB, they have the rows that were written."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.iceberg.support.scans.parquet import parquet_file

MOMENT = datetime(2024, 2, 29, 12, 34, 56, 789_012)
VALUES = {
    "boolean": [True, None, False, True, True, False, None, True, False, True],
    "int": [-1, None, 2**31 - 1],
    "long": [-(2**63), 0, None],
    "float": [0.5, None, float("inf")],
    "double": [None, -1e300],
    "date": [date(1969, 12, 31), None, date(2024, 2, 29)],
    "time": [time(23, 59, 59, 999_999), None],
    "timestamp": [MOMENT, None],
    "timestamptz": [MOMENT.replace(tzinfo=UTC), None],
    "string": ["", "ünï", None],
    "binary": [b"\0\xff", b"", None],
    "fixed[3]": [b"abc", None],
    "uuid": [UUID(int=2**127), None],
    "decimal(9, 2)": [Decimal("-1234567.89"), None],
    "decimal(38, 0)": [Decimal("9" * 38), Decimal("-" + "9" * 38)],
}
ITEMS = {"type": "list", "element-id": 2, "element": "int", "element-required": False}
PAIRS = {"type": "map", "key-id": 2, "key": "string", "value-id": 3, "value": ITEMS | {"element-id": 4}}
FIELDS = [{"id": 2, "name": "a", "type": "string"}, {"id": 3, "name": "l", "type": ITEMS | {"element-id": 4}}]
STRUCT = {"type": "struct", "fields": FIELDS}
NESTED = {
    "struct": (STRUCT, [{"a": "x", "l": [1, None]}, None, {"a": None, "l": None}, {"a": "y", "l": []}]),
    "list": (ITEMS, [[1, 2], None, [], [None], [3]]),
    "map": (PAIRS, [[("a", [1]), ("b", None)], None, [], [("c", [])]]),
    "structs": (ITEMS | {"element-id": 9, "element": STRUCT}, [[{"a": "x", "l": [7]}, None], [], [{"a": "", "l": []}]]),
}
CASES = {name: (name, values) for name, values in VALUES.items()} | NESTED


def read(content):
    return pq.read_table(io.BytesIO(content))


@pytest.mark.parametrize(("type", "values"), CASES.values(), ids=CASES)
def test_rows_are_read_as_they_were_written(type, values, tmp_path):
    content, sizes = parquet_file([{"id": 1, "name": "c", "type": type}], [{"c": value} for value in values])
    table = read(content)
    assert table.column("c").to_pylist() == values
    assert table.schema.field("c").metadata[b"PARQUET:field_id"] == b"1"
    size = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).column(0).total_compressed_size
    assert sizes.get(1) == (size if isinstance(type, str) else None)
    path = tmp_path / "f.parquet"
    path.write_bytes(content)
    counted = duckdb.execute("select count(*), count(c) from read_parquet(?)", [str(path)]).fetchone()
    assert counted == (len(values), len(values) - values.count(None))


def test_a_file_of_many_columns_and_rows_is_read():
    fields = [{"id": number, "name": f"c{number}", "type": "long"} for number in range(1, 40)]
    rows = [{f"c{number}": number * row for number in range(1, 40)} for row in range(300)]
    assert read(parquet_file(fields, rows)[0]).to_pylist() == rows


def test_a_file_without_rows_has_its_columns():
    content, sizes = parquet_file([{"id": 1, "name": "c", "type": "timestamptz"}], [])
    assert (read(content).schema.field("c").type, len(read(content)), sizes) == (pa.timestamp("us", "UTC"), 0, {})
