"""Tables for scans: the suite writes their files and manifests and commits their snapshots itself.

Each commit carries over the manifests of its parent, as engines do, so that a snapshot has the files of all
previous ones. Such tables need files that can be reached from here.
"""

from __future__ import annotations

import struct
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import fastavro

from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import now_ms
from conformance.iceberg.support.files import UNWRITTEN, UnwrittenFiles, unreachable
from conformance.iceberg.support.metadata import MAIN, Metadata, by_id, current_schema
from conformance.iceberg.support.scans.avro import partition_fields, source_column
from conformance.iceberg.support.scans.files import (
    PATH_FIELD,
    POSITION_DELETE_FIELDS,
    deletion_vector,
    puffin_file,
    statistics,
)
from conformance.iceberg.support.scans.manifests import (
    ADDED,
    DATA,
    DELETED,
    EQUALITY_DELETES,
    EXISTING,
    POSITION_DELETES,
    ManifestEntry,
    Row,
    Statistics,
    WrittenFile,
    WrittenManifest,
    list_bytes,
    list_record,
    manifest_bytes,
)
from conformance.iceberg.support.scans.parquet import parquet_file
from conformance.iceberg.support.scans.transforms import transformed
from conformance.iceberg.support.staging import FIRST, Stage, stage
from conformance.iceberg.support.updates import append
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

MANY = 1100  # data files, more than servers put into one response
UNUSABLE = (  # errors of writing a file for unexpected columns and partition fields
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    fastavro.schema.SchemaParseException,
    TypeError,
    ValueError,
    struct.error,
)


