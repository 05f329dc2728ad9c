"""Assignment of delete files to data files, by the rules of the table specification."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.iceberg.support.scans.manifests import DATA, EQUALITY_DELETES, ManifestEntry, Row, WrittenFile
from conformance.iceberg.support.scans.plans import PlanResult
from conformance.iceberg.support.scans.predicates import Json, RowEvaluator
from conformance.iceberg.support.scans.tables import ScanTable, usable

Fits = Callable[[Row], bool]


def wrong_deletes(
    table: ScanTable, planned: PlanResult, *, snapshot: int | None = None, condition: Json = True
) -> list[str]:
    """Return messages about missing and about wrong delete files of a plan's tasks.

    A delete file that only deletes rows that do not fit the condition may be missing.
    """
    live = table.live(snapshot)
    evaluator = RowEvaluator(table.fields)

    def fits(row: Row) -> bool:
        return evaluator.decide(condition, row) is not False

    deletes = [entry for entry in live if entry.file.content != DATA]
    data = {entry.file.path: entry for entry in live if entry.file.content == DATA}
    with usable("the columns of the table do not fit its rows"):
        return [
            f"{task.path}: {wrong}"
            for task in planned.tasks
            for wrong in (
                _wrong(data[task.path], deletes, task.delete_paths, fits)
                if task.path in data
                else ["no file of the table"]
            )
        ]


def _wrong(data: ManifestEntry, deletes: list[ManifestEntry], paths: set[str], fits: Fits) -> Iterator[str]:
    vector = any(is_vector(entry.file) and applies(entry, data) for entry in deletes)
    for delete in deletes:
        there = delete.file.path in paths
        if (
            not there
            and needed(delete, data, fits)
            and (is_vector(delete.file) or not (vector and _by_position(delete)))
        ):
            yield f"{delete.file.path} is missing"
        if there and not applies(delete, data) and (is_vector(delete.file) or not _by_position(delete)):
            yield f"{delete.file.path} does not apply"
    unknown = paths - {entry.file.path for entry in deletes}
    yield from (f"{path} is no delete file of the snapshot" for path in sorted(unknown))


def applies(delete: ManifestEntry, data: ManifestEntry) -> bool:
    """True when a delete file applies to a data file, by sequence number, partition and referenced data file."""
    file = delete.file
    alike = (file.spec_id, file.partition) == (data.file.spec_id, data.file.partition)
    if file.content == EQUALITY_DELETES:
        return delete.sequence > data.sequence and (alike or not file.partition)
    named = file.referenced_data_file
    return delete.sequence >= data.sequence and alike and named in (None, data.file.path)


def needed(delete: ManifestEntry, data: ManifestEntry, fits: Fits) -> bool:
    """True when a delete file deletes rows of a data file that fit the filter."""
    if not applies(delete, data):
        return False
    if is_vector(delete.file):
        return True
    if _by_position(delete):
        return any(row["file_path"] == data.file.path for row in delete.file.rows)
    return any(gone.items() <= row.items() and fits(row) for gone in delete.file.rows for row in data.file.rows)


def is_vector(file: WrittenFile) -> bool:
    """True for a deletion vector: it contains no paths, so that only the task of its data file may have it."""
    return file.content_offset is not None


def _by_position(delete: ManifestEntry) -> bool:
    return delete.file.content != EQUALITY_DELETES
