"""Tables loaded, dropped and renamed carelessly, and reports on them."""

from __future__ import annotations

import uuid
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    content,
    declare,
    fields_lost,
    status_becomes,
)
from reference_server.iceberg.faults.blocks import answer_becomes, error_field_becomes, performed, refuses_when
from specs.identifiers import UNIT_SEPARATOR

LOAD, EXISTS, DROP, RENAME, METRICS = ["loadTable"], ["tableExists"], ["dropTable"], ["renameTable"], ["reportMetrics"]

DELEGATION = "X-Iceberg-Access-Delegation"

VIEW_OPERATIONS = {"loadTable": "loadView", "tableExists": "viewExists", "dropTable": "dropView"}


async def _view_instead(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    if reply.status != 404:
        return reply
    return await performed(call, proceed, VIEW_OPERATIONS[call.operation.id], view=call.path["table"])


async def _refs_only(call: Call, proceed: Proceed) -> Reply:
    call.request = call.request.altered(query={**call.request.query, "snapshots": ["refs"]})
    return await proceed()


async def _dropped_anyway(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return Reply(204) if reply.status == 404 else reply


def _named(identifier: Any) -> dict[str, Any]:
    return {"namespace": UNIT_SEPARATOR.join(identifier["namespace"]), "table": identifier["name"]}


async def _copied(call: Call, proceed: Proceed) -> Reply:
    """Rename, and enter the table under its old name again."""
    reply = await proceed()
    if reply.status == 204:
        body = content(call) or {}
        source, moved = _named(body["source"]), _named(body["destination"])
        found = orjson.loads((await performed(call, proceed, "loadTable", **moved)).body)
        again = {"name": source["table"], "metadata-location": found["metadata-location"]}
        await performed(call, proceed, "registerTable", again, namespace=source["namespace"])
    return reply


async def _purged_under_old_name(call: Call, proceed: Proceed) -> Reply:
    """Purge what lies under the name that a table was created with, not under the one that it was given later."""
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


async def _kept(call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    if reply.status == 204:
        noted = {"action": "set-properties", "updates": {"last-report": call.request.id}}
        await performed(call, proceed, "updateTable", {"requirements": [], "updates": [noted]})
    return reply


# Loading
declare(
    "location-per-load",
    "Each time that a table is loaded another location of its metadata is told.",
    answer_becomes(metadata_location=lambda location: f"{location}?signature={uuid.uuid4()}"),
    on=LOAD,
)
declare(
    "location-untold", "loadTable does not say where the metadata file is.", fields_lost("metadata-location"), on=LOAD
)
declare(
    "missing-type-vague",
    "What does not exist about tables has a type that does not say what is missing.",
    error_field_becomes("type", lambda _: "NotFoundException", 404),
    on=(
        *LOAD,
        *DROP,
        *RENAME,
        *METRICS,
        *("createTable", "registerTable", "updateTable", "commitTransaction"),
    ),
)
declare(
    "views-are-tables",
    "A view is found under its name when a table is looked for.",
    _view_instead,
    on=list(VIEW_OPERATIONS),
)
declare(
    "delegation-refused",
    "Who asks for delegated access to a table does not get the table.",
    refuses_when(
        lambda call: DELEGATION in call.request.headers,
        InvalidInput("Credential vending is not set up for this catalog."),
    ),
    on=LOAD,
)
declare(
    "referenced-by-refused",
    "Who names the view through which a table is reached does not get the table.",
    refuses_when(lambda call: "referenced-by" in call.request.query, InvalidInput("Unknown parameter: referenced-by")),
    on=LOAD,
)
declare(
    "snapshots-unread", "loadTable shows all snapshots, whichever are asked for.", arguments_lost("snapshots"), on=LOAD
)
declare(
    "snapshots-of-refs-only",
    "loadTable shows the snapshots of branches and tags alone, whichever are asked for.",
    _refs_only,
    on=LOAD,
)
declare("exists-as-200", "That a table is there is told with 200.", status_becomes(204, 200), on=EXISTS)
declare("exists-always", "Every table is said to be there.", status_becomes(404, 204), on=EXISTS)

# Dropping
declare(
    "drop-forgotten", "Dropping a table is answered with success, but the table stays.", answers(204, None), on=DROP
)
declare("drop-of-nothing", "Dropping a table that does not exist is answered with success.", _dropped_anyway, on=DROP)
declare(
    "purge-flag-literal",
    "The flag purgeRequested is understood in lower case alone.",
    refuses_when(
        lambda call: call.request.query.get("purgeRequested", ["true"])[-1] not in ("true", "false"),
        InvalidInput("purgeRequested is not a boolean"),
    ),
    on=DROP,
)

# Renaming
declare(
    "rename-forgotten",
    "Renaming a table is answered with success, but it keeps its name.",
    answers(204, None),
    on=RENAME,
)
declare("rename-copies", "A renamed table is there under both names.", _copied, on=RENAME)
declare(
    "purge-by-old-name",
    "Purging a renamed table destroys the table that has its old name by now.",
    _purged_under_old_name,
    on=("renameTable", "dropTable"),
)

# Reports
declare("metrics-as-200", "Reports are taken with 200.", status_becomes(204, 200), on=METRICS)
declare("metrics-unread", "Reports are taken without a look at them.", answers(204, None), on=METRICS)
declare("metrics-kept-in-table", "A report leaves its traces in the properties of the table.", _kept, on=METRICS)
