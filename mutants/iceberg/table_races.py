"""Faults that only concurrent clients see."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable

import orjson

from mutants.iceberg.creation_refusals import target
from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, fault
from reference_server.iceberg.faults.blocks import performed

MEETING_SECONDS = 0.02
COMMIT_SECONDS = 0.5


def _together(key: Callable[[Call], Hashable]) -> Around:
    """Let the first of those that meet do its work, and answer all of them as it is answered."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        under_way: dict[Hashable, asyncio.Future[Reply]] = call.state.setdefault("together", {})
        name = key(call)
        if name in under_way:
            reply = await asyncio.shield(under_way[name])
            return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))
        under_way[name] = asyncio.get_running_loop().create_future()
        await asyncio.sleep(MEETING_SECONDS)
        try:
            reply = await proceed()
            under_way[name].set_result(reply)
            return reply
        finally:
            del under_way[name]

    return around


def _namespace(call: Call) -> Hashable:
    return call.request.body if not call.request.body else str(orjson.loads(call.request.body).get("namespace"))


async def _conflict_hidden(call: Call, proceed: Proceed) -> Reply:
    """Let commits wait, so that others come too late, and answer those with the table as it is."""
    await asyncio.sleep(COMMIT_SECONDS)
    reply = await proceed()
    return await performed(call, proceed, "loadTable") if reply.status == 409 else reply


fault(
    "namespace-race-lost",
    "Of two concurrent creations of a namespace both return success, but only one creates it.",
    on=["createNamespace"],
)(_together(_namespace))
fault(
    "name-race-lost",
    "Of two concurrent requests for one name both return success, but only one gets it.",
    on=["createTable", "createView", "renameTable"],
)(_together(target))
fault(
    "commit-race-lost",
    "Of two concurrent commits both return success, but only one is applied.",
    on=["updateTable", "replaceView"],
)(_together(lambda call: tuple(sorted(call.path.items()))))
fault(
    "commit-conflict-hidden",
    f"A commit takes {COMMIT_SECONDS} seconds, and one that comes too late is answered as if it had been carried out.",
    on=["updateTable"],
)(_conflict_hidden)
