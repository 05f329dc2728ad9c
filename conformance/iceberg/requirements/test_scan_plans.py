"""Scan plans: states, plan tasks, cancelling, unknown ids, credentials."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from conformance.author.checks import at_least, equal, holds, nothing, one_of, text, unequal
from conformance.author.requirement import given, may, must
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.operations import OPERATIONS
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.scans.plans import (
    CANCELLED,
    COMPLETED,
    FAILED,
    PLAN,
    SUBMITTED,
    PlanResult,
    finished,
    followed,
    has_files,
    plan,
)
from conformance.iceberg.support.scans.samples import any_events, plain_rows
from conformance.iceberg.support.scans.tables import MANY, ScanTable, new_scan_table
from conformance.iceberg.support.storage import CREDENTIALS, SIGNING, VENDED, asking, covers
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered, Violation
from specs.openapi import Operation

NOWHERE = "lakeproof-issued-by-nobody"
STATUS = "the status of the scan plan"
STATES = (COMPLETED, SUBMITTED, FAILED)
PLAN_OPERATIONS = {
    name: operation
    for name, operation in OPERATIONS.items()
    if operation.path.endswith(("/plan", "/plan/{plan-id}", "/tasks"))
}
BODIES = {"planTableScan": {}, "fetchScanTasks": {"plan-task": NOWHERE}}
# The types for what these requests name beside a table: where the table is missing, that is missing too.
UNKNOWN_PARTS = {
    "fetchPlanningResult": ["NoSuchPlanIdException"],
    "cancelPlanning": ["NoSuchPlanIdException"],
    "fetchScanTasks": ["NoSuchPlanTaskException"],
}
WAYS = {"vended_credentials": VENDED, "remote_signing": SIGNING, "both": f"{VENDED},{SIGNING}"}


def new_small_table(catalog: IcebergCatalog) -> ScanTable:
    """Return a table with two data files."""
    table = new_scan_table(catalog, SCHEMA)
    table.commit(table.data(*plain_rows(1)), table.data(*plain_rows(2)))
    return table


def _scanned(catalog: IcebergCatalog) -> tuple[Names, list[str]]:
    """Return a table and its data files: of an existing table, if the run is read-only, those that a plain plan has."""
    if catalog.target.read_only:
        id = any_events(catalog)
        with catalog.client.preparing():
            return id, plan(catalog, id).paths
    table = new_small_table(catalog)
    return table.id, sorted(table.data_files())


def new_large_table(catalog: IcebergCatalog) -> ScanTable:
    """Return a table with MANY data files in two manifests."""
    table = new_scan_table(catalog, SCHEMA)
    files = table.listed(MANY)
    table.commit(*files[: MANY // 2])
    table.commit(*files[MANY // 2 :])
    return table


def submitted(catalog: IcebergCatalog, id: Names) -> Answer:
    """Plan a scan and return the submitted answer. Raises Unoffered where the server plans synchronously."""
    answer = catalog.plan_table_scan(id)
    if answer["status"] != SUBMITTED:
        raise Unoffered("the server plans while the client waits")
    return answer


def with_plan_tasks(catalog: IcebergCatalog, table: ScanTable) -> PlanResult:
    """Plan a table with many files and return the plan. Raises Unoffered where it has no plan tasks."""
    planned = plan(catalog, table.id)
    if not planned.plan_tasks:
        raise Unoffered(f"the server issues no plan tasks, also not for {MANY} files")
    return planned


def leads_on(answer: Answer) -> None:
    """Check that an answer has file-scan-tasks or plan-tasks."""
    tasks = answer.get("file-scan-tasks") or answer.get("plan-tasks")
    holds(tasks, "there are file-scan-tasks or plan-tasks in the answer")


# The states of a scan plan


@must("iceberg.scan.completed", operations=PLAN, clause="plan-completed", twin=True)
def test_completed_planning_has_its_tasks(catalog: IcebergCatalog) -> None:
    """A completed scan plan contains tasks for all data files."""
    table = new_small_table(catalog)
    planned = plan(catalog, table.id)
    equal(planned.answer["status"], COMPLETED, STATUS)
    leads_on(planned.answer)
    has_files(planned, table.data_files())


@must("iceberg.scan.states", operations=["planTableScan"], clause="plan-not-cancelled")
def test_new_planning_is_not_cancelled(catalog: IcebergCatalog) -> None:
    """A new scan plan is completed, submitted or failed, even after an equal plan was cancelled."""
    table = new_small_table(catalog)
    first = catalog.plan_table_scan(table.id)
    one_of(first["status"], STATES, STATUS)
    if first.get("plan-id"):
        catalog.cancel_planning(table.id, first["plan-id"], expect=None)
    one_of(catalog.plan_table_scan(table.id)["status"], STATES, STATUS)


@must("iceberg.scan.submitted", operations=["planTableScan"], clause="plan-submitted", reads=True)
def test_submitted_planning_has_an_id(catalog: IcebergCatalog) -> None:
    """Every submitted scan plan has its own plan-id."""
    id, _ = _scanned(catalog)
    first, second = (text(submitted(catalog, id)["plan-id"], "the plan-id") for _ in range(2))
    unequal(second, first, "the plan-id of the second scan plan")


@must("iceberg.scan.fetch", operations=["fetchPlanningResult"], clause="plan-fetch")
def test_submitted_planning_can_be_asked_for(catalog: IcebergCatalog) -> None:
    """fetchPlanningResult on a submitted plan finally returns completed, with tasks for all data files."""
    table = new_small_table(catalog)
    has_files(followed(catalog, table.id, submitted(catalog, table.id)), table.data_files())


@must("iceberg.scan.fetch_id", operations=["fetchPlanningResult"], clause="plan-fetch", reads=True)
def test_planning_with_an_id_can_be_asked_for(catalog: IcebergCatalog) -> None:
    """fetchPlanningResult on a completed plan returns as many tasks as planTableScan did, or 404."""
    _fetched_as_planned(catalog, _scanned(catalog)[0])


def _new_table_with_deletes(catalog: IcebergCatalog) -> ScanTable:
    table = new_scan_table(catalog, SCHEMA)
    files = [table.data(*plain_rows(id)) for id in range(2)]
    table.commit(*files)
    table.commit(*map(table.position_deletes, files))
    return table


@must(
    "iceberg.scan.fetch_id.{}",
    operations=["fetchPlanningResult"],
    clause="plan-fetch",
    each={"large": new_large_table, "deletes": _new_table_with_deletes},
)
def test_planning_of_more_can_be_asked_for(
    catalog: IcebergCatalog, case: Callable[[IcebergCatalog], ScanTable]
) -> None:
    """fetchPlanningResult on a completed plan with plan tasks or delete files ({}) returns as many, or 404."""
    _fetched_as_planned(catalog, case(catalog).id)


def _fetched_as_planned(catalog: IcebergCatalog, id: Names) -> None:
    planned = plan(catalog, id)
    if not planned.id:
        raise Unoffered("the server gives a completed scan plan no id")
    fetched = catalog.fetch_planning_result(id, planned.id, expect=(200, 404))
    if fetched.succeeded:
        equal(fetched["status"], COMPLETED, STATUS)
        for name in ("file-scan-tasks", "plan-tasks", "delete-files"):
            count = len(planned.answer.get(name) or [])
            equal(len(fetched.get(name) or []), count, f"the number of {name} that are fetched")


@must("iceberg.scan.failed", operations=["planTableScan"], clause="plan-failed", kind="error")
def test_failed_planning_has_an_error(catalog: IcebergCatalog) -> None:
    """planTableScan without the snapshot's manifest list returns an error, or the status failed with an error."""
    table = new_small_table(catalog)
    catalog.load_table(table.id)
    location = table.metadata["snapshots"][-1]["manifest-list"]
    if location.rpartition("/")[0] != table.stage.location:  # a file that is not ours is not removed
        raise Violation(f"the manifest-list of the snapshot is not the one that was committed but {shown(location)}")
    table.stage.files.remove(location)
    answer = catalog.plan_table_scan(table.id, expect=(200, 400, 404, *range(500, 504)))
    if answer.succeeded:
        answer = finished(catalog, table.id, answer)
        equal(answer["status"], FAILED, STATUS)
    error = answer["error"]
    holds(isinstance(error, dict), "the error of a failed scan plan is an object")
    for name in ("message", "type"):
        text(error.get(name), f"the {name} of the error")


