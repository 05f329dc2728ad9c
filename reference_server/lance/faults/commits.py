"""Writes that are lost, torn or only acknowledged."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, answers, fault, status_becomes
from reference_server.lance.faults.blocks import BATCHES, version_parts

DROPS = ("DropNamespace", "DropTable", "DeregisterTable")
TORN_SECONDS = 0.02


@fault("torn-batch", on=BATCHES)
async def _torn(call: Call, proceed: Proceed) -> Reply:
    """Batches are done part by part: others see half of them, and what fails leaves half of them."""
    # Do the parts of a batch one after the other, and stop where one fails.
    name, parts = version_parts(call)
    results: dict[str, list[Any]] = {}
    for part in parts:
        call.request = call.request.altered(body=orjson.dumps({name: [part]}))
        reply = await proceed()
        if reply.status != 200:
            return reply
        for key, value in orjson.loads(reply.body).items():
            results.setdefault(key, []).extend(value if isinstance(value, list) else [])
        await asyncio.sleep(TORN_SECONDS)
    return json_reply(results)


WRITES = ("InsertIntoTable", "UpdateTable", "MergeInsertIntoTable", "CreateTableVersion")
CREATIONS = ("CreateNamespace", "CreateTable", "DeclareTable")


@fault("lost-update", on=WRITES)
async def _lost(call: Call, proceed: Proceed) -> Reply:
    """Of several concurrent writes to a table all return success, but only one is applied."""
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


fault("race-hidden", "A creation with a taken name returns success.", on=CREATIONS)(status_becomes(409, 200))
fault("drop-race-hidden", "DropTable of a missing table returns success.", on=["DropTable"])(status_becomes(404, 200))

fault("create-forgets", "Creations are answered with success, but nothing is created.", on=["CreateNamespace"])(
    answers(200, {"location": "file:///nowhere", "properties": {}})
)
fault("drop-keeps", "Drops are answered with success, but what was dropped stays.", on=DROPS)(answers(200, {}))
fault("insert-forgets", "InsertIntoTable is answered with success, but no row is added.", on=["InsertIntoTable"])(
    answers(200, {})
)
