"""Commits and drops that are lost, torn, repeated or answered wrongly."""

from __future__ import annotations

import asyncio
from copy import copy

import orjson

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.faults import Call, Proceed, answers, fault
from reference_server.iceberg.catalog.idempotency import HEADER
from reference_server.iceberg.errors import CommitFailed, CommitStateUnknown, render_error
from reference_server.iceberg.faults.blocks import (
    COMMIT,
    DROPS,
    TABLE_COMMITS,
    again,
    performed,
    refused,
    requirements_become,
)


@fault("commit-answers-before", on=COMMIT)
async def _before(call: Call, proceed: Proceed) -> Reply:
    """A commit is answered with the table as it was before."""
    before = await performed(call, proceed, "loadTable")
    reply = await proceed()
    return before if reply.status == before.status else reply


async def _applied_anyway(call: Call, proceed: Proceed) -> Reply:
    await requirements_become(lambda _: [])(call, proceed)
    return refused(call, CommitFailed("Requirement failed: somebody else has changed the table."))


fault("conflict-after-commit", "A commit that comes too late is refused, but applied all the same.", on=TABLE_COMMITS)(
    again(_applied_anyway, 409)
)

COMMITS = ("updateTable", "commitTransaction", "replaceView")


def _refused(call: Call, error: CatalogError) -> Reply:
    return render_error(error, call.request)


@fault("commit-state-unknown", on=COMMITS)
async def _state_unknown(call: Call, proceed: Proceed) -> Reply:
    """A commit is carried out, but answered with 500: its state is unknown."""
    # Carry out the commit, and answer as if nobody knew whether it was.
    await proceed()
    return _refused(call, CommitStateUnknown("The answer of the storage to the commit was lost."))


@fault("commit-conflict", on=COMMITS)
async def _conflict(call: Call, _proceed: Proceed) -> Reply:
    """A commit is answered with 409 and not carried out."""
    return _refused(call, CommitFailed("Requirement failed: somebody else has changed the table."))


fault("drops-forgotten", "Drops are answered with success, but what was dropped stays.", on=DROPS)(answers(204, None))

MEETING_SECONDS = 0.02
TORN_SECONDS = 0.005


@fault("lost-update", on=["updateTable"])
async def _lost_update(call: Call, proceed: Proceed) -> Reply:
    """Of several concurrent writes to a table all return success, but only one is applied."""
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
