"""Assignment of delete files to data files, by the scan planning rules of the table specification.

A deletion vector, and a position delete file with a single data file, apply to that file; other position delete files
and equality delete files to the data files of their partition, and equality delete files without a partition to all.
Position deletes apply to data of the same or an earlier commit, equality deletes only to earlier data. A deletion
vector replaces all older position deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from reference_server.iceberg.scans.manifests import EQUALITY_DELETES, ListedFile
from reference_server.iceberg.scans.partitions import Spec
from reference_server.iceberg.scans.pruning import LOWER_BOUNDS, UPPER_BOUNDS
from reference_server.iceberg.scans.values import decoded

REFERENCED_DATA_FILE, PATH_COLUMN = 143, 2147483546
PUFFIN = "puffin"
Partition = tuple[int, tuple[Any, ...]]


class DeleteIndex:
    """Delete files of a scan."""

    def __init__(self, files: Iterable[ListedFile], specs: Mapping[int, Spec]) -> None:
        self._vectors: dict[str, list[ListedFile]] = defaultdict(list)
        self._by_path: dict[str, list[ListedFile]] = defaultdict(list)
        self._by_partition: dict[Partition, list[ListedFile]] = defaultdict(list)
        self._global: list[ListedFile] = []
        for file in files:
            self._list_for(file, specs).append(file)

    def _list_for(self, file: ListedFile, specs: Mapping[int, Spec]) -> list[ListedFile]:
        if file.content == EQUALITY_DELETES:
            return self._by_partition[_partition(file)] if specs[file.spec_id].is_partitioned else self._global
        path = data_file_of(file)
        if path is None:
            return self._by_partition[_partition(file)]
        return self._vectors[path] if file.format == PUFFIN else self._by_path[path]

    def for_file(self, data: ListedFile) -> list[ListedFile]:
        """Return the delete files that apply to a data file."""
        nearby = self._by_partition.get(_partition(data), [])
        equality = [delete for delete in (*nearby, *self._global) if delete.content == EQUALITY_DELETES]
        later = [delete for delete in equality if delete.sequence_number > data.sequence_number]
        vectors = _since(data, self._vectors.get(data.path, ()))
        if vectors:
            return [*vectors, *later]
        partition_deletes = (
            delete for delete in nearby if delete.content != EQUALITY_DELETES and _may_name(delete, data.path)
        )
        return [*_since(data, self._by_path.get(data.path, ())), *_since(data, partition_deletes), *later]


def data_file_of(file: ListedFile) -> str | None:
    """Return the only data file of a position delete file or a deletion vector, None for several or unknown ones."""
    named: str | None = file.get(REFERENCED_DATA_FILE)
    if named is not None:
        return named
    lower, upper = _path_bounds(file)
    return lower if lower == upper else None


def _may_name(file: ListedFile, path: str) -> bool:
    lower, upper = _path_bounds(file)
    return (lower is None or lower <= path) and (upper is None or path <= upper)


def _path_bounds(file: ListedFile) -> tuple[str | None, str | None]:
    lower, upper = (decoded("string", file.map(bounds).get(PATH_COLUMN)) for bounds in (LOWER_BOUNDS, UPPER_BOUNDS))
    return lower, upper


def _partition(file: ListedFile) -> Partition:
    return file.spec_id, file.partition


def _since(data: ListedFile, files: Iterable[ListedFile]) -> list[ListedFile]:
    return [delete for delete in files if delete.sequence_number >= data.sequence_number]
