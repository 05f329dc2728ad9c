"""Manifests and manifest lists as Avro files, for every format version and any partition spec."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

import fastavro

from conformance.iceberg.support.metadata import Metadata, by_id
from conformance.iceberg.support.scans.avro import (
    MAPS,
    V1_BLOCK_SIZE,
    TypedPartitionField,
    list_schema,
    manifest_schema,
    partition_fields,
)
from conformance.iceberg.support.scans.values import base, days, is_nan, micros, packed

Row = Mapping[str, Any]
DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
EXISTING, ADDED, DELETED = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of a file's columns in a manifest, by column id; bounds are bytes."""

    column_sizes: Mapping[int, int] = field(default_factory=dict)
    value_counts: Mapping[int, int] = field(default_factory=dict)
    null_value_counts: Mapping[int, int] = field(default_factory=dict)
    nan_value_counts: Mapping[int, int] = field(default_factory=dict)
    lower_bounds: Mapping[int, bytes] = field(default_factory=dict)
    upper_bounds: Mapping[int, bytes] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WrittenFile:
    """Data or delete file in a manifest. `rows` has its rows, or () where they do not matter."""

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
class ManifestEntry:
    """File in a manifest, with its status, the snapshot of that status, and the sequence number of its data."""

    status: int
    snapshot: int
    sequence: int
    file: WrittenFile


@dataclass(frozen=True, slots=True)
class WrittenManifest:
    """Written manifest: its record in the manifest list, and its entries."""

    record: Mapping[str, Any]
    entries: tuple[ManifestEntry, ...]


def physical(value: Any) -> Any:
    """Return a value in its Avro form: dates and times as numbers, UUIDs as bytes."""
    if isinstance(value, datetime | time):
        return micros(value)
    if isinstance(value, date):
        return days(value)
    return value.bytes if isinstance(value, UUID) else value


def manifest_bytes(metadata: Metadata, spec_id: int, entries: Sequence[ManifestEntry], *, deletes: bool) -> bytes:
    """Return the Avro file of a manifest: entries of one partition spec, either data or deletes."""
    version, fields = metadata["format-version"], partition_fields(metadata, spec_id)
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
    return _avro(manifest_schema(version, fields), records, header)


def _entry_record(entry: ManifestEntry, fields: Sequence[TypedPartitionField]) -> dict[str, Any]:
    inherited = entry.status == ADDED  # the commit assigns the sequence number
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
            "partition": {part.name: physical(value) for part, value in zip(fields, file.partition, strict=True)},
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


def list_bytes(metadata: Metadata, manifests: Sequence[WrittenManifest]) -> bytes:
    """Return the Avro file of a manifest list."""
    version = metadata["format-version"]
    records = [manifest.record for manifest in manifests]
    return _avro(list_schema(version), records, {"format-version": str(version)})


def list_record(
    path: str, length: int, spec_id: int, sequence: int, snapshot: int, entries: Sequence[ManifestEntry], fields: Any
) -> dict[str, Any]:
    """Return the record of a manifest in a manifest list; `fields` are those of its partition spec."""
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
            _summary(part.type, [entry.file.partition[position] for entry in entries])
            for position, part in enumerate(fields)
        ],
        "first_row_id": None,
    }


def _summary(type: str, values: Sequence[Any]) -> dict[str, Any]:
    """Return the bounds of a partition field's values, with flags for null and NaN."""
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
