"""Bugs that Lance servers have shipped: rows, pages and indices that are lost, and tables that are gone or not."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.lance.requests import with_rows
from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault
from reference_server.lance.faults.blocks import delimiter, items, paging

CREATE, DROP, LIST = "CreateTable", "DropTable", "ListTables"
REGISTER, DEREGISTER = "RegisterTable", "DeregisterTable"
MADE = (CREATE, "DeclareTable", "CreateEmptyTable", REGISTER)
UPDATES = "when_matched_update_all"


def _refused(status: int, code: int, text: str) -> Reply:
    return json_reply({"error": text, "code": code}, status)


@fault("missing-child-lists-empty", on=["ListNamespaces"])
async def _child_empty(call: Call, proceed: Proceed) -> Reply:
    """A namespace that does not exist in another one is listed as an empty one."""
    reply = await proceed()
    nested = delimiter(call) in call.path["id"].strip(delimiter(call))
    return json_reply({"namespaces": []}) if reply.status == 404 and nested else reply


@fault("created-without-rows", on=[CREATE])
async def _without_rows(call: Call, proceed: Proceed) -> Reply:
    """Of the data that create a table the schema is read, and the rows are left out."""
    call.request = with_rows(call.request, lambda data, _: data.slice(0, 0))
    return await proceed()


@fault("pages-skip-boundary", on=[LIST, "ListNamespaces"])
async def _boundary(call: Call, proceed: Proceed) -> Reply:
    """The entry that stands at the boundary of two pages is on neither."""
    if not paging(call).get("page_token"):
        return await proceed()
    return await body_becomes(items(lambda entries: entries[1:]), 200)(call, proceed)


@fault("merge-blind-with-index", on=["CreateTableScalarIndex", "DropTableIndex", "MergeInsertIntoTable"])
async def _blind(call: Call, proceed: Proceed) -> Reply:
    """A merge by a column with a scalar index updates nothing."""
    indexed: set[tuple[str, str]] = call.state.setdefault("merge-blind-with-index", set())
    query, table = call.request.query, call.path["id"]
    if call.operation.id == "CreateTableScalarIndex":
        indexed.add((table, str((content(call) or {}).get("column"))))
    elif call.operation.id == "DropTableIndex":
        indexed.difference_update({entry for entry in indexed if entry[0] == table})
    elif any((table, key) in indexed for key in query.get("on", ())):
        call.request = call.request.altered(query={**query, UPDATES: ["false"]})
    return await proceed()


@fault("namespace-in-use-as-bad-request", on=["DropNamespace"])
async def _in_use(_call: Call, proceed: Proceed) -> Reply:
    """Dropping a namespace that is not empty is a bad request, with the status as its code."""
    reply = await proceed()
    return _refused(400, 400, "The namespace is not empty or in use.") if reply.status == 409 else reply


@fault("versioned-describe-refused", on=["DescribeTable"])
async def _latest_alone(call: Call, proceed: Proceed) -> Reply:
    """Only the latest version of a table can be described; a request that names one is not supported."""
    if (content(call) or {}).get("version") is not None:
        return _refused(406, 0, "Describing a specific version of a table is not supported.")
    return await proceed()


@fault("dropped-tables-listed", on=[LIST, DROP, *MADE])
async def _still_listed(call: Call, proceed: Proceed) -> Reply:
    """A table that was dropped is still listed, as its folder is there."""
    dropped: dict[str, None] = call.state.setdefault("dropped-tables-listed", {})
    id, reply = call.path["id"], await proceed()
    if reply.status != 200:
        return reply
    if call.operation.id == DROP:
        dropped[id] = None
    elif call.operation.id in MADE:
        dropped.pop(id, None)
    else:
        body = orjson.loads(reply.body)
        left = [name for space, _, name in (entry.rpartition(delimiter(call)) for entry in dropped) if space == id]
        reply.body = orjson.dumps({**body, "tables": body["tables"] + left})
    return reply


@fault("deregistration-deletes", on=[REGISTER, DEREGISTER])
async def _deletes(call: Call, proceed: Proceed) -> Reply:
    """Deregistering a table deletes its data."""
    # Nothing is registered any more where a deregistered table lies.
    deleted: set[str] = call.state.setdefault("deregistration-deletes", set())
    if call.operation.id == REGISTER and str((content(call) or {}).get("location")).rstrip("/") in deleted:
        return _refused(404, 4, "There is no table at this location.")
    reply = await proceed()
    if call.operation.id == DEREGISTER and reply.status == 200:
        deleted.add(str(orjson.loads(reply.body).get("location")).rstrip("/"))
    return reply


@fault("registered-tables-stay", on=[REGISTER, DROP])
async def _registered_stay(call: Call, proceed: Proceed) -> Reply:
    """A table that was registered cannot be dropped: an error of the server."""
    registered: set[str] = call.state.setdefault("registered-tables-stay", set())
    if call.operation.id == DROP and call.path["id"] in registered:
        return _refused(500, 18, "Failed to drop the dataset of the table.")
    reply = await proceed()
    if call.operation.id == REGISTER and reply.status == 200:
        registered.add(call.path["id"])
    return reply


def _as_vector(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "index_type": "IVF_PQ"} if "label" in str(body.get("index_type")).lower() else body


fault("label-lists-as-vectors", "The index of a list of labels is one for vectors.", on=["DescribeTableIndexStats"])(
    body_becomes(_as_vector, 200)
)
fault("statistics-without-indices", "The statistics of a table count no index.", on=["GetTableStats"])(
    body_becomes(lambda body: {**body, "num_indices": 0}, 200)
)
