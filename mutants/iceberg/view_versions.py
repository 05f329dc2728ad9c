"""Versions of views that refer to another schema than was said, or are stored in part."""

from __future__ import annotations

from typing import Any

from mutants.iceberg.blocks import VIEWS_SHOWN, each_update, metadata_become, updates_become
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import refuses_when
from reference_server.iceberg.metadata.reading import Json

REPLACE, CREATE = ["replaceView"], ["createView"]
ADD, LAST_ADDED = "add-view-version", -1


def _thin(update: Json) -> Json:
    """Return the addition of a version with its first text alone, and with no defaults but an empty namespace."""
    version = {key: value for key, value in update["view-version"].items() if key != "default-catalog"}
    thin = {"representations": version["representations"][:1], "default-namespace": [], "summary": {}}
    return {**update, "view-version": {**version, **thin}}


def _of_schema(id: int) -> Any:
    return lambda update: {**update, "view-version": {**update["view-version"], "schema-id": id}}


fault("view-versions-thin", "A version added to a view keeps one text and loses its defaults and summary.", on=REPLACE)(
    each_update(ADD, _thin)
)
fault("view-versions-of-first-schema", "Each version added to a view has the first schema.", on=REPLACE)(
    each_update(ADD, _of_schema(0))
)
fault("view-versions-of-last-schema", "Each version added to a view has the schema added last.", on=REPLACE)(
    each_update(ADD, _of_schema(LAST_ADDED))
)
fault("view-version-by-id-overlooked", "A version that is named by its id does not become current.", on=REPLACE)(
    updates_become(
        lambda updates: [update for update in updates if update.get("view-version-id", LAST_ADDED) == LAST_ADDED]
    )
)


@fault("view-schema-ids-as-claimed", on=["createView", "loadView"])
async def _as_claimed(call: Call, proceed: Proceed) -> Reply:
    """The version of a new view shows the schema-id of the request, and the schema that of the server."""
    claimed = call.state.setdefault("claimed-schema-ids", {})
    body = content(call) or {}
    if call.operation.id == "createView":
        reply = await proceed()
        if reply.status == 200:
            claimed[(call.path["namespace"], body["name"])] = body["view-version"]["schema-id"]
        return reply
    id = claimed.get((call.path["namespace"], call.path["view"]))
    if not id:
        return await proceed()
    return await metadata_become(
        lambda metadata: {**metadata, "versions": [{**entry, "schema-id": id} for entry in metadata["versions"]]}
    )(call, proceed)


def _lacks_id(call: Call) -> bool:
    return "schema-id" not in (content(call) or {}).get("schema", {"schema-id": 0})


fault("view-schema-ids-wanted", "A new view whose schema has no id is refused.", on=CREATE)(
    refuses_when(_lacks_id, InvalidInput("Missing schema-id."))
)


def _alike(metadata: Json) -> Json:
    """Return a view whose versions have the texts of the current one."""
    current = next(entry for entry in metadata["versions"] if entry["version-id"] == metadata["current-version-id"])
    texts = {"representations": current["representations"], "schema-id": current["schema-id"]}
    return {**metadata, "versions": [{**entry, **texts} for entry in metadata["versions"]]}


fault("view-versions-alike", "Earlier versions of a view show the texts of the current one.", on=VIEWS_SHOWN)(
    metadata_become(_alike)
)
