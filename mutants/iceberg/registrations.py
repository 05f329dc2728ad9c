"""Wrong registrations of tables, and files that tables depend on."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import orjson

from mutants.iceberg.blocks import table_there
from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.errors import FileNotFound
from reference_server.iceberg.faults.blocks import error_field_becomes, performed, refused, refuses_when
from reference_server.iceberg.metadata.finalize import current_of
from reference_server.iceberg.metadata.reading import Json

REGISTER = ["registerTable"]
NO_COLUMNS: Json = {"type": "struct", "fields": []}


async def _forgotten(call: Call, proceed: Proceed) -> None:
    """Take the table that was just registered out of the catalog again."""
    await performed(call, proceed, "dropTable", table=(content(call) or {})["name"])


@fault("registered-anew", on=REGISTER)
async def _anew(call: Call, proceed: Proceed) -> Reply:
    """Registering a file creates a new table with its schema."""
    reply = await proceed()
    if reply.status != 200:
        return reply
    await _forgotten(call, proceed)
    schema = current_of(orjson.loads(reply.body)["metadata"], "schemas")
    return await performed(call, proceed, "createTable", {"name": (content(call) or {})["name"], "schema": schema})


@fault("drop-purges", on=["dropTable"])
async def _purged(call: Call, proceed: Proceed) -> Reply:
    """Dropping a table always deletes its files."""
    call.request = call.request.altered(query={"purgeRequested": ["true"]})
    return await proceed()


@fault("newest-file-shown", on=["loadTable"])
async def _newest(call: Call, proceed: Proceed) -> Reply:
    """A table is read from the file with the highest number in its folder, whoever wrote it."""
    reply = await proceed()
    if reply.status != 200:
        return reply
    answer = orjson.loads(reply.body)
    current = Path(urlsplit(answer["metadata-location"]).path)
    newest = max(current.parent.glob("*.metadata.json"), key=lambda file: file.name, default=current)
    if newest == current:
        return reply
    answer |= {"metadata-location": newest.as_uri(), "metadata": orjson.loads(newest.read_bytes())}
    return Reply(200, orjson.dumps(answer))


@fault("unreadable-file-as-500", on=(*REGISTER, "loadTable"))
async def _unreadable(call: Call, proceed: Proceed) -> Reply:
    """A metadata file that is not there or holds something else is a bug of the server."""
    reply = await proceed()
    unreadable = reply.status == 400 or (reply.status == 404 and b"NoSuch" not in reply.body)
    return refused(call, Internal("The metadata file cannot be read.")) if unreadable else reply


@fault("file-content-told", on=REGISTER)
async def _told(call: Call, proceed: Proceed) -> Reply:
    """The error about an invalid metadata file quotes a part of the file."""
    # Say why a file is no metadata with the words of a parser, which quotes it.
    path = Path(urlsplit(str((content(call) or {}).get("metadata-location"))).path)
    piece = path.read_text() if path.is_file() else ""
    return await error_field_becomes("message", lambda _: f"Unrecognized token {piece}", 400, 403, 404)(call, proceed)


@fault("empty-tables-unread", on=REGISTER)
async def _with_snapshot(call: Call, proceed: Proceed) -> Reply:
    """The metadata of a table without snapshots cannot be read."""
    # Refuse the file of a table that has no current snapshot.
    reply = await proceed()
    if reply.status != 200 or orjson.loads(reply.body)["metadata"].get("current-snapshot-id") not in (None, -1):
        return reply
    await _forgotten(call, proceed)
    return refused(call, InvalidInput("Cannot find current snapshot -1"))


@fault("register-overwrite-said", on=["registerTable"])
async def _overwritten_in_words(call: Call, proceed: Proceed) -> Reply:
    """A registration that is to overwrite a table is answered with that table, which stays as it is."""
    body = content(call) or {}
    there = body.get("overwrite") is True and await table_there(call, proceed, table=str(body.get("name")))
    return await (performed(call, proceed, "loadTable", table=body["name"]) if there else proceed())


REGISTER_ANY = ["registerTable", "registerView"]

fault(
    "files-never-written",
    "No metadata file is written: there is none at any location to register.",
    on=REGISTER_ANY,
)(refuses_when(lambda call: True, FileNotFound("The metadata file does not exist.")))


@fault("any-location-registered", on=REGISTER_ANY)
async def _any_location(call: Call, proceed: Proceed) -> Reply:
    """A location without a file is registered as an empty table or view."""
    reply = await proceed()
    if reply.status != 404 or b"NoSuch" in reply.body:
        return reply
    name = str((content(call) or {}).get("name"))
    if call.operation.id == "registerTable":
        return await performed(call, proceed, "createTable", {"name": name, "schema": NO_COLUMNS})
    version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "sql": "SELECT 1", "dialect": "spark"}],
        "default-namespace": [],
    }
    body = {"name": name, "schema": NO_COLUMNS, "view-version": version, "properties": {}}
    return await performed(call, proceed, "createView", body)
