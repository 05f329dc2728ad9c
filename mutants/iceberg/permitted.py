"""Deviations that users reported as bugs, and that the documents permit: no requirement that is a MUST blames them."""

from __future__ import annotations

import asyncio
from collections import Counter

from mutants.iceberg.table_races import MEETING_SECONDS
from reference_server.context import Reply
from reference_server.errors import InvalidInput, ServiceUnavailable, Unsupported
from reference_server.faults import Call, Proceed, arguments_lost, content, fault
from reference_server.iceberg.faults.blocks import CONDITION, ETAG, LISTS, SIZE, TAGGED, TOKEN, body_of, refused

RENAMES = ["renameTable", "renameView"]


@fault("loads-always-in-full", on=TAGGED)
async def _in_full(call: Call, proceed: Proceed) -> Reply:
    """Answers have no ETag, and a load is answered in full whatever the client has already."""
    headers = {name.title(): value for name, value in call.request.headers.items() if name.title() != CONDITION}
    call.request = call.request.altered(headers=headers)
    reply = await proceed()
    reply.headers.pop(ETAG, None)
    return reply


@fault("renames-within-namespaces", on=RENAMES)
async def _within(call: Call, proceed: Proceed) -> Reply:
    """A rename to another namespace is refused as unsupported."""
    body = content(call) or {}
    if body["source"]["namespace"] != body["destination"]["namespace"]:
        return refused(call, Unsupported("Tables cannot be moved to another namespace."))
    return await proceed()


@fault("locations-used-once", on=["createTable"])
async def _once(call: Call, proceed: Proceed) -> Reply:
    """A new table is refused at a location where another one has lain, as there may be files."""
    used: set[str] = call.state.setdefault("locations-used-once", set())
    wanted = (content(call) or {}).get("location")
    if isinstance(wanted, str) and wanted.rstrip("/") in used:
        return refused(call, InvalidInput("Unexpected files in the location: it has to be empty."))
    reply = await proceed()
    location = (body_of(reply).get("metadata") or {}).get("location")
    if location:
        used.add(location.rstrip("/"))
    return reply


@fault("second-drop-unavailable", on=["dropTable"])
async def _loser_unavailable(call: Call, proceed: Proceed) -> Reply:
    """Of two concurrent drops of a table the one that comes too late returns 503."""
    under_way: Counter[tuple[str, str]] = call.state.setdefault("second-drop-unavailable", Counter())
    met: set[tuple[str, str]] = call.state.setdefault("second-drop-unavailable met", set())
    name = call.path["namespace"], call.path["table"]
    under_way[name] += 1
    if under_way[name] > 1:
        met.add(name)
    await asyncio.sleep(MEETING_SECONDS)
    reply = await proceed()
    under_way[name] -= 1
    late = name in met and reply.status == 404
    return refused(call, ServiceUnavailable("Failed to drop the table.")) if late else reply


fault("pages-never", "Listings are answered in one piece, whatever page is asked for.", on=LISTS)(
    arguments_lost(TOKEN, SIZE)
)
