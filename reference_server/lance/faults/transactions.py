"""Transactions described and altered carelessly."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    body_becomes,
    content,
    declare,
    fields_lost,
    request_becomes,
    status_becomes,
)
from reference_server.lance.faults.building import delimiter

TRANSACTIONS = ("DescribeTransaction", "AlterTransaction")


async def _refuse_whole_id(call: Call, proceed: Proceed) -> Reply:
    """Refuse a body that has the id of a transaction as one text."""
    parts = (content(call) or {}).get("id")
    if parts and delimiter(call) in parts[0]:
        return await answers(400, {"error": "The body names another object.", "code": 13})(call, proceed)
    return await proceed()


declare(
    "transaction-id-refused",
    "The id of a transaction, sent back as it was answered, is refused in a body.",
    _refuse_whole_id,
    on=TRANSACTIONS,
)


def _actions(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, "actions": edit(body["actions"])})


async def _one_by_one(call: Call, proceed: Proceed) -> Reply:
    """Do the actions one after the other, and stop where one fails."""
    reply = Reply()
    for action in orjson.loads(call.request.body)["actions"]:
        call.request = call.request.altered(body=orjson.dumps({"actions": [action]}))
        reply = await proceed()
        if reply.status != 200:
            break
    return reply


def _strict(action: dict[str, Any]) -> dict[str, Any]:
    return {name: {**fields, "mode": "Fail"} for name, fields in action.items()}


declare(
    "transaction-status-wrong",
    "Every transaction is said to have failed.",
    body_becomes(lambda body: {**body, "status": "Failed"}, 200),
    on=["DescribeTransaction"],
)
declare("transaction-properties-lost", "Transactions have no properties.", fields_lost("properties"), on=TRANSACTIONS)
declare(
    "actions-reversed",
    "The actions on a transaction are done the other way round.",
    _actions(lambda actions: actions[::-1]),
    on=["AlterTransaction"],
)
declare(
    "actions-torn",
    "The actions on a transaction are done one by one; those before one that fails stay.",
    _one_by_one,
    on=["AlterTransaction"],
)
declare(
    "action-conflict-hidden",
    "What an action finds otherwise than it wants is overlooked.",
    status_becomes(409, 200),
    on=["AlterTransaction"],
)
declare(
    "actions-strict",
    "Every action fails where a property is otherwise than it wants it.",
    _actions(lambda actions: [_strict(action) for action in actions]),
    on=["AlterTransaction"],
)
