"""Bugs that catalogs have shipped: views that go back to an earlier definition, and ids of their schemas."""

from __future__ import annotations

import orjson

from mutants.iceberg.blocks import VIEWS_SHOWN, metadata_become, updates_of
from reference_server.context import Reply
from reference_server.errors import Internal
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import body_of, performed, refused
from reference_server.iceberg.metadata.reading import Json

CREATE, LOAD, ADD = "createView", "loadView", "add-view-version"


@fault("view-definition-again-crashes", on=["replaceView"])
async def _again_crashes(call: Call, proceed: Proceed) -> Reply:
    """Replacing the definition of a view by one that it had before is an error of the server."""
    added = [update["view-version"]["representations"] for update in updates_of(call) if update["action"] == ADD]
    before = body_of(await performed(call, proceed, LOAD)).get("metadata") if added else None
    if before:
        earlier = [
            version["representations"]
            for version in before["versions"]
            if version["version-id"] != before["current-version-id"]
        ]
        if added[-1] in earlier:
            return refused(call, Internal("The timestamp of the version is before the last entry of the log."))
    return await proceed()


def _old_times(metadata: Json) -> Json:
    times = {version["version-id"]: version["timestamp-ms"] for version in metadata["versions"]}
    log = [
        {**entry, "timestamp-ms": times.get(entry["version-id"], entry["timestamp-ms"])}
        for entry in metadata["version-log"]
    ]
    return {**metadata, "version-log": log}


@fault("view-schema-id-as-sent", on=VIEWS_SHOWN)
async def _schema_id_as_sent(call: Call, proceed: Proceed) -> Reply:
    """The first version of a view refers to its schema by the id that the client sent, not by the one that it got."""
    sent: dict[str, int] = call.state.setdefault("view-schema-id-as-sent", {})
    body = content(call) or {}
    reply = await proceed()
    metadata = body_of(reply).get("metadata")
    if not metadata:
        return reply
    if call.operation.id == CREATE:
        sent[metadata["view-uuid"]] = body["view-version"]["schema-id"]
    id = sent.get(metadata["view-uuid"])
    first, *others = metadata["versions"]
    if id is None:
        return reply
    shown = {**metadata, "versions": [{**first, "schema-id": id}, *others]}
    return Reply(200, orjson.dumps({**body_of(reply), "metadata": shown}), headers=reply.headers)


fault(
    "view-log-has-old-times",
    "A version that a view goes back to is in its log with the time at which it was made.",
    on=VIEWS_SHOWN,
)(metadata_become(_old_times))
