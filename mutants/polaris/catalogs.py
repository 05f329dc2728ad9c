"""Wrong updates of catalogs and roles, configurations and credentials out of date, notifications about too much."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import CATALOG, PRINCIPAL_ROLE, Json, by_root, read
from reference_server.context import Reply
from reference_server.errors import Conflict, InvalidInput
from reference_server.faults import Call, Proceed, body_becomes, fault
from reference_server.iceberg.faults.blocks import refused
from reference_server.polaris.entities.storage_rules import BASE
from reference_server.polaris.faults.blocks import NOTIFY
from specs.identifiers import UNIT_SEPARATOR

CREATE, GET, UPDATE, DELETE = CATALOG.operations
NEWEST, BASES, CONFIGURED = "newest notifications", "locations of deleted catalogs", "configurations"
TYPES = {"INTERNAL": "EXTERNAL", "EXTERNAL": "INTERNAL"}

fault("updates-turn-types", "An update of a catalog shows it with the other type.", on=[UPDATE])(
    body_becomes(lambda body: {**body, "type": TYPES[body["type"]]}, 200)
)
fault(
    "updates-end-federation", "An update makes a principal role one of this server.", on=[PRINCIPAL_ROLE.operations[2]]
)(body_becomes(lambda body: {**body, "federated": False}, 200))


@fault("overlaps-by-update", on=[UPDATE])
async def _overlaps(call: Call, proceed: Proceed) -> Reply:
    """An update that would make two catalogs overlap is said to be done."""
    reply = await proceed()
    return Reply(200, orjson.dumps(await by_root(call, proceed, GET))) if reply.status == 400 else reply


@fault("locations-stay-taken", on=[CREATE, DELETE])
async def _stay_taken(call: Call, proceed: Proceed) -> Reply:
    """The location of a deleted catalog is free for a catalog of the same name alone."""
    bases: dict[str, str] = call.state.setdefault(BASES, {})
    if call.operation.id == DELETE:
        known = await by_root(call, proceed, GET)
        reply = await proceed()
        if reply.status == 204:
            bases[known["properties"][BASE].rstrip("/")] = known["name"]
        return reply
    body = read(call.request.body)
    wanted = body.get(CATALOG.wrapper) or body
    former = bases.get(str((wanted.get("properties") or {}).get(BASE)).rstrip("/"))
    if former and former != wanted.get("name"):
        return refused(call, InvalidInput("The location was that of another catalog."))
    return await proceed()


@fault("configurations-cached", on=["getConfig"])
async def _cached(call: Call, proceed: Proceed) -> Reply:
    """The configuration of a catalog is that which was asked for first."""
    configured: dict[Any, bytes] = call.state.setdefault(CONFIGURED, {})
    reply = await proceed()
    if reply.status == 200:
        reply.body = configured.setdefault(call.request.query.get("warehouse", [""])[-1], reply.body)
    return reply


def _ended(config: Json) -> Json:
    return {name: "1000" if "expires-at" in name else value for name, value in config.items()}


def _all_ended(body: Json) -> Json:
    shown = [{**entry, "config": _ended(entry["config"])} for entry in body.get("storage-credentials") or []]
    settings = {"config": _ended(body["config"])} if "config" in body else {}
    return {**body, **settings, **({"storage-credentials": shown} if shown else {})}


fault("credentials-over", "Credentials have ended before they are handed out.", on=["loadTable", "loadCredentials"])(
    body_becomes(_all_ended, 200)
)


def _payload(call: Call) -> Json:
    payload = read(call.request.body).get("payload")
    return payload if isinstance(payload, dict) else {}


@fault("notifications-per-catalog", on=NOTIFY)
async def _per_catalog(call: Call, proceed: Proceed) -> Reply:
    """A notification has to be newer than all others of its catalog."""
    newest: dict[str, int] = call.state.setdefault(NEWEST, {})
    catalog, timestamp = call.path["prefix"], _payload(call).get("timestamp")
    if isinstance(timestamp, int) and timestamp <= newest.get(catalog, -1):
        return refused(call, Conflict("A newer notification was processed."))
    reply = await proceed()
    if reply.status == 204 and isinstance(timestamp, int):
        newest[catalog] = timestamp
    return reply


@fault("notifications-about-all", on=NOTIFY)
async def _about_all(call: Call, proceed: Proceed) -> Reply:
    """A table that another catalog drops is dropped with all other tables."""
    dropping, reply = read(call.request.body).get("notification-type") == "DROP", await proceed()
    if dropping and reply.status == 204:
        for levels in (await by_root(call, proceed, "listNamespaces")).get("namespaces", []):
            space = {"namespace": UNIT_SEPARATOR.join(levels)}
            for table in (await by_root(call, proceed, "listTables", at=space)).get("identifiers", []):
                await by_root(call, proceed, "dropTable", at={**space, "table": table["name"]})
    return reply
