"""What was answered as done and is not."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, arguments_lost, fault
from reference_server.lance.faults.building import DECLARES, DROPS, delimiter


@fault("restrict-ignored", on=["DropNamespace"])
async def _cascading(call: Call, proceed: Proceed) -> Reply:
    """DropNamespace always cascades."""
    body = orjson.loads(call.request.body or b"{}")
    call.request = call.request.altered(body=orjson.dumps({**body, "behavior": "Cascade"}))
    return await proceed()


@fault("namespaces-spring-up", on=DECLARES)
async def _namespace_made(call: Call, proceed: Proceed) -> Reply:
    """A namespace that does not exist is created with the first table in it."""
    # Create the namespace of a table that cannot be created without it, and go on.
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
fault("create-forgets", "Creations are answered with success, but nothing is created.", on=["CreateNamespace"])(
    answers(200, {"location": "file:///nowhere", "properties": {}})
)
fault("drop-keeps", "Drops are answered with success, but what was dropped stays.", on=DROPS)(answers(200, {}))
fault("insert-forgets", "InsertIntoTable is answered with success, but no row is added.", on=["InsertIntoTable"])(
    answers(200, {})
)
fault("properties-lost", "Properties are not kept.")(arguments_lost("properties"))
