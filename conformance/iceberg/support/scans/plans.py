"""Scan plans followed to their end, as engines do: poll until completed, and fetch the tasks of all plan tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.author.checks import same_items, text
from conformance.author.patience import wait_for
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id
from conformance.iceberg.support.scans.predicates import Json
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

PLAN = ["planTableScan", "fetchPlanningResult", "fetchScanTasks"]
COMPLETED, SUBMITTED, FAILED, CANCELLED = "completed", "submitted", "failed", "cancelled"
File = dict[str, Any]  # of an answer: access to a missing field raises Violation
PLANNING_SECONDS = 30.0
PLANS = "scan plans"
MOST_PLAN_TASKS = 10_000  # a server that issues more never ends
WHOLE_FILTER: Any = object()  # residual of a task without residual-filter


def path_of(file: File) -> str:
    """Return the path of a file. Raises Violation when it is not a string."""
    return text(file["file-path"], "the file-path of a file")


@dataclass(frozen=True, slots=True)
class FileScanTask:
    """File scan task: its data file, its delete files, and the residual of the filter."""

    file: File
    deletes: tuple[File, ...]
    residual: Json

    @property
    def path(self) -> str:
        """The path of the data file."""
        return path_of(self.file)

    @property
    def delete_paths(self) -> set[str]:
        """The paths of the delete files."""
        return {path_of(file) for file in self.deletes}


@dataclass
class PlanResult:
    """Result of a scan plan: its first answer, the completed answer, and all tasks."""

    first: Answer
    answer: Answer
    tasks: list[FileScanTask] = field(default_factory=list)
    plan_tasks: list[str] = field(default_factory=list)

    @property
    def paths(self) -> list[str]:
        """The sorted paths of the data files of all tasks."""
        return sorted(task.path for task in self.tasks)

    @property
    def doubled(self) -> list[str]:
        """The paths of data files with several tasks."""
        return [path for path, count in Counter(self.paths).items() if count > 1]

    @property
    def id(self) -> str | None:
        """The id of the scan plan, None where the server stores no plan."""
        plan_id = self.first.get("plan-id")
        return None if plan_id is None else text(plan_id, "the plan-id")

    def task(self, path: str) -> FileScanTask:
        """Return the task of a file. Raises Violation when it has none or several."""
        return _only([task for task in self.tasks if task.path == path], f"the file {shown(path)}")

    @property
    def only(self) -> FileScanTask:
        """The task of a plan with one file. Raises Violation when there is none or several."""
        return _only(self.tasks, "the only file")


def _only(planned: Sequence[FileScanTask], file: str) -> FileScanTask:
    if len(planned) != 1:
        raise Violation(f"{file} has {len(planned)} file-scan-tasks, not 1")
    return planned[0]


def has_files(planned: PlanResult, paths: Iterable[str]) -> None:
    """Check that a plan has one task for each of these files, and no other tasks."""
    same_items(planned.paths, paths, "the files of the plan")


def plan(catalog: IcebergCatalog, id: Id, *, _headers: Mapping[str, Any] | None = None, **request: Any) -> PlanResult:
    """Plan a scan and return its result with all tasks. `request` are fields of the request, with `_` for `-`."""
    return followed(catalog, id, catalog.plan_table_scan(id, _headers=_headers, **request))


def followed(catalog: IcebergCatalog, id: Id, first: Answer) -> PlanResult:
    """Follow a scan plan from its first answer to the end and return its result with all tasks.

    Raises Violation when the scan plan fails, is cancelled, or does not end.
    """
    answer = finished(catalog, id, first)
    if answer["status"] != COMPLETED:
        raise Violation(f"the scan plan is {shown(answer['status'])}")
    planned = PlanResult(first, answer)
    waiting = list(_take(planned, answer))
    while waiting:
        planned.plan_tasks.append(waiting.pop())
        if len(planned.plan_tasks) > MOST_PLAN_TASKS:
            raise Violation(f"there are more than {MOST_PLAN_TASKS} plan tasks")
        waiting += _take(planned, catalog.fetch_scan_tasks(id, planned.plan_tasks[-1]))
    return planned


def finished(catalog: IcebergCatalog, id: Id, answer: Answer) -> Answer:
    """Poll a plan until it is no longer `submitted` and return that answer. Raises Violation when it stays so."""
    if answer["status"] != SUBMITTED:
        return answer
    plan_id = text(answer.get("plan-id"), "the plan-id of the submitted scan plan")
    last = wait_for(
        catalog.client,
        catalog.target.paces[PLANS],
        lambda: catalog.fetch_planning_result(id, plan_id),
        lambda polled: polled["status"] != SUBMITTED,
        seconds=PLANNING_SECONDS,
    )
    if last["status"] == SUBMITTED:
        raise Violation("the scan plan does not end, and nothing changes any more")
    return last


def _take(planned: PlanResult, answer: Answer) -> list[str]:
    """Add the tasks of an answer to a result and return its plan tasks."""
    planned.tasks += tasks(answer)
    return list(answer.get("plan-tasks") or [])


def tasks(answer: Answer) -> Iterator[FileScanTask]:
    """Yield the file scan tasks of one answer. Raises Violation for an invalid delete-file reference."""
    deletes = answer.get("delete-files") or []
    for task in answer.get("file-scan-tasks") or []:
        named = task.get("delete-file-references") or []
        if not all(isinstance(index, int) and 0 <= index < len(deletes) for index in named):
            raise Violation(f"{shown(named)} are no positions among {len(deletes)} delete files")
        residual = task.get("residual-filter", WHOLE_FILTER)
        yield FileScanTask(task["data-file"], tuple(deletes[index] for index in named), residual)
