"""Transactions that are not atomic, and commits that cannot be read."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import Internal
from reference_server.faults import Call, Proceed, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import again, performed, refuses_when

COMMIT = ["commitTransaction"]
CHANGES = "table-changes"
MOST_CHANGES = 5
PAUSE_SECONDS = 0.002


def _changes(call: Call) -> list[Any]:
    changes = (content(call) or {}).get(CHANGES)
    return changes if isinstance(changes, list) else []


def _changes_become(edit: Any) -> Any:
    return request_becomes(lambda body: {**body, CHANGES: edit(body[CHANGES])})


fault("transaction-of-five", f"Of a transaction the first {MOST_CHANGES} changes are made.", on=COMMIT)(
    _changes_become(lambda changes: changes[:MOST_CHANGES])
)


@fault("transaction-torn", on=COMMIT)
async def _torn(call: Call, proceed: Proceed) -> Reply:
    """The changes of a transaction are made one after the other, also when one of them fails."""
    # Make the changes one after the other; a failure is told, but the others are made.
    failures: list[Reply] = []
    reply = Reply(204)
    for change in _changes(call):
        call.request = call.request.altered(body=orjson.dumps({CHANGES: [change]}))
        reply = await proceed()
        await asyncio.sleep(PAUSE_SECONDS)
        failures += [reply] if reply.status >= 400 else []
    return failures[0] if failures else reply


async def _nothing(_call: Call, _proceed: Proceed) -> Reply:
    return Reply(204)


async def _empty(call: Call, proceed: Proceed) -> Reply:
    return await performed(call, proceed, "updateTable", {"requirements": [], "updates": []})


fault("first-change-only", "Of a transaction only the first change is made.", on=COMMIT)(
    _changes_become(lambda changes: changes[:1])
)
fault("empty-transaction-fails", "A transaction without changes makes the server fail.", on=COMMIT)(
    refuses_when(lambda call: content(call) == {CHANGES: []}, Internal("Index 0 out of bounds for length 0"))
)

fault(
    "unreadable-transaction-empty",
    "A transaction that cannot be read is taken for one that changes nothing.",
    on=COMMIT,
)(again(_nothing, 400))
fault(
    "unreadable-commit-empty", "A commit that cannot be read is taken for one that changes nothing.", on=["updateTable"]
)(again(_empty, 400))
