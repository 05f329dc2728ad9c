"""Bugs that catalogs have shipped: namespaces confused with others, and dropped, refused or found by mistake."""

from __future__ import annotations

import re
from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, NamespaceAlreadyExists
from reference_server.faults import Call, Proceed, answers, content, fault, request_becomes, status_becomes
from reference_server.iceberg.faults.blocks import (
    LISTS,
    NEXT,
    answer_becomes,
    body_of,
    error_becomes,
    performed,
    query_value,
    refused,
)
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import UNIT_SEPARATOR

CREATE, LOAD, EXISTS, DROP = "createNamespace", "loadNamespaceMetadata", "namespaceExists", "dropNamespace"
LIST, LIST_TABLES, LIST_VIEWS = LISTS
NO_CONTENT = (
    *("tableExists", "viewExists", EXISTS, "dropTable", "dropView", DROP),
    *("renameTable", "renameView", "commitTransaction", "reportMetrics", "cancelPlanning"),
)


class _NotEmpty(InvalidInput):
    """A conflict under the status of a bad request."""

    wire_type = "NamespaceNotEmptyException"


async def _children(call: Call, proceed: Proceed, levels: list[str]) -> list[list[str]]:
    query = {"parent": [UNIT_SEPARATOR.join(levels)]} if levels else {}
    children: list[list[str]] = body_of(await performed(call, proceed, LIST, query=query)).get("namespaces", [])
    return children


@fault("parent-dropped-above-children", on=[DROP, LOAD, EXISTS, CREATE])
async def _dropped_above(call: Call, proceed: Proceed) -> Reply:
    """A namespace that holds other namespaces and no table of its own is dropped, and these stay."""
    gone: set[str] = call.state.setdefault("parent-dropped-above-children", set())
    if call.operation.id == CREATE:
        gone.discard(UNIT_SEPARATOR.join((content(call) or {}).get("namespace") or ()))
        return await proceed()
    path = call.path["namespace"]
    if call.operation.id != DROP:
        return await performed(call, proceed, LOAD, namespace=f"{path}_gone") if path in gone else await proceed()
    reply = await proceed()
    if reply.status != 409 or body_of(await performed(call, proceed, LIST_TABLES)).get("identifiers"):
        return reply
    if body_of(await performed(call, proceed, LIST_VIEWS)).get("identifiers"):
        return reply
    gone.add(path)
    return Reply(204)


@fault("children-by-beginning", on=[LIST])
async def _by_beginning(call: Call, proceed: Proceed) -> Reply:
    """The namespaces in a namespace are listed with those in others whose names begin with its name."""
    parent = query_value(call, "parent")
    reply = await proceed()
    if not parent or reply.status != 200 or body_of(reply).get(NEXT):
        return reply
    *above, name = parent.split(UNIT_SEPARATOR)
    found: list[list[str]] = []
    for other in await _children(call, proceed, above):
        if other[-1] != name and other[-1].startswith(name):
            found += await _children(call, proceed, other)
    body = body_of(reply)
    return json_reply({**body, "namespaces": body["namespaces"] + found})


@fault("namespace-found-by-beginning", on=[LOAD, EXISTS])
async def _found_by_beginning(call: Call, proceed: Proceed) -> Reply:
    """A namespace that does not exist is found where the name of another one begins with its name."""
    reply = await proceed()
    levels = call.path["namespace"].split(UNIT_SEPARATOR)
    if reply.status != 404 or not any(
        other[-1].startswith(levels[-1]) for other in await _children(call, proceed, levels[:-1])
    ):
        return reply
    return Reply(204) if call.operation.id == EXISTS else json_reply({"namespace": levels, "properties": {}})


@fault("names-as-patterns", on=[CREATE])
async def _as_patterns(call: Call, proceed: Proceed) -> Reply:
    """An underscore in the name of a new namespace stands for any character when the server looks whether it exists."""
    levels: list[Any] = (content(call) or {}).get("namespace") or [""]
    pattern = re.compile(re.escape(str(levels[-1])).replace("_", "."))
    others = await _children(call, proceed, levels[:-1])
    if any(other != levels and pattern.fullmatch(other[-1]) for other in others):
        return refused(call, NamespaceAlreadyExists("The namespace already exists."))
    return await proceed()


@fault("missing-namespace-lists-empty", on=[LIST_TABLES, LIST_VIEWS])
async def _lists_empty(_call: Call, proceed: Proceed) -> Reply:
    """The tables and views of a namespace that does not exist are an empty list."""
    reply = await proceed()
    return json_reply({"identifiers": []}) if reply.status == 404 else reply


@fault("nested-namespaces-undecoded", on=[LIST_TABLES, LIST_VIEWS])
async def _undecoded(call: Call, proceed: Proceed) -> Reply:
    """In a listing of tables the path of a nested namespace is taken for one name, which does not exist."""
    if UNIT_SEPARATOR not in call.path["namespace"]:
        return await proceed()
    return await performed(call, proceed, call.operation.id, namespace=call.path["namespace"].replace("\x1f", ""))


def _first_alone(body: Json) -> Json:
    updates = body.get("updates")
    return {**body, "updates": dict(list(updates.items())[:1])} if isinstance(updates, dict) else body


@fault("missing-crashes-in-text", on=[LOAD, "loadTable"])
async def _in_text(_call: Call, proceed: Proceed) -> Reply:
    """A load of what does not exist ends in an error of the server, in plain text."""
    reply = await proceed()
    return Reply(500, b"Database not found", "text/plain") if reply.status == 404 else reply


fault("no-content-as-200", "Success without content is answered with 200.", on=NO_CONTENT)(status_becomes(204, 200))
fault("namespace-head-unrouted", "HEAD of a namespace reaches the server's static files: always 200.", on=[EXISTS])(
    answers(200, None)
)
fault("not-empty-as-bad-request", "Dropping a namespace that is not empty is a bad request.", on=[DROP])(
    error_becomes(409, _NotEmpty("The namespace is not empty."))
)
fault(
    "namespace-properties-first-alone",
    "Of the properties that a change sets the first is set.",
    on=["updateProperties"],
)(request_becomes(_first_alone))
fault(
    "listed-namespace-first-level", "Tables and views are listed with the first level of their namespace.", on=LISTS[1:]
)(answer_becomes(identifiers=lambda entries: [{**entry, "namespace": entry["namespace"][:1]} for entry in entries]))
