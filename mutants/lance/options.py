"""Options that are read by their presence, or refused where they change nothing, and listings that forget."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.lance.asking import send
from mutants.lance.queries import QUERY, queries_become, refused_if, table_becomes
from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault
from reference_server.lance.faults.blocks import items, location_elsewhere

FLAGS = ("when_matched_update_all", "when_not_matched_insert_all", "when_not_matched_by_source_delete")


@fault("flags-by-presence", on=["MergeInsertIntoTable", "ListTables"])
async def _by_presence(call: Call, proceed: Proceed) -> Reply:
    """A flag in the query counts as true whenever it is there, also as false."""
    query = {
        name: ["true"] if name in (*FLAGS, "include_declared") else values
        for name, values in call.request.query.items()
    }
    call.request = call.request.altered(query=query)
    return await proceed()


@fault("declared-mark-stays", on=["DeclareTable", "ListTables", "ListAllTables", "InsertIntoTable"])
async def _mark_stays(call: Call, proceed: Proceed) -> Reply:
    """A table that was declared is listed as one that has no data, also after rows were inserted."""
    marked: set[str] = call.state.setdefault("declared-mark-stays", set())
    if call.operation.id == "DeclareTable":
        marked.add(call.path["id"])
    if not call.operation.id.startswith("List") or call.request.query.get("include_declared") == ["true"]:
        return await proceed()
    above = f"{call.path['id']}$" if call.operation.id == "ListTables" else ""
    return await body_becomes(items(lambda names: [name for name in names if f"{above}{name}" not in marked]), 200)(
        call, proceed
    )


@fault("flags-move-tables", on=["DescribeTable", "DeclareTable", "CreateEmptyTable"])
async def _moved(call: Call, proceed: Proceed) -> Reply:
    """A request for a URI or for credentials gets another location of the table."""
    body, query = content(call) or {}, call.request.query
    flagged = body.get("vend_credentials") or query.get("with_table_uri") == ["true"]
    return await (location_elsewhere(call, proceed) if flagged else proceed())


NEUTRAL = (
    "with_row_id", "offset", "bypass_vector_index", "fast_search", "prefilter", "lower_bound", "columns",
    "full_text_query",
)  # fmt: skip
fault("neutral-options-refused", "A query with an option that changes nothing is refused.", on=QUERY)(
    refused_if(lambda query: any(name in query for name in NEUTRAL))
)
fault("row-ids-of-whole-rows", "Row ids are returned only with all columns.", on=QUERY)(
    queries_become(
        lambda query: {name: query[name] for name in query if name != "with_row_id" or not query.get("columns")}
    )
)
fault("search-indexed-only", "A vector search finds only rows that the index has.", on=QUERY)(
    queries_become(lambda query: {**query, "fast_search": True})
)


def _names_mixed(call: Call) -> Any:
    names = ((content(call) or {}).get("columns") or {}).get("column_names") or []

    def edit(table: Any) -> Any:
        return table.select(sorted(names)).rename_columns(names) if len(names) > 1 else table

    return edit


@fault("columns-named-in-order", on=QUERY)
async def _mixed(call: Call, proceed: Proceed) -> Reply:
    """Chosen columns are returned in alphabetical order, under the names in the order of the request."""
    return await table_becomes(_names_mixed(call))(call, proceed)


@fault("modes-in-capitals", on=["CreateNamespace", "DropNamespace", "CreateTable", "RegisterTable", "InsertIntoTable"])
async def _in_capitals(call: Call, proceed: Proceed) -> Reply:
    """A mode or a behavior that begins with a small letter is refused."""
    body = content(call) or {}
    words = [*call.request.query.get("mode", []), body.get("mode"), body.get("behavior")]
    if any(isinstance(word, str) and word[:1].islower() for word in words):
        return json_reply({"error": "unknown mode", "code": 13}, 400)
    return await proceed()


# Deduplication


@fault("inserts-deduplicated", on=["InsertIntoTable"])
async def _deduplicated(call: Call, proceed: Proceed) -> Reply:
    """An insert of the same bytes as an earlier one is answered with success and not done."""
    done: dict[Any, Reply] = call.state.setdefault("inserts-deduplicated", {})
    key = call.path["id"], call.request.body
    if key not in done:
        done[key] = await proceed()
    reply = done[key]
    return Reply(reply.status, reply.body, reply.content_type, dict(reply.headers))


TOUCHING = ("InsertIntoTable", "UpdateTable", "DeleteFromTable", "DropTable", "UpdateTableSchemaMetadata")


@fault("same-bytes-shared", on=["CreateTable", *TOUCHING])
async def _shared(call: Call, proceed: Proceed) -> Reply:
    """Tables that were created with the same bytes share them: a change of one changes the others."""
    groups: dict[bytes, list[str]] = call.state.setdefault("same-bytes-shared", {})
    if call.operation.id == "CreateTable":
        group = groups.setdefault(call.request.body, [])
        group[:] = [*group, call.path["id"]][-2:]
        return await proceed()
    reply = await proceed()
    id, path = call.path["id"], call.path
    for group in groups.values():
        for other in group if id in group else []:
            if other != id:
                call.path = {**path, "id": other}
                await proceed()
    call.path = path
    return reply


# Requests without an effect


@fault("no-change-refused", on=["InsertIntoTable", "UpdateTable", "DeleteFromTable", "MergeInsertIntoTable"])
async def _no_change(call: Call, proceed: Proceed) -> Reply:
    """A change that changes no row is refused, after it was done."""

    async def rows() -> bytes:
        return (await send(call, proceed, "QueryTable", {"vector": {}, "k": 1000})).body

    before = await rows()
    reply = await proceed()
    if reply.status == 200 and await rows() == before:
        return json_reply({"error": "nothing changed", "code": 13}, 400)
    return reply


@fault("empty-tables-fail")
async def _empty_fails(call: Call, proceed: Proceed) -> Reply:
    """An operation on a table without rows is an internal error."""
    if "/table/{id}" in call.operation.path and call.operation.id not in ("CountTableRows", "CreateTable", "DropTable"):
        count = await send(call, proceed, "CountTableRows")
        if count.status == 200 and orjson.loads(count.body) == 0:
            return json_reply({"error": "internal error", "code": 18}, 500)
    return await proceed()


def _deepest(value: Any) -> int:
    """Return the length of the longest list of names in a JSON value."""
    if isinstance(value, dict):
        return max(map(_deepest, value.values()), default=0)
    if isinstance(value, list):
        named = len(value) if value and all(isinstance(item, str) for item in value) else 0
        return max([named, *map(_deepest, value)])
    return 0


@fault("deep-missing-fails")
async def _deep_missing(call: Call, proceed: Proceed) -> Reply:
    """A request on a missing object below several namespaces is an internal error."""
    reply = await proceed()
    depth = max(len(call.path.get("id", "").split("$")), _deepest(content(call)) + (call.operation.id == "RenameTable"))
    return json_reply({"error": "internal error", "code": 18}, 500) if reply.status == 404 and depth > 2 else reply
