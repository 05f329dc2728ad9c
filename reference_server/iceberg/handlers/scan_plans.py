"""planTableScan, fetchPlanningResult, cancelPlanning, fetchScanTasks.

A server that plans in the background answers `submitted` to a new scan plan, and again to the first fetch of its
result, which starts the work: this makes a client wait however small the table is. Otherwise the first answer is the
result. If manifests cannot be read, the scan plan fails: the answer is 200 with the status `failed`.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import orjson

from reference_server import limits
from reference_server.context import Reply, json_reply
from reference_server.errors import BodyTooLarge, InvalidInput, NotFound
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import FileNotFound, PlanNotFound, PlanTaskNotFound, error_body
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.handlers.credentials import storage_credentials
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.planner import Planner
from reference_server.iceberg.scans.plans import ScanPlan, cancelled, find_plan, keep_plan, new_plan
from reference_server.iceberg.scans.scan import Scan, read_scan

COMPLETED, SUBMITTED, CANCELLED, FAILED = "completed", "submitted", "cancelled", "failed"
Answer = dict[str, Any]


async def plan_table_scan(context: IcebergContext) -> Reply:
    """Plan a scan of a table, or submit it for planning in the background."""
    if len(context.request.body) > limits.PLAN:
        raise BodyTooLarge(f"A request for a scan plan has at most {limits.PLAN} bytes.")

    async def build(change: WarehouseChange) -> Reply:
        file = await _table(context)
        plan, answer = await context.run_plan(_first_answer, context, file.metadata)
        if answer["status"] != FAILED:
            await keep_plan(change, context.services.kept, plan)
            answer = {**answer, "plan-id": plan.id}
        return json_reply(answer)

    return await _with_credentials(context, await commit(context, build))


async def fetch_planning_result(context: IcebergContext) -> Reply:
    """Return the result or the status of a scan plan."""
    metadata = await _metadata(context)
    plan = _plan(context, context.path["plan-id"], metadata)
    if plan.cancelled:
        return json_reply({"status": CANCELLED})
    make = partial(_result_again, context, metadata, plan)
    answer = _from_background(context, plan, make) if plan.background else await context.run_plan(make)
    return await _with_credentials(context, json_reply(answer))


async def cancel_planning(context: IcebergContext) -> Reply:
    """Cancel a scan plan and invalidate its plan tasks."""

    async def build(change: WarehouseChange) -> Reply:
        metadata = await _metadata(context)
        read = change.transaction.get
        plan = find_plan(read, context.warehouse.name, context.path["plan-id"], metadata["table-uuid"])
        context.services.scans.results.forget(plan.id)
        await keep_plan(change, context.services.kept, cancelled(plan))
        return Reply(204)

    return await commit(context, build)


async def fetch_scan_tasks(context: IcebergContext) -> Reply:
    """Return the file scan tasks of a plan task. Raises PlanTaskNotFound for an unknown or invalid one."""
    task = context.body["plan-task"]
    plan_id, _, number = task.rpartition("-")

    async def build(_change: WarehouseChange) -> Reply:
        metadata = await _metadata(context)
        answer = None
        with suppress(PlanNotFound):
            plan = _plan(context, plan_id, metadata)
            answer = await context.run_plan(_tasks, context, metadata, plan, number)
        if answer is None:
            raise PlanTaskNotFound(f"There is no plan task {task!r:.100} of this table.")
        return json_reply(answer)

    return await commit(context, build)


async def _table(context: IcebergContext) -> MetadataFile:
    return await context.table_file(context.catalog.location(Kind.TABLE, context.object_path("table")))


async def _metadata(context: IcebergContext) -> Json:
    return (await _table(context)).metadata


def _plan(context: IcebergContext, plan_id: str, metadata: Json) -> ScanPlan:
    return find_plan(context.services.storage.get, context.warehouse.name, plan_id, metadata["table-uuid"])


def _scan(metadata: Json, plan: ScanPlan) -> Scan:
    """Return the scan of a scan plan. Raises PlanNotFound when the table no longer has its snapshot or schema."""
    try:
        return read_scan(metadata, plan.scan_request(), plan.pin)
    except InvalidInput as error:
        raise PlanNotFound(f"The scan plan {plan.id} is void: {error.message}") from None


def _planner(context: IcebergContext, scan: Scan) -> Planner:
    scans = context.services.scans
    return Planner(scan, scans.manifests, context.services.page_size, scans.bounds)


def _first_answer(context: IcebergContext, metadata: Json) -> tuple[ScanPlan, Answer]:
    """Return a new scan plan, and the answer to its request."""
    scan, background = read_scan(metadata, context.body), context.services.scans.background
    plan = new_plan(scan, context.request.body, context.services.auth.lifetimes.plan, background=background)
    return plan, {"status": SUBMITTED} if background else _result(context, scan, plan)


def _result_again(context: IcebergContext, metadata: Json, plan: ScanPlan) -> Answer:
    return _result(context, _scan(metadata, plan), plan)


def _result(context: IcebergContext, scan: Scan, plan: ScanPlan) -> Answer:
    """Return the result of a scan plan: the file scan tasks of its first part, and plan tasks for the other parts."""
    planner = _planner(context, scan)
    try:
        first, *others = planner.plan_tasks or [[]]
        further = [plan.task(number) for number in range(1, 1 + len(others))]
        return {"status": COMPLETED, "plan-tasks": further, **planner.tasks(first)}
    except (FileNotFound, InvalidInput) as error:
        return {"status": FAILED, "error": error_body(error)}


def _from_background(context: IcebergContext, plan: ScanPlan, make: partial[Answer]) -> Answer:
    """Return the result of a scan plan in the background, which the first fetch starts."""
    results = context.services.scans.results
    future = results.find(plan.id)
    if future is None:
        results.start(plan.id, context.services.planners, make)
        return {"status": SUBMITTED}
    if not future.done():
        return {"status": SUBMITTED}
    if future.exception() is not None:
        results.forget(plan.id)
    answer: Answer = future.result()
    return answer


def _tasks(context: IcebergContext, metadata: Json, plan: ScanPlan, number: str) -> Answer | None:
    """Return the result of a plan task, None for an unknown one. Raises PlanNotFound, see `_scan`."""
    planner = _planner(context, _scan(metadata, plan))
    known = (
        number.isascii()
        and number.isdigit()
        and len(number) <= limits.DIGITS
        and 0 < int(number) < len(planner.plan_tasks)
    )
    return planner.tasks(planner.plan_tasks[int(number)]) if known and not plan.cancelled else None


async def _with_credentials(context: IcebergContext, reply: Reply) -> Reply:
    """Add credentials for the files of a completed scan plan, if the client asks for them; they are never stored."""
    with suppress(NotFound):
        credentials = storage_credentials(context, context.object_path("table"), await _metadata(context))
        answer = orjson.loads(reply.body) if credentials else {}
        if answer.get("status") == COMPLETED:
            reply.body = orjson.dumps({**answer, "storage-credentials": credentials})
    return reply
