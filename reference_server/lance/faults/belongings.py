"""Tables that lose what belongs to them beside their rows, or inherit it."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.lance.faults.building import delimiter
from specs.openapi import JSON_TYPE


async def _ask(call: Call, proceed: Proceed, operation: str, body: Any, **path: str) -> Any:
    """Return what another operation on the table of a call answers."""
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


@fault("belongings-inherited", on=["DropTable", "CreateTable"])
async def _inherited(call: Call, proceed: Proceed) -> Reply:
    """A table has the tags, indices and metadata of a dropped one of its name."""
    former = call.state.setdefault("belongings", {})
    operation, request, id = call.operation.id, call.request, call.path["id"]
    if operation == "DropTable":
        tags = (await _ask(call, proceed, "ListTableTags", {})).get("tags", {})
        indices = (await _ask(call, proceed, "ListTableIndices", {})).get("indexes", [])
        call.request = request.altered(query={**request.query, "load_detailed_metadata": ["true"]})
        schema = (await _ask(call, proceed, "DescribeTable", {})).get("schema") or {}
        former[id] = (tags, indices, schema.get("metadata") or {})
        call.turn_to(operation)
        call.request = request
        return await proceed()
    done = await proceed()
    tags, indices, metadata = former.pop(id, ({}, [], {})) if done.status == 200 else ({}, [], {})
    call.request = request.altered(query={})
    for tag in tags:
        await _ask(call, proceed, "CreateTableTag", {"tag": tag, "version": 1})
    for index in indices:
        body = {"column": index["columns"][0], "index_type": "BTREE", "name": index["index_name"]}
        await _ask(call, proceed, "CreateTableScalarIndex", body)
    if metadata:
        await _ask(call, proceed, "UpdateTableSchemaMetadata", metadata)
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
