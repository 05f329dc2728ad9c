"""Snapshots made without the target's help: manifests and manifest lists, written where its tables lie.

A commit only names the manifest list, but a server may read it. So there is always one, valid by the
table specification; where the files of a table cannot be reached from here, there are no snapshots.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import fastavro

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id
from conformance.iceberg.content import now_ms
from conformance.iceberg.metadata import Metadata, current_schema
from conformance.outcomes import Unoffered

ADDED = 1  # the status of a manifest entry
# Fields of a manifest list: name, Avro type, field id, and the format version that brought it.
LIST_FIELDS: tuple[tuple[str, Any, int, int], ...] = (
    ("manifest_path", "string", 500, 1),
    ("manifest_length", "long", 501, 1),
    ("partition_spec_id", "int", 502, 1),
    ("content", "int", 517, 2),
    ("sequence_number", "long", 515, 2),
    ("min_sequence_number", "long", 516, 2),
    ("added_snapshot_id", "long", 503, 1),
    ("added_files_count", "int", 504, 1),
    ("existing_files_count", "int", 505, 1),
    ("deleted_files_count", "int", 506, 1),
    ("added_rows_count", "long", 512, 1),
    ("existing_rows_count", "long", 513, 1),
    ("deleted_rows_count", "long", 514, 1),
    ("first_row_id", ["null", "long"], 520, 3),
)
FILE_FIELDS: tuple[tuple[str, Any, int, int], ...] = (
    ("content", "int", 134, 2),
    ("file_path", "string", 100, 1),
    ("file_format", "string", 101, 1),
    ("partition", {"type": "record", "name": "r102", "fields": []}, 102, 1),
    ("record_count", "long", 103, 1),
    ("file_size_in_bytes", "long", 104, 1),
)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file as manifests name it: where it is, its rows and its size in bytes."""

    path: str
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the files of an unpartitioned table go: as the table names the folder, and on this machine."""

    metadata: Metadata
    location: str
    folder: Path

    def snapshot(
        self,
        id: int,
        sequence: int = 1,
        *,
        parent: int | None = None,
        files: Sequence[DataFile] = (),
        **more: Any,
    ) -> Metadata:
        """Write a manifest list, with a manifest if there are files, and return the snapshot for a commit.

        The manifests of a parent are not carried over: the snapshot replaces all. `more` are its further
        fields, with `_` for `-`.
        """
        manifests = [self._manifest(id, sequence, files)] if files else []
        name = self._write(
            f"snap-{id}-{uuid.uuid4()}.avro", _record("manifest_file", self._known(LIST_FIELDS)), manifests, {}
        )
        version = {} if self.metadata["format-version"] == 1 else {"sequence-number": sequence}
        return {
            "snapshot-id": id,
            **({} if parent is None else {"parent-snapshot-id": parent}),
            **version,
            "timestamp-ms": now_ms(),
            "manifest-list": name,
            "summary": {"operation": "append" if parent is None else "overwrite"},
            "schema-id": self.metadata["current-schema-id"],
            **{key.replace("_", "-"): value for key, value in more.items()},
        }

    def _manifest(self, snapshot: int, sequence: int, files: Sequence[DataFile]) -> dict[str, Any]:
        """Write a manifest and return its entry for the list."""
        names = [("status", "int", 0), ("snapshot_id", ["null", "long"], 1), ("sequence_number", ["null", "long"], 3)]
        names += [("file_sequence_number", ["null", "long"], 4)]
        data_file = _record("r2", self._known(FILE_FIELDS))
        schema = _record("manifest_entry", [*names, ("data_file", data_file, 2)])
        path = self._write(
            f"{uuid.uuid4()}-m0.avro", schema, [_entry(snapshot, file) for file in files], self._header()
        )
        return {
            "manifest_path": path,
            "manifest_length": (self.folder / path.rpartition("/")[2]).stat().st_size,
            "partition_spec_id": 0,
            "content": 0,
            "sequence_number": sequence,
            "min_sequence_number": sequence,
            "added_snapshot_id": snapshot,
            "added_files_count": len(files),
            "existing_files_count": 0,
            "deleted_files_count": 0,
            "added_rows_count": sum(file.rows for file in files),
            "existing_rows_count": 0,
            "deleted_rows_count": 0,
            "first_row_id": None,
        }

    def _header(self) -> dict[str, str]:
        """Return what a manifest says about itself."""
        schema = current_schema(self.metadata)
        return {
            "schema": json.dumps(schema),
            "schema-id": str(schema.get("schema-id", 0)),
            "partition-spec": "[]",
            "partition-spec-id": "0",
            "format-version": str(self.metadata["format-version"]),
            "content": "data",
        }

    def _known(self, fields: Sequence[tuple[str, Any, int, int]]) -> list[tuple[str, Any, int]]:
        """Return the fields that the table's format version has."""
        return [field[:3] for field in fields if field[3] <= self.metadata["format-version"]]

    def _write(self, name: str, schema: Any, records: Sequence[Any], header: Mapping[str, str]) -> str:
        """Write an Avro file and return its location as the table names it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / name).open("wb") as out:
            fastavro.writer(out, fastavro.parse_schema(schema), records, metadata=dict(header))
        return f"{self.location}/{name}"


def _record(name: str, fields: Sequence[tuple[str, Any, int]]) -> dict[str, Any]:
    described = [{"name": field, "type": type, "field-id": id} for field, type, id in fields]
    return {"type": "record", "name": name, "fields": described}


def _entry(snapshot: int, file: DataFile) -> dict[str, Any]:
    data_file = {
        "content": 0,
        "file_path": file.path,
        "file_format": "PARQUET",
        "partition": {},
        "record_count": file.rows,
        "file_size_in_bytes": file.size,
    }
    return {
        "status": ADDED,
        "snapshot_id": snapshot,
        "sequence_number": None,  # inherited: the commit decides
        "file_sequence_number": None,
        "data_file": data_file,
    }


def stage(catalog: IcebergCatalog, id: Id) -> Stage:
    """Return where the files of a table go. Raises Unoffered where they cannot be reached from here."""
    answer = catalog.load_table(id)
    written = answer.get("metadata-location")
    if not written or not (path := local_path(written)) or not path.is_file():
        raise Unoffered("the files of the server's tables cannot be reached from here")
    metadata = answer["metadata"]
    location = f"{metadata['location'].rstrip('/')}/metadata"
    return Stage(metadata, location, local_path(location) or path.parent)


def local_path(uri: str) -> Path | None:
    """Return the path of a location on this machine, None for one elsewhere."""
    split = urlsplit(uri)
    if split.scheme == "":
        return Path(uri)
    return Path(unquote(split.path)) if split.scheme == "file" and split.netloc in ("", "localhost") else None
