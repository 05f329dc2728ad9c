"""What only a history shows: every answer looks right, but no order of the operations explains them all."""

from __future__ import annotations

import asyncio
from copy import copy
from dataclasses import dataclass

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.catalog.idempotency import HEADER

STALE_EVERY = 10

MEETING_SECONDS = 0.02

TORN_SECONDS = 0.005


@fault("lost-update", on=["updateTable"])
async def _lost_update(call: Call, proceed: Proceed) -> Reply:
    """Writers that meet at a table are all told that they succeeded, but only one of them did."""
    # Let the first of the commits that meet at a table be done, and answer all of them as it is answered.
    under_way: dict[tuple[str, ...], asyncio.Future[Reply]] = call.state.setdefault("commits that meet", {})
    table = tuple(call.path.values())
    if table in under_way:
        return copy(await asyncio.shield(under_way[table]))
    under_way[table] = asyncio.get_running_loop().create_future()
    await asyncio.sleep(MEETING_SECONDS)
    try:
        reply = await proceed()
        under_way[table].set_result(reply)
        return copy(reply)
    finally:
        del under_way[table]


@fault("stale-read", on=["loadTable"])
async def _stale_read(call: Call, proceed: Proceed) -> Reply:
    """A read is answered as before the latest write."""
    # Answer one read of a table in ten as it was before its latest change.
    kept: dict[str, _Looks] = call.state.setdefault("tables as they were", {})
    looks = kept.setdefault(call.request.target, _Looks())
    reply = await proceed()
    looks.count += 1
    if looks.latest is None or looks.latest.body != reply.body:
        looks.before, looks.latest = looks.latest, copy(reply)
    return looks.before if looks.before and looks.count % STALE_EVERY == 0 else reply


@dataclass(slots=True)
class _Looks:
    """How a table was shown: how often, the latest time, and before it changed."""

    count: int = 0
    latest: Reply | None = None
    before: Reply | None = None


@fault("torn-transaction", on=["commitTransaction"])
async def _torn_transaction(call: Call, proceed: Proceed) -> Reply:
    """The changes of a transaction are carried out one after the other, up to the first that is refused."""
    # Carry out the changes of a transaction one after the other, up to the first that is refused.
    request = call.request
    reply = Reply(204)
    for change in orjson.loads(request.body).get("table-changes", []):
        call.request = request.altered(body=orjson.dumps({"table-changes": [change]}))
        reply = await proceed()
        if reply.status >= 400:
            return reply
        await asyncio.sleep(TORN_SECONDS)
    return reply


@fault("duplicate-apply", on=["updateTable", "commitTransaction"])
async def _duplicate_apply(call: Call, proceed: Proceed) -> Reply:
    """A commit that comes again with its idempotency key is carried out again, and answered as before."""
    # Carry out a commit that comes again with its key once more, and answer as before.
    answered: dict[str, Reply] = call.state.setdefault("answers to keys", {})
    key = call.request.headers.get(HEADER)
    if key is None:
        return await proceed()
    headers = {name: value for name, value in call.request.headers.items() if name.lower() != HEADER.lower()}
    call.request = call.request.altered(headers=headers)
    reply = await proceed()
    return copy(answered.setdefault(key, copy(reply)))
