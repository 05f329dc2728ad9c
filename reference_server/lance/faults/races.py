"""What only shows when several clients work at the same time, or one looks twice."""

from __future__ import annotations

import asyncio
from typing import Any

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, status_becomes

WRITES = ("InsertIntoTable", "UpdateTable", "MergeInsertIntoTable", "CreateTableVersion")

CREATIONS = ("CreateNamespace", "CreateTable", "DeclareTable")


@fault("lost-update", on=WRITES)
async def _lost(call: Call, proceed: Proceed) -> Reply:
    """Writers that meet at a table are all told that they succeeded, but only one of them did."""
    # Let the first of the writers that meet at a table write, and answer all of them as it is answered.
    under_way: dict[Any, asyncio.Future[Reply]] = call.state.setdefault("lost-update", {})
    key = call.operation.id, call.path["id"]
    if key in under_way:
        reply = await under_way[key]
        return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))
    under_way[key] = asyncio.get_running_loop().create_future()
    try:
        reply = await proceed()
        under_way[key].set_result(reply)
        return reply
    finally:
        del under_way[key]


@fault("merge-appends", on=["MergeInsertIntoTable"])
async def _appended(call: Call, proceed: Proceed) -> Reply:
    """Merging adds all rows of the stream, whatever is there."""
    call.turn_to("InsertIntoTable")
    return await proceed()


fault("race-hidden", "Who loses a race for a name is told that they won it.", on=CREATIONS)(status_becomes(409, 200))
fault("drop-race-hidden", "Whoever drops a table is told that they did it.", on=["DropTable"])(status_becomes(404, 200))
