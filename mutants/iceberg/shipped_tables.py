"""Bugs that catalogs have shipped: names that were dropped, files of neighbours, creations, and clients that meet."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import Internal, TableAlreadyExists, TableNotFound
from reference_server.faults import Call, Proceed, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import body_of, error_becomes, performed, query_value, refused, refuses_when
from specs.identifiers import UNIT_SEPARATOR

CREATE, LOAD, EXISTS, DROP, RENAME = "createTable", "loadTable", "tableExists", "dropTable", "renameTable"
LIST = "listTables"
Name = tuple[str, str]  # path of the namespace, and the table in it


def _of_path(call: Call) -> Name:
    return call.path["namespace"], call.path["table"]


def _identified(identifier: Any) -> Name:
    return UNIT_SEPARATOR.join(identifier["namespace"]), identifier["name"]


def _created(call: Call) -> Name:
    return call.path["namespace"], str((content(call) or {}).get("name"))


@fault("rename-to-dropped-refused", on=[DROP, CREATE, RENAME])
async def _dropped_blocks(call: Call, proceed: Proceed) -> Reply:
    """A table cannot get the name of one that was dropped by a rename, as if that were still there."""
    dropped: set[Name] = call.state.setdefault("rename-to-dropped-refused", set())
    if call.operation.id == RENAME and _identified((content(call) or {})["destination"]) in dropped:
        return refused(call, TableAlreadyExists("A table of this name exists already."))
    reply = await proceed()
    if call.operation.id == DROP and reply.status == 204:
        dropped.add(_of_path(call))
    elif call.operation.id == CREATE and reply.status == 200:
        dropped.discard(_created(call))
    return reply


@fault("rename-to-dropped-vanishes", on=[DROP, CREATE, RENAME])
async def _drop_comes_late(call: Call, proceed: Proceed) -> Reply:
    """A drop ends later than it is answered: it takes the table that was renamed to the dropped name meanwhile."""
    dropped: set[Name] = call.state.setdefault("rename-to-dropped-vanishes", set())
    reply = await proceed()
    if call.operation.id == DROP and reply.status == 204:
        dropped.add(_of_path(call))
    elif call.operation.id == CREATE and reply.status == 200:
        dropped.discard(_created(call))
    elif call.operation.id == RENAME and reply.status == 204:
        namespace, table = _identified((content(call) or {})["destination"])
        if (namespace, table) in dropped:
            await performed(call, proceed, DROP, namespace=namespace, table=table)
    return reply


@fault("files-of-neighbours-purged", on=[DROP, LOAD, EXISTS])
async def _neighbours_purged(call: Call, proceed: Proceed) -> Reply:
    """Dropping a table with its files deletes those of tables whose locations begin with its location as a text."""
    # Purge such tables, and show them as they were: the catalog has them still, their files are gone.
    kept: dict[Name, Reply] = call.state.setdefault("files-of-neighbours-purged", {})
    if call.operation.id != DROP:
        shown = kept.get(_of_path(call))
        if shown is None:
            return await proceed()
        return Reply(204) if call.operation.id == EXISTS else Reply(200, shown.body)
    location = (body_of(await performed(call, proceed, LOAD)).get("metadata") or {}).get("location")
    reply = await proceed()
    if reply.status != 204 or not location or (query_value(call, "purgeRequested") or "").lower() != "true":
        return reply
    for identifier in body_of(await performed(call, proceed, LIST)).get("identifiers", ()):
        loaded = await performed(call, proceed, LOAD, table=identifier["name"])
        if body_of(loaded)["metadata"]["location"].startswith(location):
            kept[call.path["namespace"], identifier["name"]] = loaded
            purge = {"purgeRequested": ["true"]}
            await performed(call, proceed, DROP, query=purge, table=identifier["name"])
    return reply


def _spec_lacks_ids(call: Call) -> bool:
    spec = (content(call) or {}).get("partition-spec") or {}
    return any(field.get("field-id") is None for field in spec.get("fields", ()))


fault(
    "rename-taken-as-missing",
    "A rename to a name that is taken returns 404, as if its source were missing.",
    on=[RENAME],
)(error_becomes(409, TableNotFound("The table to rename does not exist.")))
fault("partition-ids-needed", "A new table whose partition fields have no ids is an error of the server.", on=[CREATE])(
    refuses_when(_spec_lacks_ids, Internal("HTTP 400 Bad Request"))
)
fault("staged-is-created", "Staging a table creates it.", on=[CREATE])(
    request_becomes(lambda body: {**body, "stage-create": False})
)
