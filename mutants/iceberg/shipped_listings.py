"""Bugs that catalogs have shipped: pages that end early, configuration without its fields, answers for another mode."""

from __future__ import annotations

from zlib import crc32

import orjson

from mutants.iceberg.blocks import when
from reference_server.context import Reply, json_reply
from reference_server.errors import Internal
from reference_server.faults import Call, Proceed, arguments_lost, fault, fields_lost
from reference_server.iceberg.faults.blocks import (
    CONDITION,
    ETAG,
    LISTS,
    LOAD,
    NEXT,
    SIZE,
    TAGGED,
    TOKEN,
    body_of,
    error_becomes,
    error_field_becomes,
    offset_of,
    performed,
    query_value,
)

_, LIST_TABLES, LIST_VIEWS = LISTS
FETCHED = 25  # what a store hands out at once


@fault("pages-filtered-late", on=[LIST_TABLES, LIST_VIEWS])
async def _filtered_late(call: Call, proceed: Proceed) -> Reply:
    """Pages are of tables and views alike; one kind is left out then, and a page without entries is the last."""
    issued: set[str] = call.state.setdefault("pages-filtered-late", {""})
    size, token = offset_of(query_value(call, SIZE)), query_value(call, TOKEN)
    if not size or token not in issued:
        return await proceed()
    asked = call.operation.id
    reply = await performed(call, proceed, asked)
    if reply.status != 200:
        return reply
    wanted = body_of(reply)["identifiers"]
    other = await performed(call, proceed, LIST_VIEWS if asked == LIST_TABLES else LIST_TABLES)
    names = (str(entry["name"]) for entry in [*wanted, *body_of(other).get("identifiers", [])])
    left = sorted(name for name in names if name > token)
    page = [entry for entry in wanted if str(entry["name"]) in left[:size]]
    if not page or len(left) <= size:
        return json_reply({"identifiers": page, NEXT: None})
    issued.add(left[size - 1])
    return json_reply({"identifiers": page, NEXT: left[size - 1]})


@fault("pages-end-with-a-fetch", on=LISTS)
async def _end_with_a_fetch(call: Call, proceed: Proceed) -> Reply:
    """Entries come from the store 25 at once; a page that ends with these has no token for the next one."""
    reply, size = await proceed(), offset_of(query_value(call, SIZE))
    if size and size % FETCHED == 0 and reply.status == 200:
        return json_reply({**body_of(reply), NEXT: None})
    return reply


@fault("refs-load-logs-itself", on=LOAD)
async def _logs_itself(call: Call, proceed: Proceed) -> Reply:
    """A load with snapshots=refs shows the present metadata file among the earlier ones."""
    reply = await proceed()
    if reply.status != 200 or query_value(call, "snapshots") != "refs":
        return reply
    body = body_of(reply)
    metadata = body["metadata"]
    entry = {"metadata-file": body["metadata-location"], "timestamp-ms": metadata["last-updated-ms"]}
    log = [*metadata.get("metadata-log", ()), entry]
    reply.body = orjson.dumps({**body, "metadata": {**metadata, "metadata-log": log}})
    return reply


@fault("etag-of-every-mode", on=TAGGED)
async def _of_every_mode(call: Call, proceed: Proceed) -> Reply:
    """A load of all snapshots and one of those of branches and tags have the same ETag, which answers both with 304."""
    headers = {name.title(): value for name, value in call.request.headers.items()}
    condition = headers.pop(CONDITION, None)
    call.request = call.request.altered(headers=headers)
    reply = await proceed()
    location = body_of(reply).get("metadata-location")
    if location:
        reply.headers[ETAG] = f'"{crc32(location.encode()):x}"'
    if call.operation.id in LOAD and condition is not None and condition == reply.headers.get(ETAG):
        return Reply(304, headers={ETAG: condition})
    return reply


fault("config-defaults-missing", "The configuration has no defaults.", on=["getConfig"])(fields_lost("defaults"))
fault("snapshot-mode-ignored", "loadTable shows all snapshots, whatever `snapshots` says.", on=LOAD)(
    arguments_lost("snapshots")
)
fault("page-token-crashes", "A page token that the server did not issue is an error of the server.", on=LISTS)(
    when(lambda call: bool(query_value(call, TOKEN)), error_becomes(400, Internal("Input byte[] should be ASCII")))
)
fault("error-type-internal", "Errors have the type of a base class of the server.")(
    error_field_becomes("type", lambda _: "BaseException", 400, 404, 409)
)
