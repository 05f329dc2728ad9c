"""Manifests and manifest lists written by hand: delete files of every kind, which PyIceberg cannot write."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastavro

DATA, POSITION, EQUALITY = range(3)
ADDED, EXISTING, DELETED = 1, 0, 2
PATH_COLUMN = 2147483546
OPTIONAL = {
    "lower_bounds": (125, "bytes"),
    "upper_bounds": (128, "bytes"),
    "null_value_counts": (110, "long"),
    "value_counts": (109, "long"),
}
LIST_FIELDS = [
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
    ("first_row_id", ["null", "long"], 520),
]


@dataclass
class File:
    """An entry of a manifest; `more` are its rarer fields by their names in manifests."""

    path: str
    content: int = DATA
    rows: int = 10
    partition: dict[str, Any] = field(default_factory=dict)
    status: int = ADDED
    sequence: int | None = None
    snapshot: int | None = None
    more: dict[str, Any] = field(default_factory=dict)


@dataclass
class Written:
    """A manifest to write; `partition` are the fields of its spec: name, Avro type, field id."""

    files: list[File]
    sequence: int
    spec: int = 0
    partition: list[tuple[str, Any, int]] = field(default_factory=list)
    snapshot: int = 0
    first_row: int | None = None
    counted: int | None = None
    entry: dict[str, Any] = field(default_factory=dict)


def snapshot(folder: Path, number: int, sequence: int, manifests: list[Written], **more: Any) -> dict[str, Any]:
    """Write the manifests of a snapshot and its list, and return it for a commit."""
    listed = [write(folder, manifest, number) for manifest in manifests]
    path = avro(folder, record("manifest_file", LIST_FIELDS), listed, {})
    return {
        "snapshot-id": number,
        "sequence-number": sequence,
        "timestamp-ms": int(time.time() * 1000),
        "manifest-list": path.as_uri(),
        "summary": {"operation": "append"},
        "schema-id": 0,
        **more,
    }


def write(folder: Path, manifest: Written, number: int) -> dict[str, Any]:
    """Write a manifest, once, and return its entry for the list."""
    if manifest.entry:
        return manifest.entry
    deletes = any(file.content != DATA for file in manifest.files)
    header = {
        "partition-spec-id": str(manifest.spec),
        "content": "deletes" if deletes else "data",
        "format-version": "2",
    }
    path = avro(folder, entry_schema(manifest), [entry(file, manifest) for file in manifest.files], header)
    counts = [sum(file.status == status for file in manifest.files) for status in (ADDED, EXISTING, DELETED)]
    names = [name for name, *_ in LIST_FIELDS]
    values = [path.as_uri(), path.stat().st_size, manifest.spec, int(deletes), manifest.sequence, manifest.sequence]
    numbers = counts if manifest.counted is None else (manifest.counted, 0, 0)
    values += [manifest.snapshot or number, *numbers, 0, 0, 0, manifest.first_row]
    manifest.entry.update(zip(names, values, strict=True))
    return manifest.entry


def entry_schema(manifest: Written) -> dict[str, Any]:
    data_file = [
        ("content", "int", 134),
        ("file_path", "string", 100),
        ("file_format", "string", 101),
        ("partition", record("r102", manifest.partition), 102),
        ("record_count", "long", 103),
        ("file_size_in_bytes", "long", 104),
        ("equality_ids", ["null", {"type": "array", "items": "int"}], 135),
        ("referenced_data_file", ["null", "string"], 143),
        ("content_offset", ["null", "long"], 144),
        ("content_size_in_bytes", ["null", "long"], 145),
        ("first_row_id", ["null", "long"], 142),
        *((name, ["null", map_of(id, value)], id) for name, (id, value) in OPTIONAL.items()),
    ]
    fields = [("status", "int", 0), ("snapshot_id", ["null", "long"], 1), ("sequence_number", ["null", "long"], 3)]
    return record("manifest_entry", [*fields, ("data_file", record("r2", data_file), 2)])


def map_of(id: int, value: str) -> dict[str, Any]:
    pair = record(f"k{id}", [("key", "int", 3 * id), ("value", value, 3 * id + 1)])
    return {"type": "array", "items": pair, "logicalType": "map"}


def entry(file: File, manifest: Written) -> dict[str, Any]:
    more = dict(file.more)
    file_format = more.pop("file_format", "PARQUET")
    written = {name: more.pop(name).items() for name in OPTIONAL if name in more}
    maps = {name: [{"key": key, "value": value} for key, value in pairs] for name, pairs in written.items()}
    data_file = {
        "content": file.content,
        "file_path": file.path,
        "file_format": file_format,
        "partition": file.partition,
        "record_count": file.rows,
        "file_size_in_bytes": 100,
        **more,
        **maps,
    }
    return {
        "status": file.status,
        "snapshot_id": file.snapshot,
        "sequence_number": file.sequence,
        "data_file": data_file,
    }


def record(name: str, fields: list[tuple[str, Any, int]]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t, "field-id": i} for n, t, i in fields]}


def avro(folder: Path, schema: Any, records: list[Any], header: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{uuid.uuid4()}.avro"
    with path.open("wb") as out:
        fastavro.writer(out, fastavro.parse_schema(json.loads(json.dumps(schema))), records, metadata=header)
    return path


def path_bounds(lower: str, upper: str) -> dict[str, Any]:
    """Return the bounds of the paths that a position delete file names."""
    return {"lower_bounds": {PATH_COLUMN: lower.encode()}, "upper_bounds": {PATH_COLUMN: upper.encode()}}
