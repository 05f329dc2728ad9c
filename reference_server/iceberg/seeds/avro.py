"""Avro schemas of manifests and manifest lists for data files, in format versions 2 and 3."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from reference_server.iceberg.metadata.types import type_name, type_numbers

Field = tuple[str, Any, int]
SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        {"name": "contains_null", "type": "boolean", "field-id": 509},
        {"name": "contains_nan", "type": ["null", "boolean"], "default": None, "field-id": 518},
        {"name": "lower_bound", "type": ["null", "bytes"], "default": None, "field-id": 510},
        {"name": "upper_bound", "type": ["null", "bytes"], "default": None, "field-id": 511},
    ],
}
LIST_FIELDS: tuple[Field, ...] = (
    ("manifest_path", "string", 500),
    ("manifest_length", "long", 501),
    ("partition_spec_id", "int", 502),
    ("content", "int", 517),
    ("sequence_number", "long", 515),
    ("min_sequence_number", "long", 516),
    ("added_snapshot_id", "long", 503),
    ("added_files_count", "int", 504),
    ("existing_files_count", "int", 505),
    ("deleted_files_count", "int", 506),
    ("added_rows_count", "long", 512),
    ("existing_rows_count", "long", 513),
    ("deleted_rows_count", "long", 514),
    ("partitions", ["null", {"type": "array", "items": SUMMARY, "element-id": 508}], 507),
    ("first_row_id", ["null", "long"], 520),
)
ENTRY_FIELDS: tuple[Field, ...] = (
    ("status", "int", 0),
    ("snapshot_id", ["null", "long"], 1),
    ("sequence_number", ["null", "long"], 3),
    ("file_sequence_number", ["null", "long"], 4),
)
FILE_FIELDS: tuple[Field, ...] = (
    ("content", "int", 134),
    ("file_path", "string", 100),
    ("file_format", "string", 101),
    ("record_count", "long", 103),
    ("file_size_in_bytes", "long", 104),
)
TIMES = {"date": ("int", "date"), "time": ("long", "time-micros"), "timestamp": ("long", "timestamp-micros")}
PACKED = {"boolean": "?", "int": "i", "date": "i", "float": "f", "double": "d"}
PLAIN = {"int": "int", "boolean": "boolean", "float": "float", "double": "double", "string": "string"}


def list_schema() -> dict[str, Any]:
    """Return the schema of a manifest list."""
    return _record("manifest_file", LIST_FIELDS)


def manifest_schema(partition: Sequence[tuple[str, int, str]]) -> dict[str, Any]:
    """Return the schema of a manifest; `partition` has name, id and type of each partition field."""
    values = _record("r102", [(name, ["null", _avro_type(type, id)], id) for name, id, type in partition])
    data_file = _record("r2", [*FILE_FIELDS[:3], ("partition", values, 102), *FILE_FIELDS[3:]])
    return _record("manifest_entry", [*ENTRY_FIELDS, ("data_file", data_file, 2)])


def _record(name: str, fields: Sequence[Field]) -> dict[str, Any]:
    described = [
        {"name": name, "type": type, "field-id": id, **({"default": None} if isinstance(type, list) else {})}
        for name, type, id in fields
    ]
    return {"type": "record", "name": name, "fields": described}


def _avro_type(column_type: str, id: int) -> Any:
    name = type_name(column_type)
    if name in TIMES:
        physical, logical = TIMES[name]
        return {"type": physical, "logicalType": logical, **({"adjust-to-utc": False} if name == "timestamp" else {})}
    if name == "timestamptz":
        return {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True}
    if name in ("uuid", "fixed"):
        size = 16 if name == "uuid" else type_numbers(column_type)[0]
        return {"type": "fixed", "name": f"{name}_{id}", "size": size}
    return PLAIN.get(name, "bytes" if name == "binary" else "long")


def bound(column_type: str, value: Any) -> bytes:
    """Return a partition value in the bytes of a bound: single-value serialization of the table specification."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    return struct.pack(f"<{PACKED.get(type_name(column_type), 'q')}", value)


def avro(schema: dict[str, Any], records: Sequence[Mapping[str, Any]], header: Mapping[str, str]) -> bytes:
    """Return an Avro file."""
    import fastavro  # noqa: PLC0415 - slow to import, and only seeds with rows need it

    out = BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), records, metadata=dict(header))
    return out.getvalue()