# Plan tasks


@must("iceberg.scan.plan_tasks", operations=PLAN, clause="plan-tasks")
def test_plan_tasks_lead_to_file_scan_tasks(catalog: IcebergCatalog) -> None:
    """fetchScanTasks returns tasks or further plan tasks for every plan task, in any order and repeatedly."""
    table = new_large_table(catalog)
    planned = with_plan_tasks(catalog, table)
    for task in reversed(planned.plan_tasks[-3:]):
        again = catalog.fetch_scan_tasks(table.id, task)
        leads_on(again)


@must("iceberg.scan.many_files", operations=PLAN, clause="plan-complete")
def test_many_files_are_all_there(catalog: IcebergCatalog) -> None:
    """The tasks of a plan and of its plan tasks together contain each of many data files once."""
    table = new_large_table(catalog)
    has_files(plan(catalog, table.id), table.data_files())


@must("iceberg.scan.many_files_snapshot", operations=PLAN, clause="plan-complete")
def test_plan_tasks_keep_their_snapshot(catalog: IcebergCatalog) -> None:
    """Plan tasks fetched after a commit still belong to the planned snapshot."""
    table = new_large_table(catalog)
    expected = sorted(table.data_files())
    first = catalog.plan_table_scan(table.id)
    table.commit(table.data(*plain_rows(1)), removed=list(table.data_files().values())[:1])
    has_files(followed(catalog, table.id, first), expected)


