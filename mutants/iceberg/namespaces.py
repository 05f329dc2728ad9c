"""Namespaces that are lost, confused or dropped, and wrong properties of namespaces."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.errors import Internal, NamespaceNotEmpty
from reference_server.faults import Call, Proceed, answers, content, fault, request_becomes, status_becomes
from reference_server.iceberg.faults.blocks import (
    DROPS,
    LISTS,
    answer_becomes,
    body_of,
    performed,
    refused,
    refuses_when,
)
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import UNIT_SEPARATOR

UPDATE = ["updateProperties"]
WRITES = ["createNamespace", *UPDATE]


@fault("namespace-properties-replaced", on=UPDATE)
async def _replaced(call: Call, proceed: Proceed) -> Reply:
    """A change replaces all properties by those that it sets."""
    # Remove all properties that the request does not set; a broken request is rejected as usual.
    body = content(call)
    if body is None:
        return await proceed()
    before = body_of(await performed(call, proceed, "loadNamespaceMetadata")).get("properties") or {}
    removals = [name for name in before if name not in (body.get("updates") or {})]
    call.request = call.request.altered(body=orjson.dumps({**body, "removals": removals}))
    return await proceed()


@fault("namespace-properties-removed-as-asked", on=UPDATE)
async def _removed_as_asked(call: Call, proceed: Proceed) -> Reply:
    """The answer tells as removed what was to be removed, whether it was there or not."""
    removals = (content(call) or {}).get("removals") or []
    return await answer_becomes(removed=lambda _: removals, missing=lambda _: [])(call, proceed)


def _removals_win(body: Json) -> Json:
    removed = body.get("removals") or ()
    return {**body, "updates": {key: value for key, value in (body.get("updates") or {}).items() if key not in removed}}


def _latin(body: Json) -> Json:
    texts = {name: body[name] for name in ("properties", "updates") if isinstance(body.get(name), dict)}
    return {**body, **orjson.loads(orjson.dumps(texts).decode().encode("latin-1", "replace").decode("latin-1"))}


fault(
    "namespace-properties-forgotten", "A change of properties is answered with success, but nothing changes.", on=UPDATE
)(answers(200, {"updated": [], "removed": [], "missing": []}))
fault("namespace-created-in-silence", "The answer to a creation tells none of the properties.", on=["createNamespace"])(
    answer_becomes(properties=lambda _: {})
)
fault("namespace-properties-removals-win", "A property that is both set and removed is removed.", on=UPDATE)(
    request_becomes(_removals_win)
)
fault(
    "namespace-properties-latin", "Properties are stored in an encoding that does not have all characters.", on=WRITES
)(request_becomes(_latin))

CREATE, LOAD, DROP = "createNamespace", "loadNamespaceMetadata", "dropNamespace"
EXISTS = ("namespaceExists", "tableExists", "viewExists")
LIST, LIST_TABLES, LIST_VIEWS = LISTS


def _wanted(call: Call) -> list[Any]:
    """Return the levels that a creation asks for."""
    levels = (content(call) or {}).get("namespace")
    return levels if isinstance(levels, list) else []


@fault("namespace-said-only", on=[CREATE])
async def _said_only(call: Call, _proceed: Proceed) -> Reply:
    """The creation of a namespace is answered with success, but nothing is created."""
    return json_reply({"namespace": _wanted(call), "properties": {}})


@fault("namespace-parents-imagined", on=[CREATE])
async def _parents_imagined(call: Call, proceed: Proceed) -> Reply:
    """A namespace below one that does not exist is answered as if it were created."""
    reply = await proceed()
    return await _said_only(call, proceed) if reply.status == 404 else reply


def _path(levels: list[str]) -> str:
    return UNIT_SEPARATOR.join(levels)


@fault("namespace-conflict-merges", on=[CREATE])
async def _conflict_merges(call: Call, proceed: Proceed) -> Reply:
    """The refused creation of a namespace that exists leaves its properties there."""
    reply = await proceed()
    if reply.status == 409:
        updates = (content(call) or {}).get("properties")
        await performed(call, proceed, "updateProperties", {"updates": updates}, namespace=_path(_wanted(call)))
    return reply


@fault("drop-namespace-cascades", on=[DROP])
async def _cascades(call: Call, proceed: Proceed) -> Reply:
    """A namespace is dropped with everything that is in it."""
    # Drop what lies in the namespace first, and what lies in namespaces in it.
    for table in body_of(await performed(call, proceed, LIST_TABLES)).get("identifiers", ()):
        await performed(call, proceed, "dropTable", table=table["name"])
    for view in body_of(await performed(call, proceed, LIST_VIEWS)).get("identifiers", ()):
        await performed(call, proceed, "dropView", view=view["name"])
    below = await performed(call, proceed, LIST, query={"parent": [call.path["namespace"]]})
    for levels in body_of(below).get("namespaces", ()):
        await performed(call, proceed, DROP, namespace=_path(levels))
    return await proceed()


@fault("drop-namespace-begins-alike", on=[DROP])
async def _begins_alike(call: Call, proceed: Proceed) -> Reply:
    """A namespace is not dropped while there are others whose names begin with its name."""
    # Take namespaces for content of one with whose name theirs begin.
    path = call.path["namespace"]
    others = [_path(levels) for levels in body_of(await performed(call, proceed, LIST))["namespaces"]]
    if any(other != path and other.startswith(path) for other in others):
        return refused(call, NamespaceNotEmpty("The namespace is not empty."))
    return await proceed()


fault(
    "namespace-nesting-crashes",
    "A namespace within another ends in an error of the server, which has one level only.",
    on=[CREATE],
)(refuses_when(lambda call: len(_wanted(call)) > 1, Internal("index 1 out of range")))
fault(
    "namespace-empty-levels-skipped",
    "Empty levels of a new namespace are left out, and one without levels is called default.",
    on=[CREATE],
)(request_becomes(lambda body: {**body, "namespace": [level for level in body["namespace"] if level] or ["default"]}))
fault("exists-finds-nothing", "The operations that test for something find nothing.", on=EXISTS)(answers(404, None))
fault("exists-finds-all", "The operations that test for something find it, whatever it is.", on=EXISTS)(
    answers(204, None)
)
fault("exists-with-200", "The operations that test for something answer 200 where it is.", on=EXISTS)(
    status_becomes(204, 200)
)


@fault("head-of-another-body", on=EXISTS)
async def _head_of_another(_call: Call, proceed: Proceed) -> Reply:
    """The operations that test for something say 404 with the headers of another body than GET has there."""
    reply = await proceed()
    if reply.status == 404:
        reply.headers["Content-Type"] = "text/html"
    return reply


fault("drop-missing-succeeds", "Dropping what does not exist is answered with success.", on=DROPS)(
    status_becomes(404, 204)
)
