"""What was answered as done and is not."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    declare,
)
from reference_server.lance.faults.building import (
    DECLARES,
    DROPS,
    delimiter,
)


async def _cascading(call: Call, proceed: Proceed) -> Reply:
    body = orjson.loads(call.request.body or b"{}")
    call.request = call.request.altered(body=orjson.dumps({**body, "behavior": "Cascade"}))
    return await proceed()


async def _namespace_made(call: Call, proceed: Proceed) -> Reply:
    """Create the namespace of a table that cannot be created without it, and go on."""
    reply = await proceed()
    if reply.status != 404:
        return reply
    before = call.operation, call.path, call.request
    call.turn_to("CreateNamespace")
    call.path = {**call.path, "id": call.path["id"].rpartition(delimiter(call))[0]}
    call.request = call.request.altered(body=b"{}")
    await proceed()
    call.operation, call.path, call.request = before
    return await proceed()


# State
declare(
    "create-forgets",
    "Creations are answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    on=["CreateNamespace"],
)
declare(
    "create-table-forgets",
    "CreateTable is answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    on=["CreateTable"],
)
declare("drop-keeps", "Drops are answered with success, but what was dropped stays.", answers(200, {}), on=DROPS)
declare(
    "rename-forgets", "RenameTable is answered with success, but the name stays.", answers(200, {}), on=["RenameTable"]
)
declare(
    "insert-forgets",
    "InsertIntoTable is answered with success, but no row is added.",
    answers(200, {}),
    on=["InsertIntoTable"],
)
declare("restrict-ignored", "DropNamespace always cascades.", _cascading, on=["DropNamespace"])
declare("properties-lost", "Properties are not kept.", arguments_lost("properties"))
declare(
    "namespaces-spring-up",
    "A namespace that does not exist is created with the first table in it.",
    _namespace_made,
    on=DECLARES,
)
