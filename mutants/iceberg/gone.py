"""Tables, views and namespaces that are gone or came another way, and are shown by some operations alone."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.iceberg.blocks import when
from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, NamespaceNotEmpty
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import items, performed, refused
from specs.identifiers import UNIT_SEPARATOR

NAMED = (
    *("loadTable", "tableExists", "updateTable", "renameTable", "dropTable", "loadCredentials", "reportMetrics"),
    *("planTableScan", "loadView", "viewExists", "replaceView", "renameView", "dropView"),
)
SPACES = (
    *("loadNamespaceMetadata", "namespaceExists", "updateProperties", "dropNamespace", "listNamespaces"),
    *("listTables", "listViews", "createTable", "createView"),
)
CREATIONS, DROPS = ("createTable", "createView"), ("dropTable", "dropView")
NOT_FOUND = 404


def _object(call: Call) -> str:
    """Return the object that a call is about, in a form that calls of one operation can be compared by."""
    body = content(call) or {}
    named = [body.get("source"), body.get("name") if call.operation.id in CREATIONS else None]
    return orjson.dumps(
        [dict(call.path), call.request.query.get("parent"), named], option=orjson.OPT_SORT_KEYS
    ).decode()


@fault("gone-as-before", on=[*NAMED, *SPACES])
async def _as_before(call: Call, proceed: Proceed) -> Reply:
    """An object that is gone is answered as it was the last time, by each operation that has seen it."""
    seen = call.state.setdefault("answers-before-gone", {})
    key = (call.operation.id, _object(call))
    reply = await proceed()
    if reply.status < 300:
        seen[key] = (reply.status, reply.body)
    elif reply.status == NOT_FOUND and key in seen:
        status, body = seen[key]
        return Reply(status, body)
    return reply


def _name(call: Call, name: str = "") -> tuple[str, str]:
    own = name or call.path.get("table") or call.path.get("view") or str((content(call) or {}).get("name"))
    return str(call.path.get("namespace")), own


async def _note_created(call: Call, proceed: Proceed) -> Reply:
    """Note what a plain creation makes, and what was dropped."""
    created = call.state.setdefault("created-here", set())
    dropped = call.state.setdefault("dropped-here", set())
    staged = (content(call) or {}).get("stage-create")
    reply = await proceed()
    if reply.status < 300 and call.operation.id in CREATIONS and not staged:
        created.add(_name(call))
    if reply.status < 300 and call.operation.id in DROPS:
        dropped.add(_name(call))
    return reply


async def _created_alone(call: Call, proceed: Proceed) -> Reply:
    if call.operation.id in (*CREATIONS, *DROPS):
        return await _note_created(call, proceed)
    created = call.state.setdefault("created-here", set())
    space = str(call.path.get("namespace"))
    return await items(lambda entries: [entry for entry in entries if (space, entry["name"]) in created])(call, proceed)


fault(
    "listings-of-created",
    "Listings show tables and views that were created under their names, and not those that came another way.",
    on=[*CREATIONS, *DROPS, "listTables", "listViews"],
)(_created_alone)


@fault("dropped-names-never-exist", on=[*DROPS, "tableExists", "viewExists"])
async def _never_exists(call: Call, proceed: Proceed) -> Reply:
    """The test for existence does not find a table or view whose name was dropped once."""
    if call.operation.id in DROPS:
        return await _note_created(call, proceed)
    return Reply(NOT_FOUND) if _name(call) in call.state.get("dropped-here", ()) else await proceed()


@fault("used-namespaces-stay", on=[*CREATIONS, "dropNamespace"])
async def _used_stays(call: Call, proceed: Proceed) -> Reply:
    """A namespace in which a table or view was created or staged once is never empty again."""
    used = call.state.setdefault("used-here", set())
    space = str(call.path.get("namespace"))
    if call.operation.id in CREATIONS:
        used.add(space)
        return await proceed()
    if space in used:
        return refused(call, NamespaceNotEmpty("The namespace is not empty."))
    return await proceed()


@fault("existence-of-children", on=["namespaceExists"])
async def _no_children(call: Call, proceed: Proceed) -> Reply:
    """The test for existence finds no namespace within another."""
    return Reply(NOT_FOUND) if UNIT_SEPARATOR in call.path.get("namespace", "") else await proceed()


@fault("levels-made-on-the-way", on=[*CREATIONS])
async def _made_on_the_way(call: Call, proceed: Proceed) -> Reply:
    """A table or view in a missing namespace is created with the namespace."""
    reply = await proceed()
    if reply.status != NOT_FOUND:
        return reply
    levels = call.path["namespace"].split(UNIT_SEPARATOR)
    for count in range(1, len(levels) + 1):
        await performed(call, proceed, "createNamespace", {"namespace": levels[:count]})
    return await proceed()


@fault("parents-left", on=["createNamespace"])
async def _parents_left(call: Call, proceed: Proceed) -> Reply:
    """A namespace below several missing ones is refused, but the first of them was created."""
    levels = (content(call) or {}).get("namespace")
    if isinstance(levels, list) and len(levels) > 2:
        above = UNIT_SEPARATOR.join(levels[:-2])
        reply = await performed(call, proceed, "loadNamespaceMetadata", namespace=above)
        if reply.status == NOT_FOUND:
            await performed(call, proceed, "createNamespace", {"namespace": levels[:-2]})
            return refused(call, InvalidInput("The parent namespace does not exist."))
    return await proceed()


def _last_level(entries: list[Any]) -> list[Any]:
    return [
        {**entry, "namespace": entry["namespace"][-1:]} if isinstance(entry, dict) else entry[-1:] for entry in entries
    ]


def _deep(call: Call) -> bool:
    names = [call.path.get("namespace", ""), *call.request.query.get("parent", ())]
    return any(name.count(UNIT_SEPARATOR) > 0 for name in names)


fault(
    "listed-by-last-level",
    "Listings of a namespace of several levels show the last level of each entry.",
    on=["listNamespaces", "listTables", "listViews"],
)(when(_deep, items(_last_level)))


@fault("missing-levels-bad", on=[*NAMED, *SPACES])
async def _bad_levels(call: Call, proceed: Proceed) -> Reply:
    """A missing namespace of several levels, and what would be in it, is refused with 400."""
    reply = await proceed()
    if reply.status == NOT_FOUND and _deep(call):
        refusal = refused(call, InvalidInput("The namespace is malformed."))
        return Reply(refusal.status) if call.operation.method == "HEAD" else refusal
    return reply


@fault("renamed-to-itself-lost", on=["renameTable", "renameView"])
async def _lost(call: Call, proceed: Proceed) -> Reply:
    """A table or view that is renamed to its own name is lost, and the answer is success."""
    body = content(call) or {}
    if body.get("source") != body.get("destination"):
        return await proceed()
    source = body["source"]
    kind = call.operation.id.removeprefix("rename")
    path = {"namespace": UNIT_SEPARATOR.join(source["namespace"]), kind.lower(): source["name"]}
    await performed(call, proceed, f"drop{kind}", **path)
    return Reply(204)


@fault("unregistered-in-words", on=["unregisterTable"])
async def _in_words(_call: Call, proceed: Proceed) -> Reply:
    """Unregistering what is not there is answered with success."""
    reply = await proceed()
    return json_reply({}) if reply.status == NOT_FOUND else reply
