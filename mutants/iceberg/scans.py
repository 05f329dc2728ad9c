"""Scan plans with wrong states, ids and plan tasks."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, answers, body_becomes, content, fault
from reference_server.iceberg.errors import PlanTaskNotFound
from reference_server.iceberg.faults.blocks import FETCH, RESULTS, START, again, answer_becomes, refused
from reference_server.iceberg.metadata.reading import Json

CANCEL = ["cancelPlanning"]
TASKS = ["fetchScanTasks"]
NOTHING: Json = {"status": "completed", "file-scan-tasks": [], "plan-tasks": [], "delete-files": []}


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


@fault("scan-unknown-task-empty", on=TASKS)
async def _any_task(call: Call, proceed: Proceed) -> Reply:
    """A plan task that the server did not issue leads to nothing."""
    reply = await proceed()
    return json_reply({"file-scan-tasks": []}) if reply.status == 404 else reply


fault("scan-tasks-early", "A scan plan that goes on has tasks already, and nothing to ask for it by.", on=START)(
    body_becomes(lambda body: {**body, "status": "submitted", "plan-id": ""}, 200)
)
fault("scan-failure-hidden", "A scan plan that failed is completed, without files.", on=START)(
    body_becomes(_failure_hidden, 200)
)
fault("scan-result-other", "Under the id of a scan plan that is completed there is an empty one.", on=FETCH)(
    body_becomes(lambda _body: NOTHING, 200)
)
fault("scan-credentials-elsewhere", "The credentials that come with a scan plan are for another place.", on=RESULTS)(
    answer_becomes(
        storage_credentials=lambda credentials: [
            {**credential, "prefix": "s3://elsewhere/"} for credential in credentials
        ]
    )
)

fault("scan-missing-empty", "A table that is not there is planned as an empty one.", on=START)(
    again(answers(200, NOTHING), 404)
)
fault("scan-unknown-plan-cancelled", "A scan plan that never was is cancelled.", on=FETCH)(
    again(answers(200, {"status": "cancelled"}), 404)
)
