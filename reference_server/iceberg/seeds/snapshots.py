"""Snapshots of a seed: data files for each partition, a manifest, a manifest list, and the commit."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from reference_server.iceberg.context import Services
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.partitions import Spec, bound_specs
from reference_server.iceberg.seeds.avro import avro, bound, list_schema, manifest_schema
from reference_server.iceberg.seeds.rows import Column, Row, columns_of, parquet
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Planter, Step

ADDED = 1
MAIN = "main"
UNSUPPORTED = ("decimal", "timestamp_ns", "timestamptz_ns")  # of partition values
Partition = tuple[Any, ...]


def append(
    node: Node, rows: Sequence[Row], table: Mapping[str, str], find: Callable[[str | None], Services | None]
) -> Step:
    """Return the step that appends the rows of a place to a table that this seed creates, in one snapshot."""

    async def plant(planter: Planter) -> None:
        services = find(table.get("prefix"))
        assert services is not None  # the table has been created in it
        metadata = (await planter.call(node, "loadTable", table))["metadata"]
        previous = planter.notes.setdefault(tuple(sorted(table.items())), [])
        snapshot = await planter.run(_write, node, rows, metadata, services, previous)
        head = metadata.get("current-snapshot-id")
        changes = {
            "requirements": [
                {"type": "assert-table-uuid", "uuid": metadata["table-uuid"]},
                {"type": "assert-ref-snapshot-id", "ref": MAIN, "snapshot-id": None if head in (None, -1) else head},
            ],
            "updates": [
                {"action": "add-snapshot", "snapshot": snapshot},
                {
                    "action": "set-snapshot-ref",
                    "ref-name": MAIN,
                    "type": "branch",
                    "snapshot-id": snapshot["snapshot-id"],
                },
            ],
        }
        await planter.call(node, "updateTable", table, changes)

    return Step(node, plant)


def _write(node: Node, rows: Sequence[Row], metadata: Json, services: Services, previous: list[Json]) -> Json:
    """Write the files of a snapshot and return it; its manifest is added to the `previous` ones of the table."""
    version = metadata["format-version"]
    if version < 2:
        raise node.problem("rows need a table of format version 2 or later")
    schema = next(each for each in metadata["schemas"] if each["schema-id"] == metadata["current-schema-id"])
    spec = bound_specs(metadata)[metadata["default-spec-id"]]
    fields = next(each for each in metadata["partition-specs"] if each["spec-id"] == spec.id)["fields"]
    columns = columns_of(schema)
    id, sequence = secrets.randbits(62) + 1, metadata["last-sequence-number"] + 1
    files = _data_files(metadata, columns, spec, rows, services, node)
    typed = [(field["name"], bound.id, bound.type) for field, bound in zip(fields, spec.fields, strict=True)]
    entries = [_entry(id, file, [name for name, *_ in typed]) for file in files]
    header = {
        "schema": json.dumps(schema),
        "schema-id": str(metadata["current-schema-id"]),
        "partition-spec": json.dumps(fields),
        "partition-spec-id": str(spec.id),
        "format-version": str(version),
        "content": "data",
    }
    folder = f"{metadata['location'].rstrip('/')}/metadata"
    path, content = f"{folder}/{uuid4()}-m0.avro", avro(manifest_schema(typed), entries, header)
    services.files.write_bytes(path, content)
    first = metadata.get("next-row-id", 0) if version > 2 else None
    previous.append(_listed(path, len(content), spec, id, sequence, files, first))
    manifest_list = f"{folder}/snap-{id}-1-{uuid4()}.avro"
    services.files.write_bytes(manifest_list, avro(list_schema(), previous, {"format-version": str(version)}))
    return _snapshot(metadata, id, sequence, manifest_list, files, len(rows), first)


def _data_files(
    metadata: Json, columns: Sequence[Column], spec: Spec, rows: Sequence[Row], services: Services, node: Node
) -> list[Json]:
    """Write a Parquet file for each partition; a partitioned table without rows gets none."""
    sources = {column.id: column.name for column in columns}
    for field in spec.fields:
        if field.source not in sources or field.transform is None or field.type.startswith(UNSUPPORTED):
            raise node.problem(f"rows cannot have partitions of type {field.type} or of nested columns")
    partitions: dict[Partition, list[Row]] = {}
    for row in rows:
        values = tuple(field.transform and field.transform.apply(row[sources[field.source]]) for field in spec.fields)
        partitions.setdefault(values, []).append(row)
    files = []
    for values, members in partitions.items():
        path = f"{metadata['location'].rstrip('/')}/data/{uuid4()}.parquet"
        content = parquet(columns, members)
        services.files.write_bytes(path, content)
        files.append({"path": path, "partition": values, "records": len(members), "size": len(content)})
    return files


def _entry(snapshot: int, file: Json, names: Sequence[str]) -> Json:
    return {
        "status": ADDED,
        "snapshot_id": snapshot,
        "sequence_number": None,
        "file_sequence_number": None,
        "data_file": {
            "content": 0,
            "file_path": file["path"],
            "file_format": "PARQUET",
            "partition": dict(zip(names, file["partition"], strict=True)),
            "record_count": file["records"],
            "file_size_in_bytes": file["size"],
        },
    }


def _listed(
    path: str, length: int, spec: Spec, snapshot: int, sequence: int, files: Sequence[Json], first_row: int | None
) -> Json:
    """Return the record of a manifest in a manifest list."""
    return {
        "manifest_path": path,
        "manifest_length": length,
        "partition_spec_id": spec.id,
        "content": 0,
        "sequence_number": sequence,
        "min_sequence_number": sequence,
        "added_snapshot_id": snapshot,
        "added_files_count": len(files),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": sum(file["records"] for file in files),
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [
            _summary(field.type, [file["partition"][at] for file in files]) for at, field in enumerate(spec.fields)
        ],
        "first_row_id": first_row,
    }


def _summary(column_type: str, values: Sequence[Any]) -> Json:
    """Return the summary of a partition field in a manifest: readers skip a manifest by its bounds."""
    present = sorted(value for value in values if value is not None)
    return {
        "contains_null": None in values,
        "lower_bound": bound(column_type, present[0]) if present else None,
        "upper_bound": bound(column_type, present[-1]) if present else None,
    }


def _snapshot(
    metadata: Json, id: int, sequence: int, manifest_list: str, files: Sequence[Json], rows: int, first: int | None
) -> Json:
    parent = metadata.get("current-snapshot-id")
    summary = {"operation": "append", "added-data-files": str(len(files)), "added-records": str(rows)}
    return {
        "snapshot-id": id,
        **({} if parent in (None, -1) else {"parent-snapshot-id": parent}),
        "sequence-number": sequence,
        "timestamp-ms": int(time.time() * 1000),
        "manifest-list": manifest_list,
        "summary": summary,
        "schema-id": metadata["current-schema-id"],
        **({} if first is None else {"first-row-id": first, "added-rows": rows}),
    }
