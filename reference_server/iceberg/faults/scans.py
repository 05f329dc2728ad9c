"""Scan plans that take another course than clients are told: states, ids, plan tasks."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, answers, body_becomes, content, fault, request_becomes
from reference_server.iceberg.errors import PlanTaskNotFound
from reference_server.iceberg.faults.blocks import (
    again,
    answer_becomes,
    performed,
    refused,
    refuses_when,
    table_there,
)
from reference_server.iceberg.metadata.reading import Json

START = ["planTableScan"]
FETCH = ["fetchPlanningResult"]
CANCEL = ["cancelPlanning"]
TASKS = ["fetchScanTasks"]
RESULTS = [*START, *FETCH]
LISTS = ("file-scan-tasks", "plan-tasks", "delete-files")
NOTHING: Json = {"status": "completed", "file-scan-tasks": [], "plan-tasks": [], "delete-files": []}


def _without_tasks(body: Json) -> Json:
    return {name: value for name, value in body.items() if name not in LISTS}


def _failure_hidden(body: Json) -> Json:
    return NOTHING if body.get("status") == "failed" else body


@fault("scan-cancelled-again", on=[*START, *CANCEL, *TASKS])
async def _cancelled_after_cancelling(call: Call, proceed: Proceed) -> Reply:
    """After a cancellation all scan plans of the table are cancelled."""
    # Answer scan plans of a table as cancelled once one was.
    gone: set[tuple[str, str]] = call.state.setdefault("scan-cancelled", set())
    table = (call.path["namespace"], call.path["table"])
    if call.operation.id in CANCEL:
        gone.add(table)
    elif table in gone:
        return json_reply({"status": "cancelled"})
    return await proceed()


@fault("scan-plan-tasks-once", on=TASKS)
async def _once(call: Call, proceed: Proceed) -> Reply:
    """A plan task can be turned into tasks once only."""
    # Turn a plan task into tasks once only.
    used: set[str] = call.state.setdefault("scan-task-used", set())
    task = (content(call) or {}).get("plan-task", "")
    if task in used:
        return refused(call, PlanTaskNotFound("The plan task is used up."))
    used.add(task)
    return await proceed()


@fault("scan-plan-tasks-void", on=[*START, *TASKS])
async def _void_after_commit(call: Call, proceed: Proceed) -> Reply:
    """Plan tasks are void after a commit to their table."""
    # Give up plan tasks as soon as their table has changed.
    planned: dict[tuple[str, str], int] = call.state.setdefault("scan-planned-at", {})
    table, metadata = (call.path["namespace"], call.path["table"]), await table_there(call, proceed) or {}
    if call.operation.id in START:
        planned[table] = len(metadata.get("snapshots") or [])
    elif planned.get(table) != len(metadata.get("snapshots") or []):
        return refused(call, PlanTaskNotFound("The table has changed."))
    return await proceed()


@fault("scan-unknown-task-empty", on=TASKS)
async def _any_task(call: Call, proceed: Proceed) -> Reply:
    """A plan task that the server did not issue leads to nothing."""
    reply = await proceed()
    return json_reply({"file-scan-tasks": []}) if reply.status == 404 else reply


@fault("scan-cancel-ignored", on=CANCEL)
async def _cancelled_by_word(call: Call, proceed: Proceed) -> Reply:
    """A cancelled scan plan goes on as if nothing had been said."""
    # Say that a scan plan is cancelled, and do nothing.
    reply = await performed(call, proceed, "fetchPlanningResult")
    return reply if reply.status != 200 else Reply(204)


# States
fault("scan-tasks-later", "A completed scan plan has no tasks in its first answer: they can be fetched.", on=START)(
    body_becomes(_without_tasks, 200)
)
fault("scan-tasks-early", "A scan plan that goes on has tasks already, and nothing to ask for it by.", on=START)(
    body_becomes(lambda body: {**body, "status": "submitted", "plan-id": ""}, 200)
)
fault("scan-one-id", "All scan plans have the same id.", on=START)(answer_becomes(plan_id=lambda _id: "1"))
fault("scan-failure-hidden", "A scan plan that failed is completed, without files.", on=START)(
    body_becomes(_failure_hidden, 200)
)
fault("scan-result-other", "Under the id of a scan plan that is completed there is an empty one.", on=FETCH)(
    body_becomes(lambda _body: NOTHING, 200)
)
fault("scan-delegation-refused", "Scan plans take no wish for access to files.", on=START)(
    refuses_when(lambda call: "X-Iceberg-Access-Delegation" in call.request.headers, InvalidInput("No such header."))
)
fault("scan-credentials-elsewhere", "The credentials that come with a scan plan are for another place.", on=RESULTS)(
    answer_becomes(
        storage_credentials=lambda credentials: [
            {**credential, "prefix": "s3://elsewhere/"} for credential in credentials
        ]
    )
)
fault("scan-wanted-rows-limit", "A scan plan that says how many rows are wanted has one file at most.", on=START)(
    request_becomes(lambda body: {**body, "filter": False} if "min-rows-requested" in body else body)
)

# Plan tasks
fault("scan-plan-tasks-lost", "Files that do not fit into the first answer are forgotten.", on=RESULTS)(
    answer_becomes(plan_tasks=lambda _tasks: [])
)

# What is not there
fault("scan-missing-empty", "A table that is not there is planned as an empty one.", on=START)(
    again(answers(200, NOTHING), 404)
)
fault("scan-unknown-plan-cancelled", "A scan plan that never was is cancelled.", on=FETCH)(
    again(answers(200, {"status": "cancelled"}), 404)
)
