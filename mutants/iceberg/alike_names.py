"""Names taken for others that begin with them, or that match them as patterns of a database."""

from __future__ import annotations

import re
from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.errors import TableAlreadyExists
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import LISTS, body_of, performed, query_value, refused
from specs.identifiers import UNIT_SEPARATOR

LIST, LIST_TABLES, LIST_VIEWS = LISTS
OF_TABLES = ("loadTable", "tableExists", "updateTable", "dropTable")
OF_VIEWS = ("loadView", "viewExists", "replaceView", "dropView")
OF_NAMESPACES = ("loadNamespaceMetadata", "namespaceExists", "updateProperties", "dropNamespace")
CREATES = {"createTable": LIST_TABLES, "createView": LIST_VIEWS}


def _is_alike(other: str, name: str) -> bool:
    return other != name and bool(re.match(re.escape(name).replace("_", "."), other))


async def _alike_namespaces(call: Call, proceed: Proceed, path: str) -> list[str]:
    """Return the paths of the namespaces whose names are like that of a path."""
    *above, name = path.split(UNIT_SEPARATOR)
    query = {"parent": [UNIT_SEPARATOR.join(above)]} if above else {}
    listed = body_of(await performed(call, proceed, LIST, query=query)).get("namespaces", ())
    return [UNIT_SEPARATOR.join(levels) for levels in listed if _is_alike(levels[-1], name)]


async def _alike_objects(call: Call, proceed: Proceed, lists: str, name: str) -> list[str]:
    listed = body_of(await performed(call, proceed, lists)).get("identifiers", ())
    return [entry["name"] for entry in listed if _is_alike(entry["name"], name)]


@fault("alike-names-found", on=[*OF_TABLES, *OF_VIEWS, *OF_NAMESPACES, *LISTS])
async def _found(call: Call, proceed: Proceed) -> Reply:
    """Under a name that does not exist the server finds another one that begins with it or matches it as a pattern."""
    reply = await proceed()
    if reply.status != 404:
        return reply
    operation, parent = call.operation.id, query_value(call, "parent")
    kind = "table" if operation in OF_TABLES else "view" if operation in OF_VIEWS else ""
    if kind:
        lists = LIST_TABLES if kind == "table" else LIST_VIEWS
        path: dict[str, Any] = {kind: await _alike_objects(call, proceed, lists, call.path[kind])}
    elif operation == LIST:
        others = await _alike_namespaces(call, proceed, parent or "")
        return await performed(call, proceed, LIST, query={"parent": others[:1]}) if others else reply
    else:
        path = {"namespace": await _alike_namespaces(call, proceed, call.path["namespace"])}
    found = {name: others[0] for name, others in path.items() if others}
    if not found:
        return reply
    call.path = {**call.path, **found}
    return await proceed()


@fault("alike-names-taken", on=[*CREATES])
async def _taken(call: Call, proceed: Proceed) -> Reply:
    """The name of a new table or view is taken where another one begins with it or matches it as a pattern."""
    name = (content(call) or {}).get("name")
    lists = CREATES[call.operation.id]
    if isinstance(name, str) and await _alike_objects(call, proceed, lists, name):
        return refused(call, TableAlreadyExists("The name is taken."))
    return await proceed()


@fault("alike-names-listed", on=[LIST_TABLES, LIST_VIEWS])
async def _listed(call: Call, proceed: Proceed) -> Reply:
    """A namespace is listed with what is in others whose names begin with its name or match it as a pattern."""
    reply = await proceed()
    if reply.status != 200:
        return reply
    body, operation, more = body_of(reply), call.operation.id, list[Any]()
    for path in await _alike_namespaces(call, proceed, call.path["namespace"]):
        more += body_of(await performed(call, proceed, operation, namespace=path)).get("identifiers", [])
    return json_reply({**body, "identifiers": [*body["identifiers"], *more]})
