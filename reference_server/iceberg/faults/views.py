"""Views that are lost, mixed up with tables, or not what they were created as."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, answers, content, declare, request_becomes
from reference_server.iceberg.faults.blocks import (
    answer_becomes,
    each_of,
    error_becomes,
    metadata_become,
    performed,
    refused,
    refuses_when,
)
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import UNIT_SEPARATOR

CREATE, LOAD, DROP, RENAME, REGISTER = ["createView"], ["loadView"], ["dropView"], ["renameView"], ["registerView"]

HISTORY_SIZE = "version.history.num-entries"


def representations_become(version: Json, found: list[Json]) -> Json:
    """Return a version of a view with other texts."""
    return {**version, "representations": found}


def last_of_each_dialect(version: Json) -> Json:
    """Return a version of a view with the last text in each dialect."""
    texts = {one["dialect"].lower(): one for one in version["representations"]}
    return representations_become(version, list(texts.values()))


def _first_text(body: Json) -> Json:
    version = body["view-version"]
    return {**body, "view-version": representations_become(version, version["representations"][:1])}


def _own_dialects(body: Json) -> Json:
    return {**body, "view-version": last_of_each_dialect(body["view-version"])}


def _first_column(body: Json) -> Json:
    return {**body, "schema": {**body["schema"], "fields": body["schema"]["fields"][:1]}}


def _undocumented(body: Json) -> Json:
    fields = [{key: one[key] for key in one if key != "doc"} for one in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


def _whole_history(body: Json) -> Json:
    kept = {key: value for key, value in (body.get("properties") or {}).items() if key != HISTORY_SIZE}
    return {**body, "properties": kept}


async def _forgotten(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    await performed(call, proceed, "dropView", view=(content(call) or {})["name"])
    return reply


async def _free(call: Call, proceed: Proceed, namespace: str, name: str) -> None:
    """Drop whatever has a name."""
    await performed(call, proceed, "dropView", namespace=namespace, view=name)
    await performed(call, proceed, "dropTable", namespace=namespace, table=name)


async def _created_over(call: Call, proceed: Proceed) -> Reply:
    await _free(call, proceed, call.path["namespace"], (content(call) or {})["name"])
    return await proceed()


async def _renamed_over(call: Call, proceed: Proceed) -> Reply:
    target = (content(call) or {})["destination"]
    await _free(call, proceed, UNIT_SEPARATOR.join(target["namespace"]), target["name"])
    return await proceed()


async def _class_cast(call: Call, proceed: Proceed) -> Reply:
    """Stumble over a table where a view should be."""
    reply = await proceed()
    if reply.status == 404 and (await performed(call, proceed, "tableExists", table=call.path["view"])).status == 204:
        return refused(call, Internal("The entity is not a view."))
    return reply


async def _drops_tables(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return await performed(call, proceed, "dropTable", table=call.path["view"]) if reply.status == 404 else reply


async def _noted(call: Call, proceed: Proceed) -> Reply:
    """Change a view that was registered, and answer with what it is then."""
    reply = await proceed()
    if reply.status != 200:
        return reply
    note = {"action": "set-properties", "updates": {"registered-by": "catalog"}}
    return await performed(call, proceed, "replaceView", {"updates": [note]}, view=(content(call) or {})["name"])


def _within(body: Json) -> Json:
    return {**body, "destination": {**body["destination"], "namespace": body["source"]["namespace"]}}


async def _unregistered_in_words(call: Call, proceed: Proceed) -> Reply:
    return await performed(call, proceed, "loadTable")


declare(
    "view-forgotten",
    "The creation of a view is answered with success, but the view is gone at once.",
    _forgotten,
    on=CREATE,
)
declare("view-first-text-alone", "Of the texts of a view the first is kept.", request_becomes(_first_text), on=CREATE)
declare(
    "view-dialects-overwritten",
    "Of several texts in one dialect the last is kept.",
    request_becomes(_own_dialects),
    on=CREATE,
)
declare(
    "view-first-column-alone",
    "The schema of a view has the first of its columns.",
    request_becomes(_first_column),
    on=CREATE,
)
declare(
    "view-column-docs-lost",
    "createView forgets what a schema says of its columns beside names and types.",
    request_becomes(_undocumented),
    on=CREATE,
)
declare(
    "view-history-endless",
    "How many versions a view is to keep is not heeded.",
    request_becomes(_whole_history),
    on=CREATE,
)
declare(
    "view-created-over", "The creation of a view takes the place of whatever has its name.", _created_over, on=CREATE
)
declare(
    "view-location-of-its-folder",
    "A loaded view tells the folder of its metadata instead of their file.",
    answer_becomes(metadata_location=lambda found: found.rpartition("/")[0]),
    on=LOAD,
)
declare(
    "view-table-crashes",
    "A view under the name of a table ends in an error of the server.",
    _class_cast,
    on=[*LOAD, "viewExists", "replaceView"],
)
declare(
    "view-referenced-by-refused",
    "Who tells through which views a view is reached is refused.",
    refuses_when(lambda call: "referenced-by" in call.request.query, InvalidInput("There is no such parameter.")),
    on=LOAD,
)
declare(
    "drop-view-drops-tables",
    "Dropping a view drops a table where there is no view of this name.",
    _drops_tables,
    on=DROP,
)
declare(
    "rename-view-forgotten",
    "The renaming of a view is answered with success, but the name stays.",
    answers(204, None),
    on=RENAME,
)
declare(
    "rename-view-within",
    "A renamed view stays in its namespace, whatever the new name says.",
    request_becomes(_within),
    on=RENAME,
)
declare("rename-view-over", "A renamed view takes the place of whatever has its new name.", _renamed_over, on=RENAME)

# Registering
declare("register-view-noted", "A view that is registered gets a property that says so.", _noted, on=REGISTER)
declare(
    "register-view-crashes",
    "What cannot be registered as a view ends in an error of the server.",
    each_of(error_becomes(404, Internal("The file is null.")), error_becomes(400, Internal("The file is null."))),
    on=REGISTER,
)
declare(
    "register-view-over",
    "A view that is registered takes the place of whatever has its name.",
    _created_over,
    on=REGISTER,
)
declare(
    "unregister-forgotten",
    "Unregistering a table is answered with the table, but it stays.",
    _unregistered_in_words,
    on=["unregisterTable"],
)
declare(
    "unregister-without-history",
    "The table in the answer to its unregistration has no log of its files.",
    metadata_become(lambda found: {**found, "metadata-log": []}),
    on=["unregisterTable"],
)
