"""Planner of file scan tasks: splits a scan into plan tasks, each of which makes one answer of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.content import CONTENT_OFFSET, data_file_json, delete_file_json, task_json
from reference_server.iceberg.scans.deletes import DeleteIndex
from reference_server.iceberg.scans.expressions import ALWAYS
from reference_server.iceberg.scans.manifests import ADDED, DELETED, ListedFile, ManifestFile, Manifests
from reference_server.iceberg.scans.pruning import file_can_match, manifest_can_match, residual
from reference_server.iceberg.scans.scan import Scan


@dataclass(frozen=True, slots=True)
class Slice:
    """Live files of a manifest, from position `begin` up to, not including, `end`.

    The last slice has no end, whatever the manifest list counts; `expected` is the likely number of its files.
    """

    manifest: ManifestFile
    begin: int
    end: int | None
    expected: int


PlanTask = list[Slice]


class Planner:
    """Plans one scan. `size` is the number of data files that one plan task covers, `bounds` as in content.py.

    All methods may block. They raise FileNotFound, InvalidInput and ServiceUnavailable for unreadable manifests.
    """

    def __init__(self, scan: Scan, manifests: Manifests, size: int, bounds: str) -> None:
        self._scan = scan
        self._manifests = manifests
        self._size = size
        self._bounds = bounds

    @cached_property
    def plan_tasks(self) -> list[PlanTask]:
        """The data files of the scan, in plan tasks, without those that the manifest list rules out."""
        plan_tasks: list[PlanTask] = []
        capacity = 0
        for manifest_slice in self._slices():
            if manifest_slice.expected > capacity or not plan_tasks:
                plan_tasks.append([])
                capacity = self._size
            plan_tasks[-1].append(manifest_slice)
            capacity -= manifest_slice.expected
        return plan_tasks

    def tasks(self, plan_task: PlanTask) -> Json:
        """Return the ScanTasks of a plan task, without further plan tasks."""
        scan = self._scan
        references: dict[tuple[str, int | None], int] = {}
        delete_files: list[Json] = []
        tasks = []
        for file in self._wanted(plan_task):
            spec = scan.specs[file.spec_id]
            positions = []
            for delete in self._deletes.for_file(file):
                identity = delete.path, delete.get(CONTENT_OFFSET)
                if identity not in references:
                    references[identity] = len(delete_files)
                    delete_files.append(delete_file_json(delete, scan.specs[delete.spec_id]))
                positions.append(references[identity])
            node = data_file_json(file, spec, scan.columns, scan.stats, self._bounds)
            tasks.append(task_json(node, positions, residual(scan.filter, file, spec)))
        return {"file-scan-tasks": tasks, "delete-files": delete_files}

    def _slices(self) -> Iterator[Slice]:
        for manifest in self._data_manifests:
            count = self._size if manifest.files is None else manifest.files
            for begin in range(0, max(count, 1), self._size):
                remaining = count - begin
                yield Slice(
                    manifest, begin, begin + self._size if remaining > self._size else None, min(remaining, self._size)
                )

    @cached_property
    def _all_manifests(self) -> list[ManifestFile]:
        scan = self._scan
        if scan.start is None:
            return self._manifests.of_snapshot(scan.snapshot) if scan.snapshot else []
        appends = scan.appends()
        ids = {snapshot["snapshot-id"] for snapshot in appends}
        manifests = (manifest for snapshot in appends for manifest in self._manifests.of_snapshot(snapshot))
        return [
            manifest for manifest in dict.fromkeys(manifests) if manifest.snapshot_id in ids and not manifest.deletes
        ]

    @property
    def _data_manifests(self) -> Iterator[ManifestFile]:
        scan = self._scan
        for manifest in self._all_manifests:
            spec = scan.specs.get(manifest.spec_id)
            if not manifest.deletes and (spec is None or manifest_can_match(scan.filter, manifest, spec)):
                yield manifest

    @cached_property
    def _deletes(self) -> DeleteIndex:
        specs = self._scan.specs
        manifests = (manifest for manifest in self._all_manifests if manifest.deletes)
        files = (
            file for manifest in manifests for file in self._manifests.files(manifest, specs) if file.status != DELETED
        )
        return DeleteIndex(files, specs)

    def _wanted(self, plan_task: PlanTask) -> Iterator[ListedFile]:
        """Yield the files of a plan task that may contain rows of the scan, until there are enough rows."""
        scan = self._scan
        certain_rows = 0
        for file in self._listed(plan_task):
            spec = scan.specs[file.spec_id]
            if not file_can_match(scan.filter, file, spec):
                continue
            yield file
            if (
                scan.enough is not None
                and residual(scan.filter, file, spec) == ALWAYS
                and not self._deletes.for_file(file)
            ):
                certain_rows += file.records
                if certain_rows >= scan.enough:
                    return

    def _listed(self, plan_task: PlanTask) -> Iterator[ListedFile]:
        for manifest_slice in plan_task:
            yield from self._of_scan(self._live(manifest_slice))

    def _live(self, manifest_slice: Slice) -> list[ListedFile]:
        files = self._manifests.files(manifest_slice.manifest, self._scan.specs)
        return [file for file in files if file.status != DELETED][manifest_slice.begin : manifest_slice.end]

    def _of_scan(self, files: Iterable[ListedFile]) -> Iterable[ListedFile]:
        """Return the files of the scan: in a range only those that its own snapshots have added."""
        if self._scan.start is None:
            return files
        ids = {snapshot["snapshot-id"] for snapshot in self._scan.appends()}
        return (file for file in files if file.status == ADDED and file.snapshot_id in ids)
