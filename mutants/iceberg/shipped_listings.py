"""Bugs that catalogs have shipped: pages that end early, configuration without its fields, answers for another mode."""

from __future__ import annotations

from typing import Any
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


@fault("pages-filtered-late", on=[LIST_TABLES])
async def _filtered_late(call: Call, proceed: Proceed) -> Reply:
    """A page is one of tables and views alike; views are left out then, and a page without tables is the last."""
    size, token = offset_of(query_value(call, SIZE)), query_value(call, TOKEN)
    reply = await performed(call, proceed, LIST_TABLES)
    if not size or token is None or not f"{token}0".isdecimal() or reply.status != 200:
        return await proceed()
    start = offset_of(token)
    tables = body_of(reply)["identifiers"]
    views = body_of(await performed(call, proceed, LIST_VIEWS)).get("identifiers", [])
    everything: list[Any] = sorted(tables + views, key=lambda entry: str(entry["name"]))
    page = [entry for entry in everything[start : start + size] if entry in tables]
    more = page and start + size < len(everything)
    return json_reply({"identifiers": page, NEXT: str(start + size) if more else None})


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
