"""Tables that lose tags, indices or properties, or inherit them, and changes that are acknowledged but not stored."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.lance.indices import DECLARES
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, arguments_lost, fault
from reference_server.lance.faults.blocks import delimiter
from specs.openapi import JSON_TYPE


async def _ask(call: Call, proceed: Proceed, operation: str, body: Any, **path: str) -> Any:
    """Return the body that another operation on the table of a call returns, an empty object for an error."""
    call.turn_to(operation)
    call.path = {"id": call.path["id"], **path}
    call.request = call.request.altered(body=orjson.dumps(body), headers={"Content-Type": JSON_TYPE})
    reply = await proceed()
    return orjson.loads(reply.body) if reply.status == 200 and reply.body else {}


@fault("belongings-lost", on=["RenameTable", "RegisterTable", "RestoreTable"])
async def _lost(call: Call, proceed: Proceed) -> Reply:
    """A table that is renamed, registered or restored has no tags, indices, metadata or earlier versions any more."""
    operation, body = call.operation.id, orjson.loads(call.request.body)
    done = await proceed()
    if done.status != 200:
        return done
    if operation == "RenameTable":
        namespace = body.get("new_namespace_id")
        parts = call.path["id"].split(delimiter(call))[:-1] if namespace is None else namespace
        call.path = {"id": delimiter(call).join([*parts, body["new_table_name"]])}
    for tag in (await _ask(call, proceed, "ListTableTags", {})).get("tags", {}):
        await _ask(call, proceed, "DeleteTableTag", {"tag": tag})
    for index in (await _ask(call, proceed, "ListTableIndices", {})).get("indexes", []):
        await _ask(call, proceed, "DropTableIndex", {}, index_name=index["index_name"])
    await _ask(call, proceed, "UpdateTableSchemaMetadata", {})
    if operation != "RestoreTable":
        latest = (await _ask(call, proceed, "DescribeTableVersion", {})).get("version", {}).get("version", 0)
        ranges = [{"start_version": 0, "end_version": latest}]
        await _ask(call, proceed, "BatchDeleteTableVersions", {"ranges": ranges})
    return done


@fault("rename-registers", on=["RenameTable"])
async def _registered(call: Call, proceed: Proceed) -> Reply:
    """A renamed table is registered anew, without the properties that the catalog kept of it."""
    body = orjson.loads(call.request.body)
    parts = call.path["id"].split(delimiter(call))[:-1] if body.get("new_namespace_id") is None else []
    location = (await _ask(call, proceed, "DeregisterTable", {})).get("location", "")
    call.path = {"id": delimiter(call).join([*parts, *(body.get("new_namespace_id") or []), body["new_table_name"]])}
    call.turn_to("RegisterTable")
    call.request = call.request.altered(body=orjson.dumps({"location": location}))
    return await proceed()


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


fault("properties-lost", "Properties are not kept.")(arguments_lost("properties"))
