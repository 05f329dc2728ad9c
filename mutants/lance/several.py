"""Lists that are done in part, and operations that disregard others at the same time."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

import orjson

from mutants.lance.asking import send
from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, content, fault, request_becomes

LISTS = {
    "AlterTableAddColumns": "new_columns",
    "AlterTableAlterColumns": "alterations",
    "AlterTableDropColumns": "columns",
    "UpdateTable": "updates",
    "AlterTransaction": "actions",
    "BatchCommitTables": "operations",
    "BatchCreateTableVersions": "entries",
}


def _cut(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value[:-1] if isinstance(value, list) and len(value) > 1 else value for name, value in body.items()}


fault("lists-cut", "The last item of a list of several is not done.", on=list(LISTS))(request_becomes(_cut))


@fault("lists-torn", on=list(LISTS))
async def _torn_list(call: Call, proceed: Proceed) -> Reply:
    """The items of a list are done one by one: those beside a bad one are done although the request is refused."""
    name = LISTS[call.operation.id]
    body = content(call) or {}
    if len(body.get(name, [])) < 2:
        return await proceed()
    refused, request, last = None, call.request, Reply(200)
    for item in body[name]:
        call.request = request.altered(body=orjson.dumps({**body, name: [item]}))
        last = await proceed()
        refused = refused or (last if last.status >= 400 else None)
    return refused or last


# Operations that meet. Who is late in these faults meets what the other one left.

LATE_SECONDS = 0.03


@fault("insert-revives", on=["InsertIntoTable"])
async def _revives(call: Call, proceed: Proceed) -> Reply:
    """An insert that comes after the drop of its table creates the table again."""
    await asyncio.sleep(LATE_SECONDS)
    reply = await proceed()
    if reply.status == 404:
        call.turn_to("CreateTable")
        reply = await proceed()
        return json_reply({"version": 1}) if reply.status == 200 else reply
    return reply


def _branch_of(call: Call) -> str:
    """Return the branch of an insert, "" for the main one."""
    return call.request.query.get("branch", [""])[-1]


@fault("branch-insert-revives", on=["InsertIntoTable"])
async def _revives_branch(call: Call, proceed: Proceed) -> Reply:
    """An insert that comes after the deletion of its branch creates the branch again."""
    await asyncio.sleep(LATE_SECONDS)
    reply = await proceed()
    branch = _branch_of(call)
    if reply.status == 404 and branch:
        await send(call, proceed, "CreateTableBranch", {"name": branch})
        return await proceed()
    return reply


@fault("branches-share-writes", on=["InsertIntoTable"])
async def _shared(call: Call, proceed: Proceed) -> Reply:
    """An insert beside one into another branch is made in both."""
    table, branch = call.path["id"], _branch_of(call)
    written: list[str] = call.state.setdefault("branches being written", defaultdict(list))[table]
    others = [other for other in written if other != branch]
    written.append(branch)
    await asyncio.sleep(LATE_SECONDS)
    try:
        reply = await proceed()
        for other in others:
            before = call.request
            call.request = before.altered(query={**before.query, "branch": [other]})
            await proceed()
            call.request = before
        return reply
    finally:
        written.remove(branch)


@fault("late-insert-lost", on=["InsertIntoTable"])
async def _late_lost(call: Call, proceed: Proceed) -> Reply:
    """An insert that finds its table gone returns success."""
    await asyncio.sleep(LATE_SECONDS)
    reply = await proceed()
    return json_reply({"version": 1}) if reply.status == 404 else reply


@fault("late-drop-of-declared", on=["DeclareTable", "DropTable"])
async def _late_drop(call: Call, proceed: Proceed) -> Reply:
    """DeclareTable of a table that exists returns success, while its drop is on its way."""
    if call.operation.id == "DropTable":
        await asyncio.sleep(LATE_SECONDS)
        return await proceed()
    reply = await proceed()
    return json_reply({"location": "file:///nowhere"}) if reply.status == 409 else reply


@fault("late-drop-cascades", on=["DropNamespace"])
async def _late_cascade(call: Call, proceed: Proceed) -> Reply:
    """DropNamespace looks for tables first, and drops later also those that came meanwhile."""
    await asyncio.sleep(LATE_SECONDS)
    body = content(call) or {}
    call.request = call.request.altered(body=orjson.dumps({**body, "behavior": "Cascade"}))
    return await proceed()


@fault("rename-leaves-name", on=["RenameTable", "DropTable"])
async def _copies(call: Call, proceed: Proceed) -> Reply:
    """A rename that meets a drop leaves the old name behind."""
    if call.operation.id == "RenameTable":
        await asyncio.sleep(LATE_SECONDS)
        reply = await proceed()
        if reply.status == 404:
            call.turn_to("DeclareTable")
            call.request = call.request.altered(body=b"{}")
            await proceed()
        return reply
    return await proceed()


@fault("rename-of-missing", on=["RenameTable"])
async def _rename_missing(_call: Call, proceed: Proceed) -> Reply:
    """Renaming a table that is gone, or to a name that is taken, returns success."""
    reply = await proceed()
    return json_reply({}) if reply.status in (404, 409) else reply
