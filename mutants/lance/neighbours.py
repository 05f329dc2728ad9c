"""Tables and namespaces that are taken for others: former names, names that begin alike, what was declared once."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.lance.asking import ask, parts, send
from mutants.lance.requests import with_rows
from reference_server.context import Reply, Request, json_reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault


@fault("rename-keeps-path", on=["RenameTable", "CreateTable", "DeclareTable", "DropTable", "InsertIntoTable"])
async def _keeps_path(call: Call, proceed: Proceed) -> Reply:
    """A renamed table lies where its former name says: the next table of that name writes over it."""
    former: dict[str, str] = call.state.setdefault("rename-keeps-path", {})
    id = call.path["id"]
    reply = await proceed()
    if reply.status != 200:
        return reply
    if call.operation.id == "RenameTable":
        body = content(call) or {}
        space = body.get("new_namespace_id") or parts(call)[:-1]
        former[id] = "$".join([*space, body["new_table_name"]])
    elif id in former and call.operation.id in ("CreateTable", "InsertIntoTable"):
        await send(call, proceed, "InsertIntoTable", call.request.body, id=former[id])
    return reply


@fault("former-tables-count", on=["CreateTable", "DropNamespace"])
async def _former_count(call: Call, proceed: Proceed) -> Reply:
    """A namespace that once had a table is never empty again."""
    spaces: set[str] = call.state.setdefault("former-tables-count", set())
    if call.operation.id == "CreateTable":
        spaces.add("$".join(parts(call)[:-1]))
    elif call.path["id"] in spaces and "ascade" not in str(content(call)):
        return json_reply({"error": "the namespace is not empty", "code": 3}, 409)
    return await proceed()


async def _siblings(call: Call, proceed: Proceed) -> list[str]:
    """Return the siblings of a namespace whose names begin with its name."""
    *above, name = parts(call)
    listed = (await ask(call, proceed, "ListNamespaces", id="$".join(above) or "$")).get("namespaces", [])
    return ["$".join([*above, other]) for other in listed if other != name and other.startswith(name)]


@fault("names-as-prefixes", on=["ListTables", "ListNamespaces"])
async def _prefixes(call: Call, proceed: Proceed) -> Reply:
    """A listing of a namespace has what lies in namespaces whose names begin with its name."""
    reply = await proceed()
    if reply.status != 200 or call.path["id"] == "$":
        return reply
    body = orjson.loads(reply.body)
    field = "tables" if call.operation.id == "ListTables" else "namespaces"
    found = {name for id in await _siblings(call, proceed) for name in await _listed(call, proceed, field, id)}
    reply.body = orjson.dumps({**body, field: sorted({*body[field], *found})})
    return reply


async def _listed(call: Call, proceed: Proceed, field: str, id: str) -> list[str]:
    names: list[str] = (await ask(call, proceed, call.operation.id, id=id)).get(field, [])
    return names


@fault("drop-by-prefix", on=["DropNamespace", "DropTable"])
async def _drop_by_prefix(call: Call, proceed: Proceed) -> Reply:
    """A drop takes objects with it whose names begin with the name of the dropped one."""
    if call.operation.id == "DropNamespace":
        for id in await _siblings(call, proceed):
            await send(call, proceed, "DropNamespace", {"behavior": "Cascade"}, id=id)
        return await proceed()
    *above, name = parts(call)
    listed = (await ask(call, proceed, "ListTables", id="$".join(above) or "$")).get("tables", [])
    for other in listed:
        if other != name and other.startswith(name):
            await send(call, proceed, "DropTable", id="$".join([*above, other]))
    return await proceed()


@fault("declared-for-ever", on=["DeclareTable", "DescribeTable"])
async def _declared_for_ever(call: Call, proceed: Proceed) -> Reply:
    """A table that was declared is described as only declared, also with data."""
    known: set[str] = call.state.setdefault("declared-for-ever", set())
    if call.operation.id == "DeclareTable":
        known.add(call.path["id"])
        return await proceed()
    edit = body_becomes(lambda body: {**body, "is_only_declared": call.path["id"] in known}, 200)
    return await edit(call, proceed)


def _by_place(data: Any, _request: Request) -> Any:
    """Return rows with the numbers of their first and their last column exchanged."""
    first, *middle, last = data.column_names
    alike = data.schema.types[0] == data.schema.types[-1] and first > last
    return data.rename_columns([last, *middle, first]) if alike else data


def _filled(data: Any, _request: Request) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    return data if "name" in data.column_names else data.append_column("name", pa.array([""] * data.num_rows))


@fault("insert-mixes-columns", on=["InsertIntoTable"])
async def _mixes(call: Call, proceed: Proceed) -> Reply:
    """An insert whose columns are arranged otherwise mixes them up, and fills those that are missing with a default."""
    call.request = with_rows(call.request, _by_place if b"name" in call.request.body else _filled)
    return await proceed()


@fault("index-one-behind", on=["CreateTableIndex", "QueryTable", "CountTableRows"])
async def _one_behind(call: Call, proceed: Proceed) -> Reply:
    """A query of a table with an index finds the rows that were there before the latest change."""
    built: dict[str, int] = call.state.setdefault("index-one-behind", {})
    id, body = call.path["id"], content(call) or {}
    if call.operation.id == "CreateTableIndex":
        reply = await proceed()
        built[id] = await _latest(call, proceed)
        return reply
    searches = any(body.get(name) for name in ("filter", "predicate", "full_text_query", "vector"))
    if searches and id in built and "version" not in body:
        version = max(built[id], await _latest(call, proceed) - 1)
        call.request = call.request.altered(body=orjson.dumps({**body, "version": version}))
    return await proceed()


async def _latest(call: Call, proceed: Proceed) -> int:
    described = await ask(call, proceed, "DescribeTableVersion")
    number: int = described.get("version", {}).get("version", 0)
    return number
