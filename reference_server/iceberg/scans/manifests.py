"""Manifest lists and manifests: their entries with all inherited values filled in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.avro import Record, key, pairs, read_avro
from reference_server.iceberg.scans.partitions import BoundField, Spec, Summary
from reference_server.iceberg.scans.values import decoded, kind_of

DATA, POSITION_DELETES, EQUALITY_DELETES = range(3)
ADDED, DELETED = 1, 2
DELETES = 1  # the content of a manifest of delete files
KEPT_FILES = 20_000
Fetch = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A manifest in a manifest list. `files` counts the files that are not deleted, None: unknown."""

    path: str
    spec_id: int
    deletes: bool
    sequence_number: int
    snapshot_id: int | None
    files: int | None
    first_row_id: int | None
    summaries: tuple[Record, ...] | None = field(compare=False)


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A data or delete file in a manifest; partition values are in the order of its spec's fields."""

    content: int
    path: str
    format: str
    spec_id: int
    partition: tuple[Any, ...]
    records: int
    size: int
    sequence_number: int
    snapshot_id: int | None
    status: int
    first_row_id: int | None
    raw: Record
    """Further fields of the entry, by their keys."""

    def get(self, field_id: int) -> Any:
        """Return another field, None for an absent one."""
        return self.raw.get(key(field_id))

    def map(self, field_id: int) -> dict[int, Any]:
        """Return another field that is a map by column id, empty for an absent one."""
        return pairs(self.raw.get(key(field_id)))


class Manifests:
    """Reads manifests through `fetch`; the latest are cached, since they never change."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._kept: OrderedDict[tuple[ManifestFile, Spec], list[ListedFile]] = OrderedDict()
        self._kept_files = 0
        self._lock = Lock()

    def of_snapshot(self, snapshot: Json) -> list[ManifestFile]:
        """Return the manifests of a snapshot. Raises FileNotFound, InvalidInput and ServiceUnavailable."""
        location = snapshot.get("manifest-list")
        if location is None:
            return [self._named(path, snapshot) for path in snapshot["manifests"]]
        records = read_avro(location, self._fetch(location)).records
        return [_well_formed(location, _manifest, record) for record in records]

    def files(self, manifest: ManifestFile, specs: Mapping[int, Spec]) -> list[ListedFile]:
        """Return all files of a manifest, including deleted ones. Raises the errors of `of_snapshot`."""
        spec = specs.get(manifest.spec_id)
        if spec is None:
            raise InvalidInput(f"The manifest {manifest.path!r:.300} has a partition spec that the table lacks.")
        with self._lock:
            files = self._kept.get((manifest, spec))
        if files is None:
            records = read_avro(manifest.path, self._fetch(manifest.path)).records
            files = _well_formed(manifest.path, lambda _: list(_files(records, manifest, spec)), None)
            self._keep((manifest, spec), files)
        return files

    def _named(self, path: str, snapshot: Json) -> ManifestFile:
        """Return a manifest that only the metadata name, as in the first tables."""
        header = read_avro(path, self._fetch(path)).header
        spec_id = int(header.get("partition-spec-id", 0))
        return ManifestFile(path, spec_id, False, 0, snapshot["snapshot-id"], None, None, None)

    def _keep(self, name: tuple[ManifestFile, Spec], files: list[ListedFile]) -> None:
        with self._lock:
            if name in self._kept:
                return
            self._kept[name] = files
            self._kept_files += len(files)
            while self._kept_files > KEPT_FILES:
                _, dropped = self._kept.popitem(last=False)
                self._kept_files -= len(dropped)


def _well_formed(location: str, read: Callable[[Any], Any], record: Any) -> Any:
    try:
        return read(record)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"The file {location!r:.300} lacks what the table specification requires: {error}."
        ) from None


def _manifest(record: Record) -> ManifestFile:
    added, existing = record.get(key(504)), record.get(key(505))
    summaries = record.get(key(507))
    return ManifestFile(
        path=record[key(500)],
        spec_id=record[key(502)],
        deletes=record.get(key(517)) == DELETES,
        sequence_number=record.get(key(515)) or 0,
        snapshot_id=record.get(key(503)),
        files=None if added is None or existing is None else added + existing,
        first_row_id=record.get(key(520)),
        summaries=None if summaries is None else tuple(summaries),
    )


def summary_of(manifest: ManifestFile, position: int, partition_field: BoundField) -> Summary | None:
    """Return the summary of a partition field in a manifest, None without one."""
    if manifest.summaries is None or position >= len(manifest.summaries):
        return None
    record = manifest.summaries[position]
    lower, upper = (decoded(partition_field.type, record.get(key(end))) for end in (510, 511))
    return Summary(bool(record[key(509)]), record.get(key(518)), lower, upper)


def _files(records: list[Record], manifest: ManifestFile, spec: Spec) -> Iterator[ListedFile]:
    next_row = manifest.first_row_id
    for record in records:
        entry, status = record[key(2)], record[key(0)]
        first_row = entry.get(key(142))
        if first_row is None and next_row is not None and status != DELETED and not manifest.deletes:
            first_row, next_row = next_row, next_row + entry[key(103)]
        yield ListedFile(
            content=entry.get(key(134)) or DATA,
            path=entry[key(100)],
            format=entry[key(101)].lower(),
            spec_id=spec.id,
            partition=_partition(entry[key(102)], spec),
            records=entry[key(103)],
            size=entry[key(104)],
            sequence_number=_sequence_number(record, manifest, status),
            snapshot_id=_inherited(record.get(key(1)), manifest.snapshot_id),
            status=status,
            first_row_id=first_row if manifest.first_row_id is not None else None,
            raw=entry,
        )


def _sequence_number(record: Record, manifest: ManifestFile, status: int) -> int:
    explicit: int | None = record.get(key(3))
    if explicit is None and status == ADDED:
        return manifest.sequence_number
    return explicit or 0


def _inherited(explicit: int | None, manifests: int | None) -> int | None:
    return manifests if explicit is None else explicit


def _partition(values: Record, spec: Spec) -> tuple[Any, ...]:
    return tuple(_taken(field, values.get(key(field.id))) for field in spec.fields)


def _taken(field: BoundField, value: Any) -> Any:
    kind = kind_of(field.type)
    return value if value is None or kind is None else kind.take(value)