@dataclass
class ScanTable:
    """Table and its committed snapshots. `manifests` is by snapshot, `heads` has the snapshot of each branch."""

    catalog: IcebergCatalog
    id: Names
    stage: Stage
    manifests: dict[int, list[WrittenManifest]] = field(default_factory=dict)
    heads: dict[str, int] = field(default_factory=dict)

    @property
    def metadata(self) -> Metadata:
        """The metadata after the last commit."""
        return self.stage.metadata

    @property
    def fields(self) -> list[dict[str, Any]]:
        """The columns of the current schema, with the ids that the server assigned."""
        fields: list[dict[str, Any]] = current_schema(self.metadata)["fields"]
        return fields

    def refresh(self) -> None:
        """Load metadata that another commit has changed."""
        self.stage = Stage(self.catalog.metadata(self.id), self.stage.location, self.stage.files)

    # Files

    def data(self, *rows: Row, spec_id: int | None = None, **more: Any) -> WrittenFile:
        """Write a data file of rows of one partition. `more` are further fields of WrittenFile."""
        chosen = self.metadata["default-spec-id"] if spec_id is None else spec_id
        content, known = _parquet(self.fields, rows)
        return WrittenFile(
            self._write("data", f"{uuid.uuid4()}.parquet", content),
            len(rows),
            len(content),
            spec_id=chosen,
            partition=self.partition(rows[0], chosen),
            **{"statistics": known, "rows": rows, **more},
        )

    def listed(self, count: int) -> list[WrittenFile]:
        """Return data files of an unpartitioned table that only manifests name and nobody writes."""
        return [
            WrittenFile(f"{self.metadata['location']}/data/{number:05}.parquet", 10, 1000) for number in range(count)
        ]

    def partition(self, row: Row, spec_id: int) -> tuple[Any, ...]:
        """Return the partition of a row, as typed values."""
        spec = by_id(self.metadata["partition-specs"], "spec-id", spec_id)
        with usable("the partition spec of the table does not fit its columns"):
            return tuple(self._transformed(part, row) for part in spec["fields"])

    def _transformed(self, partition_field: Mapping[str, Any], row: Row) -> Any:
        column = source_column(self.metadata, partition_field)
        return transformed(partition_field["transform"], row.get(column["name"]))

    def position_deletes(self, *files: WrittenFile, **more: Any) -> WrittenFile:
        """Write a position delete file for the first row of data files of one partition."""
        rows: list[Row] = [{"file_path": path, "pos": 0} for path in sorted(file.path for file in files)]
        return self._deletes(POSITION_DELETE_FIELDS, rows, files[0], content=POSITION_DELETES, **more)

    def equality_deletes(self, names: Sequence[str], row: Row, like: WrittenFile) -> WrittenFile:
        """Write an equality delete file with a row's values in these columns, in the partition of a file."""
        fields = [column for column in self.fields if column["name"] in names]
        ids = tuple(column["id"] for column in fields)
        rows: list[Row] = [{name: row[name] for name in names}]
        return self._deletes(fields, rows, like, content=EQUALITY_DELETES, equality_ids=ids)

    def _deletes(self, fields: list[dict[str, Any]], rows: list[Row], like: WrittenFile, **more: Any) -> WrittenFile:
        content, known = _parquet(fields, rows)
        return WrittenFile(
            self._write("data", f"{uuid.uuid4()}-deletes.parquet", content),
            len(rows),
            len(content),
            spec_id=like.spec_id,
            partition=like.partition,
            statistics=known,
            rows=tuple(rows),
            **more,
        )

    def deletion_vector(self, file: WrittenFile, *positions: int) -> WrittenFile:
        """Write a deletion vector of a data file."""
        blob = deletion_vector(positions)
        content, offset = puffin_file(blob, referenced=file.path, count=len(positions))
        return WrittenFile(
            self._write("data", f"{uuid.uuid4()}.puffin", content),
            len(positions),
            len(content),
            content=POSITION_DELETES,
            spec_id=file.spec_id,
            partition=file.partition,
            format="PUFFIN",
            statistics=Statistics(
                lower_bounds={PATH_FIELD: file.path.encode()}, upper_bounds={PATH_FIELD: file.path.encode()}
            ),
            referenced_data_file=file.path,
            content_offset=offset,
            content_size_in_bytes=len(blob),
        )

    # Commits

    def commit(self, *added: WrittenFile, removed: Collection[WrittenFile] = (), branch: str = MAIN) -> int:
        """Commit a snapshot on a branch that adds files to its parent and removes others, and return its id.

        The catalog only accepts or rejects the commit.
        """
        snapshot = FIRST + len(self.manifests)
        sequence = (self.metadata.get("last-sequence-number") or 0) + 1
        parent = self.heads.get(branch, self.heads.get(MAIN))
        kept = list(self._carried(self.manifests.get(parent or 0, []), removed, snapshot, sequence))
        self.manifests[snapshot] = [*kept, *self._added(added, snapshot, sequence)]
        self.heads[branch] = snapshot
        described = self._describe(snapshot, sequence, parent, added, appends=not removed)
        with self.catalog.client.preparing():
            answer = self.catalog.update_table(self.id, append(described, branch))
        self.stage = Stage(answer["metadata"], self.stage.location, self.stage.files)
        return snapshot

    def _carried(
        self, manifests: Sequence[WrittenManifest], removed: Collection[WrittenFile], snapshot: int, sequence: int
    ) -> Iterator[WrittenManifest]:
        """Yield the manifests of the parent, rewriting those with removed files."""
        for manifest in manifests:
            alive = [entry for entry in manifest.entries if entry.status != DELETED]
            if not any(entry.file in removed for entry in alive):
                yield manifest
                continue
            entries = [
                ManifestEntry(DELETED, snapshot, entry.sequence, entry.file)
                if entry.file in removed
                else ManifestEntry(EXISTING, entry.snapshot, entry.sequence, entry.file)
                for entry in alive
            ]
            yield self._manifest(entries, snapshot, sequence)

    def _added(self, files: Sequence[WrittenFile], snapshot: int, sequence: int) -> Iterator[WrittenManifest]:
        kinds = dict.fromkeys((file.content == DATA, file.spec_id) for file in files)
        for kind in kinds:
            alike = [file for file in files if (file.content == DATA, file.spec_id) == kind]
            yield self._manifest([ManifestEntry(ADDED, snapshot, sequence, file) for file in alike], snapshot, sequence)

    def _manifest(self, entries: Sequence[ManifestEntry], snapshot: int, sequence: int) -> WrittenManifest:
        spec_id, deletes = entries[0].file.spec_id, entries[0].file.content != DATA
        with usable("the schemas and partition specs of the table do not fit the files that were written for it"):
            content = manifest_bytes(self.metadata, spec_id, entries, deletes=deletes)
            path = self._write("metadata", f"{uuid.uuid4()}-m0.avro", content)
            fields = partition_fields(self.metadata, spec_id)
            record = list_record(path, len(content), spec_id, sequence, snapshot, entries, fields)
        if self.metadata["format-version"] > 2 and not deletes:
            record["first_row_id"] = self.metadata["next-row-id"]
        return WrittenManifest(record, tuple(entries))

    def _describe(
        self, snapshot: int, sequence: int, parent: int | None, added: Sequence[WrittenFile], *, appends: bool
    ) -> Metadata:
        """Write the manifest list of a snapshot and return the snapshot."""
        version = self.metadata["format-version"]
        rows = sum(file.record_count for file in added if file.content == DATA)
        only_data = all(file.content == DATA for file in added)
        return {
            "snapshot-id": snapshot,
            **({} if parent is None else {"parent-snapshot-id": parent}),
            **({} if version == 1 else {"sequence-number": sequence}),
            **({} if version < 3 else {"first-row-id": self.metadata["next-row-id"], "added-rows": rows}),
            "timestamp-ms": now_ms(),
            "manifest-list": self._write(
                "metadata", f"snap-{snapshot}-{uuid.uuid4()}.avro", list_bytes(self.metadata, self.manifests[snapshot])
            ),
            "summary": {"operation": "append" if appends and only_data else "overwrite"},
            "schema-id": self.metadata["current-schema-id"],
        }

    def live(self, snapshot: int | None = None) -> list[ManifestEntry]:
        """Return the entries of all live files of a snapshot, by default of the newest one on main."""
        chosen = self.heads[MAIN] if snapshot is None else snapshot
        return [entry for manifest in self.manifests[chosen] for entry in manifest.entries if entry.status != DELETED]

    def data_file(self, path: str) -> WrittenFile:
        """Return a live data file of the newest snapshot on main. Raises Violation for an unknown path."""
        file = self.data_files().get(path)
        if file is None:
            raise Violation(f"{shown(path)} is no file of the table")
        return file

    def data_files(self, snapshot: int | None = None) -> dict[str, WrittenFile]:
        """Return the live data files of a snapshot by path."""
        return {entry.file.path: entry.file for entry in self.live(snapshot) if entry.file.content == DATA}

    def _write(self, kind: str, name: str, content: bytes) -> str:
        """Write a file below the table's location and return its location."""
        return self.stage.write(kind, name, content)


def _parquet(fields: list[dict[str, Any]], rows: Sequence[Row]) -> tuple[bytes, Statistics]:
    """Return a Parquet file of rows, and its statistics for manifests."""
    with usable("the columns of the table do not fit the rows that were written to it"):
        content, sizes = parquet_file(fields, rows)
        return content, statistics(fields, rows, sizes)


@contextmanager
def usable(otherwise: str) -> Iterator[None]:
    """Raise Violation instead of errors of using metadata that the server returned and nobody requested."""
    try:
        yield
    except UNUSABLE:
        raise Violation(otherwise) from None


def new_scan_table(
    catalog: IcebergCatalog, schema: Mapping[str, Any], spec: Mapping[str, Any] | None = None, *, version: int = 2
) -> ScanTable:
    """Create a table without snapshots. Raises Skipped where its files cannot be reached from here."""
    partitioned: dict[str, Any] = {} if spec is None else {"partition_spec": spec}
    id = catalog.new_table(schema=schema, properties={"format-version": str(version)}, **partitioned)
    made = stage(catalog, id)
    if isinstance(made.files, UnwrittenFiles):
        raise unreachable(UNWRITTEN)
    return ScanTable(catalog, id, made)
