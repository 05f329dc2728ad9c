"""Tables registered carelessly, and files that tables depend on."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import orjson

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, arguments_lost, content, declare, request_becomes
from reference_server.iceberg.faults.blocks import (
    TABLES_SHOWN,
    again,
    error_field_becomes,
    metadata_become,
    performed,
    refused,
)
from reference_server.iceberg.faults.creation_refusals import ANY_SCHEMA
from reference_server.iceberg.metadata.finalize import current_of
from reference_server.iceberg.metadata.reading import Json

REGISTER = ["registerTable"]


async def _forgotten(call: Call, proceed: Proceed) -> None:
    """Take the table that was just registered out of the catalog again."""
    await performed(call, proceed, "dropTable", table=(content(call) or {})["name"])


async def _anew(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    if reply.status != 200:
        return reply
    await _forgotten(call, proceed)
    schema = current_of(orjson.loads(reply.body)["metadata"], "schemas")
    return await performed(call, proceed, "createTable", {"name": (content(call) or {})["name"], "schema": schema})


declare(
    "registered-anew",
    "Registering a file creates a new table with its schema.",
    _anew,
    kills=[
        "iceberg.register.table.same",
        "iceberg.register.table.history",
        "iceberg.register.table.unknown_fields",
        "spark.iceberg.procedure.registered",
    ],
    on=REGISTER,
)
declare(
    "overwrite-unread",
    "A registration never takes the place of a table, also where it may.",
    arguments_lost("overwrite"),
    kills=["iceberg.register.table.overwrite"],
    on=REGISTER,
)
declare(
    "overwrite-always",
    "A registration takes the place of a table, also where it may not.",
    request_becomes(lambda body: {**body, "overwrite": True}),
    kills=["iceberg.register.table.taken"],
    on=REGISTER,
)


async def _purged(call: Call, proceed: Proceed) -> Reply:
    call.request = call.request.altered(query={"purgeRequested": ["true"]})
    return await proceed()


declare(
    "drop-purges",
    "Dropping a table always deletes its files.",
    _purged,
    kills=[
        "iceberg.register.table.after_drop",
        "iceberg.register.table.same",
        "iceberg.register.table.history",
        "spark.iceberg.procedure.registered",
    ],
    on=["dropTable"],
)


async def _unreadable(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    told = reply.status == 400 or (reply.status == 404 and b"NoSuch" not in reply.body)
    return refused(call, Internal("The metadata file cannot be read.")) if told else reply


declare(
    "unreadable-file-as-500",
    "A metadata file that is not there or holds something else is a bug of the server.",
    _unreadable,
    kills=[
        "iceberg.register.table.bad_file.*",
        "iceberg.register.table.view_file",
        "iceberg.register.table.outside",
        "iceberg.register.table.bad_body.*",
        "iceberg.table.load.lost_file",
    ],
    on=(*REGISTER, "loadTable"),
)


async def _unread(call: Call, proceed: Proceed) -> Reply:
    body = content(call) or {}
    return await performed(call, proceed, "createTable", {"name": body.get("name", "unnamed"), "schema": ANY_SCHEMA})


declare(
    "files-unread",
    "Whatever a registration names is taken for the file of a table.",
    again(_unread, 400, 404),
    kills=[
        "iceberg.register.table.bad_file.*",
        "iceberg.register.table.view_file",
        "iceberg.register.table.outside",
        "iceberg.register.table.bad_body.*",
    ],
    on=REGISTER,
)


async def _told(call: Call, proceed: Proceed) -> Reply:
    """Say why a file is no metadata with the words of a parser, which quotes it."""
    path = Path(urlsplit(str((content(call) or {}).get("metadata-location"))).path)
    piece = path.read_text() if path.is_file() else ""
    return await error_field_becomes("message", lambda _: f"Unrecognized token {piece}", 400, 403, 404)(call, proceed)


declare(
    "file-content-told",
    "Why a file is no metadata is told with a piece of it.",
    _told,
    kills=["iceberg.register.table.outside"],
    on=REGISTER,
)


async def _with_snapshot(call: Call, proceed: Proceed) -> Reply:
    """Refuse the file of a table that has no current snapshot."""
    reply = await proceed()
    if reply.status != 200 or orjson.loads(reply.body)["metadata"].get("current-snapshot-id") not in (None, -1):
        return reply
    await _forgotten(call, proceed)
    return refused(call, InvalidInput("Cannot find current snapshot -1"))


declare(
    "empty-tables-unread",
    "The metadata of a table without snapshots cannot be read.",
    _with_snapshot,
    kills=["iceberg.register.table.no_snapshot.*", "iceberg.register.table.after_drop"],
    on=REGISTER,
)


def _standard(table: Json) -> Json:
    return {key: table[key] for key in table if not key.startswith("x-")}


declare(
    "unknown-fields-lost",
    "Fields of metadata that the server does not know are dropped.",
    metadata_become(_standard),
    kills=["iceberg.register.table.unknown_fields"],
    on=TABLES_SHOWN,
)
