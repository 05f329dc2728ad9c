"""Answers that contradict each other: stale counts and schemas, removed things that return, versions that change."""

from __future__ import annotations

import time
from typing import Any

import orjson

from mutants.lance.asking import ask, send
from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault
from reference_server.lance.faults.blocks import location_elsewhere

COUNT, STATS, DESCRIBE = "CountTableRows", "GetTableStats", "DescribeTable"
WRITES = ("InsertIntoTable", "CreateTable")


@fault("count-cached", on=[COUNT, *WRITES])
async def _count_cached(call: Call, proceed: Proceed) -> Reply:
    """The count of rows is cached, and only inserts in mode Append renew it."""
    cached: dict[str, bytes] = call.state.setdefault("count-cached", {})
    plain = call.operation.id == COUNT and not (content(call) or {}).keys() & {"version", "predicate"}
    if plain and call.path["id"] in cached:
        return Reply(200, cached[call.path["id"]])
    reply = await proceed()
    if plain and reply.status == 200:
        cached[call.path["id"]] = reply.body
    elif call.operation.id in WRITES and "overwrite" not in str(call.request.query.get("mode")).lower():
        cached.pop(call.path["id"], None)
    return reply


@fault("stats-count-old-rows", on=[STATS, "UpdateTable", "DeleteFromTable", "MergeInsertIntoTable", *WRITES])
async def _old_rows_counted(call: Call, proceed: Proceed) -> Reply:
    """Statistics count rows that were updated, deleted or overwritten as if they were still there."""
    extra: dict[str, int] = call.state.setdefault("stats-count-old-rows", {})
    id = call.path["id"]
    if call.operation.id == STATS:
        edit = body_becomes(lambda body: {**body, "num_rows": body["num_rows"] + extra.get(id, 0)}, 200)
        return await edit(call, proceed)
    before = await ask(call, proceed, STATS)
    reply = await proceed()
    if reply.status == 200 and before and call.operation.id not in WRITES:
        extra[id] = extra.get(id, 0) + 1
    return reply


@fault("schema-cached", on=[DESCRIBE])
async def _schema_cached(call: Call, proceed: Proceed) -> Reply:
    """DescribeTable returns the schema that a table had when it was first described."""
    cached: dict[str, Any] = call.state.setdefault("schema-cached", {})
    return await body_becomes(lambda body: _with_first(body, cached.setdefault, call.path["id"]), 200)(call, proceed)


def _with_first(body: dict[str, Any], first: Any, id: str) -> dict[str, Any]:
    return {**body, "schema": first(id, body["schema"])} if body.get("schema") else body


@fault("past-described-as-present", on=[DESCRIBE])
async def _present(call: Call, proceed: Proceed) -> Reply:
    """A description of an earlier version has the schema and the stats of the latest one."""
    version = (content(call) or {}).get("version")
    if version is None:
        return await proceed()
    reply = await proceed()
    if reply.status == 200:
        before, call.request = call.request, call.request.altered(body=b"{}")
        latest = orjson.loads((await proceed()).body)
        call.request = before
        told = {name: latest[name] for name in ("schema", "stats") if name in latest}
        reply.body = orjson.dumps({**orjson.loads(reply.body), **told})
    return reply


@fault("past-located-elsewhere", on=[DESCRIBE])
async def _elsewhere(call: Call, proceed: Proceed) -> Reply:
    """A description of a version has another location than that of the table."""
    return await (location_elsewhere(call, proceed) if (content(call) or {}).get("version") else proceed())


@fault("version-times-now", on=["ListTableVersions"])
async def _times_now(call: Call, proceed: Proceed) -> Reply:
    """The time of a version is the time at which it is listed."""

    def edit(body: dict[str, Any]) -> dict[str, Any]:
        now = time.time_ns() // 1_000_000
        return {**body, "versions": [{**version, "timestamp_millis": now} for version in body["versions"]]}

    return await body_becomes(edit, 200)(call, proceed)


# Removed things


def _file_as_stream(body: bytes) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    table = pa.ipc.open_file(body).read_all()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


@fault("removed-parts-return", on=["DeleteTableTag", "DropTableIndex", "DeleteFromTable", "InsertIntoTable"])
async def _parts_return(call: Call, proceed: Proceed) -> Reply:
    """Tags, indices and rows that were deleted return with the next insert."""
    removed: dict[str, list[Any]] = call.state.setdefault("removed-parts-return", {})
    id, body = call.path["id"], content(call) or {}
    if call.operation.id == "InsertIntoTable":
        reply = await proceed()
        for operation, sent in removed.pop(id, []) if reply.status == 200 else []:
            await send(call, proceed, operation, sent, id=id)
        return reply
    undo: tuple[str, Any]
    if call.operation.id == "DeleteTableTag":
        tag = await ask(call, proceed, "GetTableTagVersion", {"tag": body["tag"]})
        undo = "CreateTableTag", {"tag": body["tag"], "version": tag.get("version")}
    elif call.operation.id == "DropTableIndex":
        listed = (await ask(call, proceed, "ListTableIndices")).get("indexes", [])
        name = call.path["index_name"]
        column = next((entry["columns"][0] for entry in listed if entry["index_name"] == name), "")
        undo = "CreateTableIndex", {"name": name, "column": column, "index_type": "BTREE"}
    else:
        query = {"vector": {}, "k": 1000, "filter": body["predicate"]}
        found = await send(call, proceed, "QueryTable", query)
        undo = "InsertIntoTable", _file_as_stream(found.body) if found.status == 200 else b""
    reply = await proceed()
    if reply.status == 200:
        removed.setdefault(id, []).append(undo)
    return reply


