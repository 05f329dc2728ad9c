"""Tables loaded, dropped and renamed carelessly, and reports on them."""

from __future__ import annotations

import uuid
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault, status_becomes
from reference_server.iceberg.faults.blocks import answer_becomes, body_of, performed, refuses_when
from specs.identifiers import UNIT_SEPARATOR

LOAD, EXISTS, DROP, RENAME, METRICS = ["loadTable"], ["tableExists"], ["dropTable"], ["renameTable"], ["reportMetrics"]

DELEGATION = "X-Iceberg-Access-Delegation"

VIEW_OPERATIONS = {"loadTable": "loadView", "tableExists": "viewExists", "dropTable": "dropView"}


@fault("views-are-tables", on=list(VIEW_OPERATIONS))
async def _view_instead(call: Call, proceed: Proceed) -> Reply:
    """A view is found under its name when a table is looked for."""
    reply = await proceed()
    if reply.status != 404:
        return reply
    return await performed(call, proceed, VIEW_OPERATIONS[call.operation.id], view=call.path["table"])


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
    """A renamed table is there under both names."""
    # Rename, and make a table of the same schema under the old name.
    reply = await proceed()
    if reply.status == 204:
        body = content(call) or {}
        source, moved = _named(body["source"]), _named(body["destination"])
        metadata = body_of(await performed(call, proceed, "loadTable", **moved))["metadata"]
        again = {"name": source["table"], "schema": metadata["schemas"][0]}
        await performed(call, proceed, "createTable", again, namespace=source["namespace"])
    return reply


@fault("purge-by-old-name", on=("renameTable", "dropTable"))
async def _purged_under_old_name(call: Call, proceed: Proceed) -> Reply:
    """Purging a renamed table destroys the table that has its old name by now."""
    # Purge what lies under the name that a table was created with, not under the one that it was given later.
    former: dict[tuple[str, str], dict[str, Any]] = call.state.setdefault("purge-by-old-name", {})
    if call.operation.id == "renameTable":
        body = content(call) or {}
        moved = _named(body["destination"])
        former[moved["namespace"], moved["table"]] = _named(body["source"])
        return await proceed()
    old = former.pop((call.path["namespace"], call.path["table"]), None)
    if old and "purgeRequested" in call.request.query:
        await performed(call, proceed, "dropTable", **old)
    return await proceed()


@fault("metrics-kept-in-table", on=METRICS)
async def _kept(call: Call, proceed: Proceed) -> Reply:
    """A report leaves its traces in the properties of the table."""
    reply = await proceed()
    if reply.status == 204:
        noted = {"action": "set-properties", "updates": {"last-report": call.request.id}}
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [noted]})
    return reply


# Loading
fault("location-per-load", "Each time that a table is loaded another location of its metadata is told.", on=LOAD)(
    answer_becomes(metadata_location=lambda location: f"{location}?signature={uuid.uuid4()}")
)
fault("delegation-refused", "Who asks for delegated access to a table does not get the table.", on=LOAD)(
    refuses_when(
        lambda call: DELEGATION in call.request.headers,
        InvalidInput("Credential vending is not set up for this catalog."),
    )
)
fault("referenced-by-refused", "Who names the view through which a table is reached does not get the table.", on=LOAD)(
    refuses_when(lambda call: "referenced-by" in call.request.query, InvalidInput("Unknown parameter: referenced-by"))
)
fault("exists-as-200", "That a table is there is told with 200.", on=EXISTS)(status_becomes(204, 200))
fault("exists-always", "Every table is said to be there.", on=EXISTS)(status_becomes(404, 204))

# Dropping
fault("purge-flag-literal", "The flag purgeRequested is understood in lower case alone.", on=DROP)(
    refuses_when(
        lambda call: call.request.query.get("purgeRequested", ["true"])[-1] not in ("true", "false"),
        InvalidInput("purgeRequested is not a boolean"),
    )
)


# Reports
fault("metrics-as-200", "Reports are taken with 200.", on=METRICS)(status_becomes(204, 200))
