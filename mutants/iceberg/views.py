"""Views that are lost, confused with tables, or differ from their creation."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, content, each_of, fault, request_becomes
from reference_server.iceberg.faults.blocks import error_becomes, performed, refuses_when
from reference_server.iceberg.metadata.reading import Json

CREATE, LOAD, DROP, RENAME, REGISTER = ["createView"], ["loadView"], ["dropView"], ["renameView"], ["registerView"]
HISTORY_SIZE = "version.history.num-entries"


def representations_become(version: Json, representations: list[Json]) -> Json:
    """Return a version of a view with other texts."""
    return {**version, "representations": representations}


def _first_text(body: Json) -> Json:
    version = body["view-version"]
    return {**body, "view-version": representations_become(version, version["representations"][:1])}


def _first_column(body: Json) -> Json:
    return {**body, "schema": {**body["schema"], "fields": body["schema"]["fields"][:1]}}


def _undocumented(body: Json) -> Json:
    fields = [{key: column[key] for key in column if key != "doc"} for column in body["schema"]["fields"]]
    return {**body, "schema": {**body["schema"], "fields": fields}}


def _whole_history(body: Json) -> Json:
    kept = {key: value for key, value in (body.get("properties") or {}).items() if key != HISTORY_SIZE}
    return {**body, "properties": kept}


@fault("view-forgotten", on=CREATE)
async def _forgotten(call: Call, proceed: Proceed) -> Reply:
    """A creation of a view returns success, but the view does not exist afterwards."""
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


@fault("register-view-bare", on=REGISTER)
async def _bare(call: Call, proceed: Proceed) -> Reply:
    """A view that is registered loses its properties."""
    # Change a view that was registered, and answer with what it is then.
    reply = await proceed()
    if reply.status != 200:
        return reply
    removed = {"action": "remove-properties", "removals": list(orjson.loads(reply.body)["metadata"]["properties"])}
    return await performed(call, proceed, "replaceView", {"updates": [removed]}, view=(content(call) or {})["name"])


def _within(body: Json) -> Json:
    return {**body, "destination": {**body["destination"], "namespace": body["source"]["namespace"]}}


@fault("unregister-forgotten", on=["unregisterTable"])
async def _unregistered_in_words(call: Call, proceed: Proceed) -> Reply:
    """Unregistering a table is answered with the table, but it stays."""
    return await performed(call, proceed, "loadTable")


fault("view-first-text-alone", "Of the texts of a view the first is kept.", on=CREATE)(request_becomes(_first_text))
fault("view-first-column-alone", "The schema of a view has the first of its columns.", on=CREATE)(
    request_becomes(_first_column)
)
fault(
    "view-column-docs-lost", "createView forgets what a schema says of its columns beside names and types.", on=CREATE
)(request_becomes(_undocumented))
fault("view-history-endless", "How many versions a view is to keep is not heeded.", on=CREATE)(
    request_becomes(_whole_history)
)
fault("view-created-over", "The creation of a view takes the place of whatever has its name.", on=CREATE)(_created_over)
fault("view-referenced-by-refused", "loadView that names referencing views is refused.", on=LOAD)(
    refuses_when(lambda call: "referenced-by" in call.request.query, InvalidInput("There is no such parameter."))
)
fault("rename-view-within", "A renamed view stays in its namespace, whatever the new name says.", on=RENAME)(
    request_becomes(_within)
)

fault("register-view-crashes", "A failed registration of a view returns a server error.", on=REGISTER)(
    each_of(error_becomes(404, Internal("The file is null.")), error_becomes(400, Internal("The file is null.")))
)
fault("view-properties-lost", "A new view has none of the properties that the request gives it.", on=["createView"])(
    request_becomes(lambda body: {**body, "properties": {}})
)
