"""Wrong generic tables and lists of them, and operations that take one kind of tables for another."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import Json, by_root, read
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, body_becomes, fault, request_becomes
from reference_server.iceberg.faults.blocks import NEXT, refuses_when
from specs.identifiers import UNIT_SEPARATOR

CREATE, LOAD, DROP, LIST = "createGenericTable", "loadGenericTable", "dropGenericTable", "listGenericTables"
POLICIES = "listPolicies"
SHOWN = [CREATE, LOAD]
PAIR = ("doc", "properties")  # fields of which one alone is lost
FORMER, KEPT = "former generic tables", "policies of dropped namespaces"


def _tables(edit: Any) -> Any:
    return body_becomes(lambda body: {**body, "table": edit(body["table"])}, 200)


fault("formats-become-delta", "Every generic table has the format delta.", on=SHOWN)(
    _tables(lambda table: {**table, "format": "delta"})
)
fault("formats-in-small-letters", "The format of a generic table is in small letters.", on=SHOWN)(
    _tables(lambda table: {**table, "format": table["format"].lower()})
)
fault("generic-tables-need-more", "A new generic table needs a doc or properties.", on=[CREATE])(
    refuses_when(
        lambda call: not any(read(call.request.body).get(name) for name in PAIR), InvalidInput("There is no doc.")
    )
)
fault("nulls-of-generic-tables-refused", "A field of a new generic table must not be null.", on=[CREATE])(
    refuses_when(lambda call: b"null" in call.request.body, InvalidInput("A field is null."))
)


def _lessened(body: Json) -> Json:
    alone = [name for name in PAIR if body.get(name)]
    return {name: value for name, value in body.items() if name not in alone or len(alone) > 1}


fault("generic-fields-alone-lost", "A generic table loses its doc or its properties without the other.", on=[CREATE])(
    request_becomes(_lessened)
)


@fault("generic-tables-remembered", on=[CREATE, DROP])
async def _remembered(call: Call, proceed: Proceed) -> Reply:
    """A generic table under the name of a dropped one has the fields of that, where it has none of its own."""
    former: dict[Any, Json] = call.state.setdefault(FORMER, {})
    place = (call.path["prefix"], call.path["namespace"])
    if call.operation.id == DROP:
        table = (await by_root(call, proceed, LOAD)).get("table", {})
        reply = await proceed()
        if reply.status == 204:
            former[*place, call.path["generic-table"]] = table
        return reply
    body = read(call.request.body)
    old = former.get((*place, body.get("name")), {})
    if old:
        properties = {**old.get("properties", {}), **(body.get("properties") or {})}
        call.request = call.request.altered(body=orjson.dumps({**old, **body, "properties": properties}))
    return await proceed()


# Which operation takes what for its own: the operation, its path parameter, and those of another kind.
OTHERS = {
    DROP: ("generic-table", (("dropTable", "table"), ("dropView", "view"))),
    LOAD: ("generic-table", (("loadTable", "table"), ("loadView", "view"))),
    "dropTable": ("table", ((DROP, "generic-table"),)),
    "dropView": ("view", ((DROP, "generic-table"),)),
    "loadTable": ("table", ((LOAD, "generic-table"),)),
    "loadView": ("view", ((LOAD, "generic-table"),)),
}


@fault("all-kinds-of-tables", on=list(OTHERS))
async def _all_kinds(call: Call, proceed: Proceed) -> Reply:
    """A table of any kind is loaded and dropped by the operations of every kind."""
    parameter, others = OTHERS[call.operation.id]
    reply, shown = await proceed(), call.operation.id.startswith("load")
    if reply.status != 404:
        return reply
    name = call.path[parameter]
    for operation, other in others:
        looks = operation.replace("drop", "load")
        if await by_root(call, proceed, looks, at={other: name}):
            if not shown:
                await by_root(call, proceed, operation, at={other: name})
            return Reply(200, b"{}") if shown else Reply(204)
    return reply


LISTS = {LIST: "generic-tables", POLICIES: "policies", "listTables": "tables", "listViews": "views"}


@fault("pages-end-at-others", on=list(LISTS))
async def _end_at_others(call: Call, proceed: Proceed) -> Reply:
    """A list ends with the page behind which an object of another kind comes."""
    reply = await proceed()
    if reply.status == 200:
        body = orjson.loads(reply.body)
        names = [entry["name"] for entry in body["identifiers"]]
        for other in LISTS if body.get(NEXT) else ():
            shown = (await by_root(call, proceed, other)).get("identifiers", [])
            if other != call.operation.id and any(entry["name"] > names[-1] for entry in shown):
                reply.body = orjson.dumps({**body, NEXT: None})
    return reply


fault("identifiers-of-last-level", "Lists name the last level of a namespace alone.", on=[LIST, POLICIES])(
    body_becomes(
        lambda body: {
            **body,
            "identifiers": [{**entry, "namespace": entry["namespace"][-1:]} for entry in body["identifiers"]],
        },
        200,
    )
)


@fault("lists-with-children", on=[LIST, POLICIES])
async def _with_children(call: Call, proceed: Proceed) -> Reply:
    """A list also has what is in the namespaces inside."""
    reply = await proceed()
    if reply.status == 200:
        body = orjson.loads(reply.body)
        path = {"prefix": call.path["prefix"], "namespace": f"{call.path['namespace']}{UNIT_SEPARATOR}n"}
        inner = (await by_root(call, proceed, call.operation.id, at=path)).get("identifiers", [])
        reply.body = orjson.dumps({**body, "identifiers": [*body["identifiers"], *inner]})
    return reply


@fault("policies-outlive-namespaces", on=["dropNamespace", "loadPolicy"])
async def _outlive(call: Call, proceed: Proceed) -> Reply:
    """A namespace is dropped although it has policies, which can be loaded afterwards."""
    kept: dict[Any, bytes] = call.state.setdefault(KEPT, {})
    place = (call.path["prefix"], call.path["namespace"])
    if call.operation.id == "dropNamespace":
        for entry in (await by_root(call, proceed, POLICIES)).get("identifiers", []):
            at = {"policy-name": entry["name"]}
            kept[*place, entry["name"]] = orjson.dumps(await by_root(call, proceed, "loadPolicy", at=at))
            await by_root(call, proceed, "dropPolicy", at=at)
        return await proceed()
    reply = await proceed()
    known = kept.get((*place, call.path["policy-name"]))
    return Reply(200, known) if reply.status == 404 and known else reply
