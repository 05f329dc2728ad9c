"""Incomplete or outdated listings, and pages that lose or repeat entries."""

from __future__ import annotations

import re
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, body_becomes, fault
from reference_server.lance.faults.blocks import PAGED, delimiter, items, paging

PLAIN = re.compile(r"[\w$.-]+", re.ASCII)  # names that need no coding


@fault("full-names", on=["ListTables"])
async def _full_names(call: Call, proceed: Proceed) -> Reply:
    """ListTables shows full identifiers instead of names."""
    parent = call.path["id"] + delimiter(call)
    return await body_becomes(items(lambda names: [parent + name for name in names]), 200)(call, proceed)


def _include_declared(wanted: str) -> Any:
    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = call.request.altered(query={**call.request.query, "include_declared": [wanted]})
        return await proceed()

    return around


@fault("coded-names-undeclared", on=["ListTables"])
async def _coded_undeclared(call: Call, proceed: Proceed) -> Reply:
    """With include_declared=false tables are left out whose names are coded on disk."""
    reply = await proceed()
    if reply.status != 200 or call.request.query.get("include_declared", [""])[-1] != "false":
        return reply
    return json_reply({"tables": [name for name in orjson.loads(reply.body)["tables"] if PLAIN.fullmatch(name)]})


@fault(
    "missing-namespaces-empty",
    on=["NamespaceExists", "DescribeNamespace", "ListNamespaces", "ListTables", "DropNamespace"],
)
async def _empty_namespaces(_call: Call, proceed: Proceed) -> Reply:
    """A namespace that does not exist is described, listed and dropped like an empty one."""
    reply = await proceed()
    return json_reply({"properties": {}, "namespaces": [], "tables": []}) if reply.status == 404 else reply


@fault("list-cut", on=PAGED)
async def _list_cut(call: Call, proceed: Proceed) -> Reply:
    """Without a limit a listing returns the first twenty items and no page token."""
    if paging(call).get("limit"):
        return await proceed()
    return await body_becomes(items(lambda entries: entries[:20]), 200)(call, proceed)


@fault("large-limits-fail", on=PAGED)
async def _large_limits_fail(call: Call, proceed: Proceed) -> Reply:
    """A limit that needs more than thirty bits is an internal error."""
    limit = str(paging(call).get("limit", ""))
    large = limit.isdecimal() and int(limit) >= 2**30
    return json_reply({"error": "Internal error.", "code": 18}, 500) if large else await proceed()


@fault("tokens-lead-elsewhere", on=["ListNamespaces"])
async def _tokens_lead_elsewhere(call: Call, proceed: Proceed) -> Reply:
    """A page token names the namespace whose pages it continues, whatever namespace is asked for."""
    tokens = call.state.setdefault("tokens", {})
    id = tokens.get(paging(call).get("page_token"), call.path["id"])
    call.path = {**call.path, "id": id}
    reply = await proceed()
    token = orjson.loads(reply.body).get("page_token") if reply.status == 200 else None
    if token:
        tokens[token] = id
    return reply


fault("declared-listed", "Declared tables are always listed.", on=["ListTables"])(_include_declared("true"))
fault("declared-hidden", "Declared tables are never listed.", on=["ListTables"])(_include_declared("false"))
