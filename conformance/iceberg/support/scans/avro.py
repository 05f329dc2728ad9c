"""Avro schemas of manifests and manifest lists in each format version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import find
from conformance.iceberg.support.metadata import Metadata, by_id
from conformance.iceberg.support.scans.transforms import result_type
from conformance.iceberg.support.scans.values import base, parameters
from conformance.values.json_values import shown

LAST_VERSION = 3
# Name, type, field id, and the first and last format version with the field.
AvroField = tuple[str, Any, int, int, int]


def _optional(type: Any) -> list[Any]:
    return ["null", type]


def _map(key: int, value: int, type: str) -> list[Any]:
    fields = [{"name": "key", "type": "int", "field-id": key}, {"name": "value", "type": type, "field-id": value}]
    items = {"type": "record", "name": f"k{key}_v{value}", "fields": fields}
    return _optional({"type": "array", "logicalType": "map", "items": items})


def _list(element: int, items: Any) -> list[Any]:
    return _optional({"type": "array", "items": items, "element-id": element})


SUMMARY = {
    "type": "record",
    "name": "r508",
    "fields": [
        {"name": "contains_null", "type": "boolean", "field-id": 509},
        {"name": "contains_nan", "type": _optional("boolean"), "field-id": 518},
        {"name": "lower_bound", "type": _optional("bytes"), "field-id": 510},
        {"name": "upper_bound", "type": _optional("bytes"), "field-id": 511},
    ],
}
LIST_FIELDS: tuple[AvroField, ...] = (
    ("manifest_path", "string", 500, 1, LAST_VERSION),
    ("manifest_length", "long", 501, 1, LAST_VERSION),
    ("partition_spec_id", "int", 502, 1, LAST_VERSION),
    ("content", "int", 517, 2, LAST_VERSION),
    ("sequence_number", "long", 515, 2, LAST_VERSION),
    ("min_sequence_number", "long", 516, 2, LAST_VERSION),
    ("added_snapshot_id", "long", 503, 1, LAST_VERSION),
    ("added_files_count", "int", 504, 1, LAST_VERSION),
    ("existing_files_count", "int", 505, 1, LAST_VERSION),
    ("deleted_files_count", "int", 506, 1, LAST_VERSION),
    ("added_rows_count", "long", 512, 1, LAST_VERSION),
    ("existing_rows_count", "long", 513, 1, LAST_VERSION),
    ("deleted_rows_count", "long", 514, 1, LAST_VERSION),
    ("partitions", _list(508, SUMMARY), 507, 1, LAST_VERSION),
    ("first_row_id", _optional("long"), 520, 3, LAST_VERSION),
)
ENTRY_FIELDS: tuple[AvroField, ...] = (
    ("status", "int", 0, 1, LAST_VERSION),
    ("snapshot_id", _optional("long"), 1, 1, LAST_VERSION),
    ("sequence_number", _optional("long"), 3, 2, LAST_VERSION),
    ("file_sequence_number", _optional("long"), 4, 2, LAST_VERSION),
)
FILE_FIELDS: tuple[AvroField, ...] = (
    ("content", "int", 134, 2, LAST_VERSION),
    ("file_path", "string", 100, 1, LAST_VERSION),
    ("file_format", "string", 101, 1, LAST_VERSION),
    ("partition", None, 102, 1, LAST_VERSION),
    ("record_count", "long", 103, 1, LAST_VERSION),
    ("file_size_in_bytes", "long", 104, 1, LAST_VERSION),
    ("block_size_in_bytes", "long", 105, 1, 1),
    ("column_sizes", _map(117, 118, "long"), 108, 1, LAST_VERSION),
    ("value_counts", _map(119, 120, "long"), 109, 1, LAST_VERSION),
    ("null_value_counts", _map(121, 122, "long"), 110, 1, LAST_VERSION),
    ("nan_value_counts", _map(138, 139, "long"), 137, 1, LAST_VERSION),
    ("lower_bounds", _map(126, 127, "bytes"), 125, 1, LAST_VERSION),
    ("upper_bounds", _map(129, 130, "bytes"), 128, 1, LAST_VERSION),
    ("key_metadata", _optional("bytes"), 131, 1, LAST_VERSION),
    ("split_offsets", _list(133, "long"), 132, 1, LAST_VERSION),
    ("equality_ids", _list(136, "int"), 135, 2, LAST_VERSION),
    ("sort_order_id", _optional("int"), 140, 1, LAST_VERSION),
    ("first_row_id", _optional("long"), 142, 3, LAST_VERSION),
    ("referenced_data_file", _optional("string"), 143, 2, LAST_VERSION),
    ("content_offset", _optional("long"), 144, 3, LAST_VERSION),
    ("content_size_in_bytes", _optional("long"), 145, 3, LAST_VERSION),
)
MAPS = ("column_sizes", "value_counts", "null_value_counts", "nan_value_counts", "lower_bounds", "upper_bounds")
V1_BLOCK_SIZE = 64 << 20  # required in version 1, ignored by readers
PARTITION_TYPES: dict[str, Callable[[int, str], Any]] = {
    "date": lambda id, type: {"type": "int", "logicalType": "date"},
    "time": lambda id, type: {"type": "long", "logicalType": "time-micros"},
    "timestamp": lambda id, type: {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": False},
    "timestamptz": lambda id, type: {"type": "long", "logicalType": "timestamp-micros", "adjust-to-utc": True},
    "binary": lambda id, type: "bytes",
    "uuid": lambda id, type: {"type": "fixed", "name": f"uuid_{id}", "size": 16, "logicalType": "uuid"},
    "fixed": lambda id, type: {"type": "fixed", "name": f"fixed_{id}", "size": parameters(type)[0]},
    "decimal": lambda id, type: {
        "type": "fixed",
        "name": f"decimal_{id}",
        "size": _decimal_size(parameters(type)[0]),
        "logicalType": "decimal",
        "precision": parameters(type)[0],
        "scale": parameters(type)[1],
    },
}


def _decimal_size(precision: int) -> int:
    """Return the number of bytes for any decimal of a precision."""
    largest: int = 10**precision - 1
    return largest.bit_length() // 8 + 1


def list_schema(version: int) -> dict[str, Any]:
    """Return the schema of manifest lists of a format version."""
    return _record("manifest_file", LIST_FIELDS, version)


def manifest_schema(version: int, fields: Sequence[TypedPartitionField]) -> dict[str, Any]:
    """Return the schema of manifests of a format version, for a partition spec with these fields."""
    partition = _partition_record(fields)
    file_fields = [(field[0], partition, *field[2:]) if field[0] == "partition" else field for field in FILE_FIELDS]
    data_file = ("data_file", _record("r2", file_fields, version), 2, 1, LAST_VERSION)
    return _record("manifest_entry", [*ENTRY_FIELDS, data_file], version)


def _record(name: str, fields: Sequence[AvroField], version: int) -> dict[str, Any]:
    described = [
        {"name": name, "type": type, "field-id": id, **({"default": None} if isinstance(type, list) else {})}
        for name, type, id, first, last in fields
        if first <= version <= last
    ]
    return {"type": "record", "name": name, "fields": described}


@dataclass(frozen=True, slots=True)
class TypedPartitionField:
    """Field of a partition spec with the type of its values."""

    id: int
    name: str
    transform: str
    type: str


def partition_fields(metadata: Metadata, spec_id: int) -> list[TypedPartitionField]:
    """Return the fields of a partition spec in order."""
    return [
        TypedPartitionField(
            field["field-id"],
            field["name"],
            field["transform"],
            result_type(field["transform"], source_column(metadata, field)["type"]),
        )
        for field in by_id(metadata["partition-specs"], "spec-id", spec_id)["fields"]
    ]


def source_column(metadata: Metadata, partition_field: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the source column of a partition field. Raises Violation when no schema has it."""
    columns: list[Mapping[str, Any]] = [column for schema in metadata["schemas"] for column in schema["fields"]]
    id = partition_field["source-id"]
    return find(reversed(columns), lambda column: column["id"] == id, f"the column {shown(id)} of the partition spec")


def _partition_record(fields: Sequence[TypedPartitionField]) -> dict[str, Any]:
    described = [
        (field.name, _optional(_partition_type(field)), field.id, 1, LAST_VERSION)  # any value may be null
        for field in fields
    ]
    return _record("r102", described, LAST_VERSION)


def _partition_type(field: TypedPartitionField) -> Any:
    described = PARTITION_TYPES.get(base(field.type))
    return described(field.id, field.type) if described else field.type
