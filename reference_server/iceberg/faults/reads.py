"""Outdated reads."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import LISTS


@fault("stale-table", on=["loadTable"])
async def _remembered(call: Call, proceed: Proceed) -> Reply:
    """A load shows a table for ever as it was when it was first loaded."""
    known: dict[Any, Reply] = call.state.setdefault("stale-table", {})
    key = call.path["namespace"], call.path["table"], call.request.target.partition("?")[2]
    reply = known.get(key) or await proceed()
    if reply.status == 200:
        known[key] = reply
    return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))


@fault("lists-stale")
async def _stale(call: Call, proceed: Proceed) -> Reply:
    """A listing is answered as before the latest write."""
    # Answer a listing with what it answered before the last write.
    writes = call.state.setdefault("listing writes", 0)
    if call.operation.id not in LISTS:
        call.state["listing writes"] = writes + (call.operation.method != "GET")
        return await proceed()
    seen = call.state.setdefault("listings", {})
    key = call.request.target
    before = seen.get(key)
    reply = await proceed()
    seen[key] = (writes, replace(reply))
    return before[1] if before and before[0] < writes else reply


STALE_EVERY = 10


@dataclass(slots=True)
class _Looks:
    """Answers about a table: their number, the latest, and the one before it changed."""

    count: int = 0
    latest: Reply | None = None
    before: Reply | None = None


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