REMOVALS = ("DropTable", "DeregisterTable", "RenameTable", "BatchCommitTables", "DropNamespace")


@fault("removed-tables-return", on=[*REMOVALS, "CreateTable"])
async def _tables_return(call: Call, proceed: Proceed) -> Reply:
    """A table that was removed exists again, without rows, once the next table is created."""
    gone: set[str] = call.state.setdefault("removed-tables-return", set())
    ids = await _removed_by(call, proceed)
    reply = await proceed()
    if reply.status != 200:
        return reply
    gone.update(ids)
    if call.operation.id == "CreateTable":
        for id in sorted(gone - {call.path["id"]}):
            await send(call, proceed, "DeclareTable", {}, id=id)
        gone.clear()
    return reply


async def _removed_by(call: Call, proceed: Proceed) -> list[str]:
    """Return the tables that a request removes."""
    if call.operation.id == "CreateTable":
        return []
    if call.operation.id == "BatchCommitTables":
        names = [part.get("deregister_table") for part in (content(call) or {}).get("operations", [])]
        return ["$".join(name["id"]) for name in names if name]
    if call.operation.id == "DropNamespace":
        tables = (await ask(call, proceed, "ListTables")).get("tables", [])
        return [f"{call.path['id']}${name}" for name in tables]
    return [call.path["id"]]


PARTS = ("AlterTableDropColumns",)


@fault("removal-repeatable", on=[*REMOVALS, *PARTS])
async def _repeatable(call: Call, proceed: Proceed) -> Reply:
    """Removing what was removed before succeeds again."""
    known: set[Any] = call.state.setdefault("removal-repeatable", set())
    keys = {(call.operation.id, call.path.get("id"), call.request.body)}
    if call.operation.id in REMOVALS and "id" in call.path:
        keys.add(("table", call.path["id"], b""))
    reply = await proceed()
    if reply.status == 200:
        known.update(keys)
    elif reply.status in (400, 404, 409) and known & keys:
        return json_reply({"version": 1, "results": []})
    return reply


# Predicates

PREDICATES = {"CountTableRows": "predicate", "UpdateTable": "predicate", "DeleteFromTable": "predicate"}
FILTER, DELETES = "filter", "when_not_matched_by_source_delete_filt"


@fault("unknown-holds", on=[*PREDICATES, "QueryTable", "MergeInsertIntoTable"])
async def _unknown_holds(call: Call, proceed: Proceed) -> Reply:
    """A predicate also holds for rows for which null makes it unknown."""
    name = PREDICATES.get(call.operation.id, FILTER)
    query = call.request.query
    if call.operation.id == "MergeInsertIntoTable":
        if DELETES in query:
            loose = {**query, DELETES: [f"({query[DELETES][-1]}) IS NOT FALSE"]}
            call.request = call.request.altered(query=loose)
    elif (body := content(call) or {}).get(name):
        call.request = call.request.altered(body=orjson.dumps({**body, name: f"({body[name]}) IS NOT FALSE"}))
    return await proceed()


@fault("index-without-nulls", on=[COUNT])
async def _without_nulls(call: Call, proceed: Proceed) -> Reply:
    """Once a table has an index, no row with null is found by IS NULL."""
    predicate = str((content(call) or {}).get("predicate"))
    if "IS NULL" in predicate and (await ask(call, proceed, "ListTableIndices")).get("indexes"):
        return json_reply(0)
    return await proceed()


@fault("first-fragment-only", on=[*PREDICATES, "QueryTable"])
async def _first_fragment(call: Call, proceed: Proceed) -> Reply:
    """A predicate is evaluated on the rows of the first insert alone."""
    name, body = PREDICATES.get(call.operation.id, FILTER), content(call) or {}
    if body.get(name):
        first = f"({body[name]}) AND _rowid < 4294967296"
        call.request = call.request.altered(body=orjson.dumps({**body, name: first}))
    return await proceed()


@fault("vector-tail-lost", on=["QueryTable"])
async def _tail_lost(call: Call, proceed: Proceed) -> Reply:
    """The last number of the vector of a search is taken for 0."""
    body = content(call) or {}
    vector = (body.get("vector") or {}).get("single_vector")
    if vector:
        edited = {**body, "vector": {"single_vector": [*vector[:-1], 0.0]}}
        call.request = call.request.altered(body=orjson.dumps(edited))
    return await proceed()