@must(
    "iceberg.scan.plan_task_unknown",
    operations=["fetchScanTasks"],
    clause="plan-tasks-unknown",
    kind="error",
    reads=True,
)
def test_unknown_plan_task(catalog: IcebergCatalog) -> None:
    """fetchScanTasks with an unknown plan task returns 404 with type NoSuchPlanTaskException."""
    table = catalog.new_table()
    type_is(catalog.fetch_scan_tasks(table, NOWHERE, expect=404), "NoSuchPlanTaskException")


# Cancelling


@must("iceberg.scan.cancel", operations=["cancelPlanning"], clause="plan-cancel", twin=True)
def test_cancelled_planning(catalog: IcebergCatalog) -> None:
    """cancelPlanning returns 204; fetchPlanningResult then returns cancelled or 404."""
    table = new_large_table(catalog)
    plan_id = catalog.plan_table_scan(table.id).get("plan-id")
    if not plan_id:
        raise Unoffered("the server gives its scan plans no id")
    equal(len(catalog.cancel_planning(table.id, plan_id, expect=204).body), 0, "the bytes of the body")
    after = catalog.fetch_planning_result(table.id, plan_id, expect=(200, 404))
    if after.succeeded:
        equal(after["status"], CANCELLED, STATUS)


@must("iceberg.scan.cancel_one", operations=["cancelPlanning"], clause="plan-cancel")
def test_cancelling_leaves_others_alone(catalog: IcebergCatalog) -> None:
    """cancelPlanning does not affect another plan of the same table."""
    table = new_large_table(catalog)
    first, second = (catalog.plan_table_scan(table.id) for _ in range(2))
    if not first.get("plan-id"):
        raise Unoffered("the server gives its scan plans no id")
    catalog.cancel_planning(table.id, first["plan-id"], expect=204)
    has_files(followed(catalog, table.id, second), table.data_files())


# Unknown plans, tables and namespaces


@must(
    "iceberg.scan.fetch_unknown", operations=["fetchPlanningResult"], clause="plan-unknown-id", kind="error", reads=True
)
def test_fetching_an_unknown_planning(catalog: IcebergCatalog) -> None:
    """fetchPlanningResult with an unknown plan-id returns 404 with type NoSuchPlanIdException."""
    id = catalog.new_table()
    type_is(catalog.fetch_planning_result(id, NOWHERE, expect=404), "NoSuchPlanIdException")


