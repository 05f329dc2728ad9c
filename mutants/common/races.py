"""Faults of every API that occur when requests meet."""

from __future__ import annotations

import asyncio
from copy import copy

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, declare

MOMENT_SECONDS = 0.01
RUNNING = "updates in progress"


def updates_coalesced(*operations: str) -> None:
    """Declare that of different updates of one object that meet one is done, for operations of an API."""
    breaks = "Of different updates of one object that meet one is done, and all clients get its answer."
    declare("updates-coalesced", breaks, _coalesced, on=operations)


async def _coalesced(call: Call, proceed: Proceed) -> Reply:
    running: dict[tuple[str, str], asyncio.Future[Reply]] = call.state.setdefault(RUNNING, {})
    key = (call.operation.id, call.request.target)
    if key in running:
        return copy(await asyncio.shield(running[key]))
    running[key] = asyncio.get_running_loop().create_future()
    try:
        await asyncio.sleep(MOMENT_SECONDS)
        reply = await proceed()
        running[key].set_result(copy(reply))
        return reply
    finally:
        running.pop(key).cancel()
