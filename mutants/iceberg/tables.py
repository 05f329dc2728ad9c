"""Tables loaded, dropped, purged and renamed wrongly, and metrics reports."""

from __future__ import annotations

import uuid
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault, status_becomes
from reference_server.iceberg.faults.blocks import LOAD, answer_becomes, body_of, performed, refuses_when
from specs.identifiers import UNIT_SEPARATOR

DROP = ["dropTable"]


@fault("purge-unasked", on=DROP)
async def _purged(call: Call, proceed: Proceed) -> Reply:
    """The files of a table go when it is dropped, whatever the client wants."""
    call.request = call.request.altered(query={**call.request.query, "purgeRequested": ["true"]})
    return await proceed()


EXISTS, RENAME, METRICS = ["tableExists"], ["renameTable"], ["reportMetrics"]


@fault("snapshots-of-refs-only", on=LOAD)
async def _refs_only(call: Call, proceed: Proceed) -> Reply:
    """A load shows the snapshots of branches and tags alone, whichever are asked for."""
    call.request = call.request.altered(query={**call.request.query, "snapshots": ["refs"]})
    return await proceed()


@fault("snapshots-all-as-refs", on=LOAD)
async def _all_as_refs(call: Call, proceed: Proceed) -> Reply:
    """A load that asks for all snapshots by name shows those of branches and tags alone."""
    if call.request.query.get("snapshots") == ["all"]:
        call.request = call.request.altered(query={**call.request.query, "snapshots": ["refs"]})
    return await proceed()


@fault("name-inherits", on=["createTable", *DROP])
async def _inherited(call: Call, proceed: Proceed) -> Reply:
    """A table gets the properties of the one that had its name before."""
    left: dict[tuple[str, str], Any] = call.state.setdefault("name-inherits", {})
    if call.operation.id == "dropTable":
        dropped = body_of(await performed(call, proceed, "loadTable")).get("metadata") or {}
        left[call.path["namespace"], call.path["table"]] = dropped.get("properties") or {}
    body = content(call)
    if call.operation.id == "createTable" and body is not None:
        former = left.get((call.path["namespace"], str(body.get("name"))), {})
        given = body.get("properties") or {}
        if former and isinstance(given, dict):
            call.request = call.request.altered(body=orjson.dumps({**body, "properties": {**former, **given}}))
    return await proceed()


@fault("drop-reaches-below", on=DROP)
async def _below(call: Call, proceed: Proceed) -> Reply:
    """Dropping a table drops those in the namespace of its name too."""
    inner = UNIT_SEPARATOR.join((call.path["namespace"], call.path["table"]))
    listed = body_of(await performed(call, proceed, "listTables", namespace=inner)).get("identifiers") or ()
    reply = await proceed()
    for identifier in listed:
        await performed(call, proceed, "dropTable", namespace=inner, table=identifier["name"])
    return reply


@fault("drop-of-nothing", on=DROP)
async def _dropped_anyway(_call: Call, proceed: Proceed) -> Reply:
    """Dropping a table that does not exist is answered with success."""
    reply = await proceed()
    return Reply(204) if reply.status == 404 else reply


def _named(identifier: Any) -> dict[str, Any]:
    return {"namespace": UNIT_SEPARATOR.join(identifier["namespace"]), "table": identifier["name"]}


@fault("rename-copies", on=RENAME)
async def _copied(call: Call, proceed: Proceed) -> Reply:
    """A renamed table exists under both names."""
    # Rename, and make a table of the same schema under the old name.
    reply = await proceed()
    if reply.status == 204:
        body = content(call) or {}
        source, moved = _named(body["source"]), _named(body["destination"])
        metadata = body_of(await performed(call, proceed, "loadTable", **moved))["metadata"]
        again = {"name": source["table"], "schema": metadata["schemas"][0]}
        await performed(call, proceed, "createTable", again, namespace=source["namespace"])
    return reply


@fault("metrics-kept-in-table", on=METRICS)
async def _kept(call: Call, proceed: Proceed) -> Reply:
    """A report leaves its traces in the properties of the table."""
    reply = await proceed()
    if reply.status == 204:
        noted = {"action": "set-properties", "updates": {"last-report": call.request.id}}
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [noted]})
    return reply


fault("location-per-load", "Each loadTable returns another location of the metadata.", on=LOAD)(
    answer_becomes(metadata_location=lambda location: f"{location}?signature={uuid.uuid4()}")
)
fault("referenced-by-refused", "loadTable that names a referencing view is refused.", on=LOAD)(
    refuses_when(lambda call: "referenced-by" in call.request.query, InvalidInput("Unknown parameter: referenced-by"))
)

fault("purge-flag-literal", "The flag purgeRequested is understood in lower case alone.", on=DROP)(
    refuses_when(
        lambda call: call.request.query.get("purgeRequested", ["true"])[-1] not in ("true", "false"),
        InvalidInput("purgeRequested is not a boolean"),
    )
)

fault("metrics-as-200", "Reports are taken with 200.", on=METRICS)(status_becomes(204, 200))
