"""Wrong versions of tables created by clients, and wrong batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Around,
    Call,
    Proceed,
    arguments_lost,
    body_becomes,
    fault,
    request_becomes,
    status_becomes,
)
from reference_server.lance.faults.blocks import BATCHES, version_parts


@fault("managed-in-vain", on=["DescribeTable", "CreateTableVersion"])
async def _managed_in_vain(call: Call, proceed: Proceed) -> Reply:
    """Tables are reported as managed by the catalog, which has no operation for versions."""
    # Say that versions are kept through the catalog, and refuse to keep them.
    if call.operation.id == "CreateTableVersion":
        return json_reply({"error": "This server does not have the operation.", "code": 0}, 406)
    return await body_becomes(lambda body: {**body, "managed_versioning": True}, 200)(call, proceed)


def _longer(bounds: dict[str, int]) -> dict[str, int]:
    return {**bounds, "end_version": bounds["end_version"] + 1}


def _split(value: Any, by: str) -> Any:
    """Return a part of a batch in which the names of identifiers are split by a delimiter."""
    if not isinstance(value, dict):
        return value
    whole = {name: _split(part, by) for name, part in value.items()}
    return {**whole, "id": by.join(whole["id"]).split(by)} if isinstance(whole.get("id"), list) else whole


def _parts_become(*edits: Any) -> Around:
    async def around(call: Call, proceed: Proceed) -> Reply:
        name, parts = version_parts(call)
        for edit in edits:
            parts = edit(parts)
        call.request = call.request.altered(body=orjson.dumps({name: parts}))
        return await proceed()

    return around


@fault("batch-splits-names", on=BATCHES)
async def _names_split(call: Call, proceed: Proceed) -> Reply:
    """The names in a batch are split by the delimiter of the request."""
    by = call.request.query.get("delimiter", ["$"])[-1]
    return await _parts_become(lambda parts: [_split(part, by) for part in parts])(call, proceed)


def _first_range(part: dict[str, Any]) -> dict[str, Any]:
    deleting = part.get("delete_table_versions")
    return {"delete_table_versions": {**deleting, "ranges": deleting["ranges"][:1]}} if deleting else part


fault("version-conflict-hidden", "CreateTableVersion tells everybody that they succeeded.", on=["CreateTableVersion"])(
    status_becomes(409, 200)
)


@fault("naming-scheme-to-the-letter", on=["CreateTableVersion"])
async def _scheme_to_the_letter(call: Call, proceed: Proceed) -> Reply:
    """A manifest gets a name of the scheme V1 where that is asked for, beside others that have names of V2."""
    reply = await proceed()
    if reply.status == 200 and orjson.loads(call.request.body).get("naming_scheme") == "V1":
        made = orjson.loads(reply.body)["version"]
        manifest = Path("/", made["manifest_path"])
        manifest.rename(manifest.with_name(f"{made['version']}.manifest"))
    return reply


@fault("same-request-same-version", on=["CreateTableVersion", "BatchCreateTableVersions", "BatchCommitTables"])
async def _same_request(call: Call, proceed: Proceed) -> Reply:
    """A request that creates a version returns success again when it is sent again with the same body."""
    done: dict[tuple[str, bytes], tuple[int, bytes]] = call.state.setdefault("requests that created versions", {})
    key = (call.request.target, call.request.body)
    if key in done and b"manifest_path" in call.request.body:
        return Reply(*done[key])
    reply = await proceed()
    if reply.status == 200:
        done[key] = (reply.status, reply.body)
    return reply


fault("ranges-closed", "Ranges of versions include their end.", on=["BatchDeleteTableVersions"])(
    request_becomes(lambda body: {**body, "ranges": [_longer(bounds) for bounds in body["ranges"]]})
)
fault(
    "ranges-ignored",
    "BatchDeleteTableVersions deletes the oldest versions, whichever are asked for.",
    on=["BatchDeleteTableVersions"],
)(request_becomes(lambda body: {**body, "ranges": [{"start_version": 0, "end_version": 3}]}))
fault("batch-forgets-last", "The last part of a batch is not done.", on=BATCHES)(
    _parts_become(lambda parts: parts[:-1])
)
fault("batch-reversed", "The parts of a batch are done, and answered, the other way round.", on=BATCHES)(
    _parts_become(lambda parts: parts[::-1])
)
fault("batch-first-range", "Of several ranges of versions the first is deleted.", on=["BatchCommitTables"])(
    _parts_become(lambda parts: [_first_range(part) for part in parts])
)
fault("batch-first-field", "Of an operation that is two, the first is done.", on=["BatchCommitTables"])(
    _parts_become(lambda parts: [dict([*part.items()][:1]) for part in parts])
)


@fault("versions-hold-rows", on=["BatchDeleteTableVersions"])
async def _rows_deleted(call: Call, proceed: Proceed) -> Reply:
    """The rows of a table go with its versions."""
    if orjson.loads(call.request.body)["ranges"] != [{"start_version": 0, "end_version": -1}]:
        return await proceed()
    operation, request = call.operation, call.request
    call.turn_to("DeleteFromTable")
    call.request = request.altered(body=b'{"predicate": "true"}')
    await proceed()
    call.operation, call.request = operation, request
    return await proceed()


fault("version-record-lost", "The record of a created version is not stored.", on=["CreateTableVersion"])(
    arguments_lost("e_tag", "metadata")
)
fault("naming-scheme-ignored", "Any word is taken for a naming scheme.", on=["CreateTableVersion"])(
    arguments_lost("naming_scheme")
)
