"""Wrong descriptions and alterations of transactions, and one fault that only concurrent clients see."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, content, fault, request_becomes, status_becomes
from reference_server.lance.faults.blocks import delimiter


@fault("merge-appends", on=["MergeInsertIntoTable"])
async def _appended(call: Call, proceed: Proceed) -> Reply:
    """Merging inserts all rows of the stream, matched or not."""
    call.turn_to("InsertIntoTable")
    return await proceed()


def _actions(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, "actions": edit(body["actions"])})


def _strict(action: dict[str, Any]) -> dict[str, Any]:
    return {name: {**fields, "mode": "Fail"} for name, fields in action.items()}


fault("actions-reversed", "The actions on a transaction are done the other way round.", on=["AlterTransaction"])(
    _actions(lambda actions: actions[::-1])
)
fault(
    "action-conflict-hidden",
    "AlterTransaction returns success for a conflict, and changes nothing.",
    on=["AlterTransaction"],
)(status_becomes(409, 200))
fault("actions-strict", "Every action fails where a property is otherwise than it wants it.", on=["AlterTransaction"])(
    _actions(lambda actions: [_strict(action) for action in actions])
)


@fault("transaction-id-refused", on=["DescribeTransaction", "AlterTransaction"])
async def _refuse_whole_id(call: Call, proceed: Proceed) -> Reply:
    """The id of a transaction, sent back as it was answered, is refused in a body."""
    parts = (content(call) or {}).get("id")
    if parts and delimiter(call) in parts[0]:
        return await answers(400, {"error": "The body names another object.", "code": 13})(call, proceed)
    return await proceed()