@must("iceberg.scan.cancel_unknown", operations=["cancelPlanning"], clause="plan-unknown-id", kind="error")
def test_cancelling_an_unknown_planning(catalog: IcebergCatalog) -> None:
    """cancelPlanning with an unknown plan-id returns 404 with type NoSuchPlanIdException."""
    id = catalog.new_table()
    type_is(catalog.cancel_planning(id, NOWHERE, expect=404), "NoSuchPlanIdException")


@must("iceberg.scan.no_table.{}", clause="plan-not-found", kind="error", each=PLAN_OPERATIONS, reads=True)
def test_planning_on_a_missing_table(catalog: IcebergCatalog, case: Operation) -> None:
    """{} on a missing table returns 404 with type NoSuchTableException, or the one for an unknown plan or task."""
    refused = _called(catalog, case, catalog.table_id("missing"))
    type_is(refused, "NoSuchTableException", *UNKNOWN_PARTS.get(case.id, ()))


@must("iceberg.scan.no_namespace.{}", clause="plan-not-found", kind="error", each=PLAN_OPERATIONS, reads=True)
def test_planning_in_a_missing_namespace(catalog: IcebergCatalog, case: Operation) -> None:
    """{} in a missing namespace returns 404 with the type for a missing namespace, table, plan or task."""
    refused = _called(catalog, case, (*catalog.missing_namespace(), "t"))
    type_is(refused, "NoSuchNamespaceException", "NoSuchTableException", *UNKNOWN_PARTS.get(case.id, ()))


@must("iceberg.scan.no_view.{}", clause="plan-not-found", kind="error", each=PLAN_OPERATIONS, reads=True)
def test_planning_on_a_view(catalog: IcebergCatalog, case: Operation) -> None:
    """{} on a view's name returns 404."""
    _called(catalog, case, catalog.new_view("t"))


def _called(catalog: IcebergCatalog, operation: Operation, id: Names) -> Answer:
    """Call an operation on a missing table."""
    named = {"plan-id": NOWHERE} if "{plan-id}" in operation.path else {}
    body = BODIES.get(operation.id)
    return catalog.send(operation.id, {**catalog.table_path(id), **named}, body, expect=404)


# Credentials and hints


@may(
    "iceberg.storage.vended.plan",
    operations=["planTableScan", "fetchPlanningResult"],
    clause="plan-credentials",
    reads=True,
)
def test_credentials_of_a_planning(catalog: IcebergCatalog) -> None:
    """The credentials in a completed scan plan cover the table's location, and each has a config."""
    id = catalog.new_table()
    location = catalog.metadata(id)["location"]
    answer = finished(catalog, id, catalog.plan_table_scan(id, _headers=asking(VENDED)))
    equal(answer["status"], COMPLETED, STATUS)
    credentials = answer.get(CREDENTIALS) or []
    if not credentials:
        raise Unoffered("the server brings no credentials with a scan plan")
    prefixes = [credential.get("prefix") for credential in credentials]
    covered = any(covers(str(prefix), location) for prefix in prefixes)
    holds(covered, f"one of the prefixes {shown(prefixes)} of {CREDENTIALS} covers {location}")
    bare = [credential.get("prefix") for credential in credentials if not credential.get("config")]
    nothing(bare, f"prefix of {CREDENTIALS} without a config")


@may("iceberg.scan.min_rows", operations=PLAN, clause="plan-min-rows")
@given(wanted=st.sampled_from([1, 2, 10_000]))
def test_wanted_rows_are_a_hint(catalog: IcebergCatalog, wanted: int) -> None:
    """With min-rows-requested, a plan contains files of the table only, with at least as many rows if it has them."""
    table = new_small_table(catalog)
    planned = plan(catalog, table.id, min_rows_requested=wanted)
    nothing(set(planned.paths) - set(table.data_files()), "task for a file that is none of the table")
    rows = sum(task.file["record-count"] for task in planned.tasks)
    at_least(rows, min(wanted, 2), "the rows of all files of the plan")


@must("iceberg.scan.delegation.{}", operations=PLAN, clause="plan-completed", each=WAYS, reads=True)
def test_access_delegation_is_a_wish(catalog: IcebergCatalog, case: str) -> None:
    """A scan plan with X-Iceberg-Access-Delegation ({}) contains the same files as one without."""
    id, files = _scanned(catalog)
    has_files(plan(catalog, id, _headers=asking(case)), files)
