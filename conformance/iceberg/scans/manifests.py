"""Manifests and manifest lists as Avro files, for every format version and any partition spec."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

import fastavro

from conformance.iceberg.metadata import Metadata, by_id
from conformance.iceberg.scans.transforms import result_type
from conformance.iceberg.scans.values import base, days, is_nan, micros, packed, parameters

Row = Mapping[str, Any]
DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
EXISTING, ADDED, DELETED = 0, 1, 2
LAST_VERSION = 3


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a manifest says about the columns of a file, by their ids; bounds are bytes."""

    column_sizes: Mapping[int, int] = field(default_factory=dict)
    value_counts: Mapping[int, int] = field(default_factory=dict)
    null_value_counts: Mapping[int, int] = field(default_factory=dict)
    nan_value_counts: Mapping[int, int] = field(default_factory=dict)
    lower_bounds: Mapping[int, bytes] = field(default_factory=dict)
    upper_bounds: Mapping[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ContentFile:
    """A data or delete file as manifests name it. `rows` are what is in a data file, as far as that matters."""

    path: str
    record_count: int
    size: int
    content: int = DATA
    spec_id: int = 0
    partition: tuple[Any, ...] = ()
    statistics: Statistics = Statistics()
    rows: tuple[Row, ...] = ()
    format: str = "PARQUET"
    key_metadata: bytes | None = None
    split_offsets: tuple[int, ...] | None = None
    equality_ids: tuple[int, ...] | None = None
    sort_order_id: int | None = None
    referenced_data_file: str | None = None
    content_offset: int | None = None
    content_size_in_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a manifest: what became of it in which snapshot, and the sequence number of its data."""

    status: int
    snapshot: int
    sequence: int
    file: ContentFile


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest that is written: what the manifest list says of it, and its entries."""

    record: Mapping[str, Any]
    entries: tuple[Entry, ...]


# Avro schemas. Fields are: name, type, field id, first and last format version that have them.

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
V1_BLOCK_SIZE = 64 << 20  # readers ignore it, version 1 wants it
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
    """Return the bytes that hold any decimal of a precision."""
    return (10**precision - 1).bit_length() // 8 + 1


def _record(name: str, fields: Sequence[AvroField], version: int) -> dict[str, Any]:
    described = [
        {"name": name, "type": type, "field-id": id, **({"default": None} if isinstance(type, list) else {})}
        for name, type, id, first, last in fields
        if first <= version <= last
    ]
    return {"type": "record", "name": name, "fields": described}


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a partition spec: its transform, and the type of its values."""

    id: int
    name: str
    transform: str
    type: str


def partition_fields(metadata: Metadata, spec_id: int) -> list[PartitionField]:
    """Return the fields of a spec in their order."""
    types = {one["id"]: one["type"] for schema in metadata["schemas"] for one in schema["fields"]}
    return [
        PartitionField(
            one["field-id"], one["name"], one["transform"], result_type(one["transform"], types[one["source-id"]])
        )
        for one in by_id(metadata["partition-specs"], "spec-id", spec_id)["fields"]
    ]


def _partition_record(fields: Sequence[PartitionField]) -> dict[str, Any]:
    described = [
        (one.name, _optional(_partition_type(one)), one.id, 1, LAST_VERSION)  # any value may be null
        for one in fields
    ]
    return _record("r102", described, LAST_VERSION)


def _partition_type(one: PartitionField) -> Any:
    described = PARTITION_TYPES.get(base(one.type))
    return described(one.id, one.type) if described else one.type


def physical(value: Any) -> Any:
    """Return a value as Avro holds it: dates and times as numbers, UUIDs as bytes."""
    if isinstance(value, datetime | time):
        return micros(value)
    if isinstance(value, date):
        return days(value)
    return value.bytes if isinstance(value, UUID) else value


def manifest_bytes(metadata: Metadata, spec_id: int, entries: Sequence[Entry], *, deletes: bool) -> bytes:
    """Return the Avro file of a manifest: entries of one partition spec, data or deletes alone."""
    version, fields = metadata["format-version"], partition_fields(metadata, spec_id)
    file_fields = [
        (one[0], _partition_record(fields), *one[2:]) if one[0] == "partition" else one for one in FILE_FIELDS
    ]
    data_file = ("data_file", _record("r2", file_fields, version), 2, 1, LAST_VERSION)
    schema = by_id(metadata["schemas"], "schema-id", metadata["current-schema-id"])
    spec = by_id(metadata["partition-specs"], "spec-id", spec_id)
    header = {
        "schema": json.dumps(schema),
        "schema-id": str(metadata["current-schema-id"]),
        "partition-spec": json.dumps(spec["fields"]),
        "partition-spec-id": str(spec_id),
        "format-version": str(version),
        **({"content": "deletes" if deletes else "data"} if version > 1 else {}),
    }
    records = [_entry_record(entry, fields) for entry in entries]
    return _avro(_record("manifest_entry", [*ENTRY_FIELDS, data_file], version), records, header)


def _entry_record(entry: Entry, fields: Sequence[PartitionField]) -> dict[str, Any]:
    inherited = entry.status == ADDED  # the commit decides
    file = entry.file
    statistics = {name: _pairs(getattr(file.statistics, name)) for name in MAPS}
    plain = {
        name: getattr(file, name)
        for name in ("record_count", "content", "key_metadata", "sort_order_id", "referenced_data_file")
    }
    return {
        "status": entry.status,
        "snapshot_id": entry.snapshot,
        "sequence_number": None if inherited else entry.sequence,
        "file_sequence_number": None if inherited else entry.sequence,
        "data_file": {
            **plain,
            **statistics,
            "file_path": file.path,
            "file_format": file.format,
            "partition": {one.name: physical(value) for one, value in zip(fields, file.partition, strict=True)},
            "file_size_in_bytes": file.size,
            "block_size_in_bytes": V1_BLOCK_SIZE,
            "split_offsets": _items(file.split_offsets),
            "equality_ids": _items(file.equality_ids),
            "first_row_id": None,
            "content_offset": file.content_offset,
            "content_size_in_bytes": file.content_size_in_bytes,
        },
    }


def _pairs(values: Mapping[int, Any]) -> list[dict[str, Any]] | None:
    return [{"key": key, "value": value} for key, value in values.items()] if values else None


def _items(values: Sequence[int] | None) -> list[int] | None:
    return None if values is None else list(values)


def list_bytes(metadata: Metadata, manifests: Sequence[Manifest]) -> bytes:
    """Return the Avro file of a manifest list."""
    version = metadata["format-version"]
    records = [one.record for one in manifests]
    return _avro(_record("manifest_file", LIST_FIELDS, version), records, {"format-version": str(version)})


def list_record(
    path: str, length: int, spec_id: int, sequence: int, snapshot: int, entries: Sequence[Entry], fields: Any
) -> dict[str, Any]:
    """Return what a manifest list says of a manifest; `fields` are those of its partition spec."""
    counts = {
        name: [entry.file.record_count for entry in entries if entry.status == status]
        for name, status in (("added", ADDED), ("existing", EXISTING), ("deleted", DELETED))
    }
    return {
        "manifest_path": path,
        "manifest_length": length,
        "partition_spec_id": spec_id,
        "content": 0 if entries[0].file.content == DATA else 1,
        "sequence_number": sequence,
        "min_sequence_number": min(entry.sequence for entry in entries),
        "added_snapshot_id": snapshot,
        **{f"{name}_files_count": len(rows) for name, rows in counts.items()},
        **{f"{name}_rows_count": sum(rows) for name, rows in counts.items()},
        "partitions": [
            _summary(one.type, [entry.file.partition[position] for entry in entries])
            for position, one in enumerate(fields)
        ],
        "first_row_id": None,
    }


def _summary(type: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return between which bounds the values of a partition field are."""
    there = sorted(physical(value) for value in values if value is not None and not is_nan(value))
    types = {"date": "int", "time": "long", "timestamp": "long", "timestamptz": "long", "uuid": "binary"}
    plain = types.get(base(type), type)
    return {
        "contains_null": None in values,
        "contains_nan": any(map(is_nan, values)),
        "lower_bound": packed(plain, there[0]) if there else None,
        "upper_bound": packed(plain, there[-1]) if there else None,
    }


def _avro(schema: dict[str, Any], records: Sequence[Any], header: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), records, metadata=dict(header))
    return out.getvalue()
