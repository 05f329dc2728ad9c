"""Listings that show too little, too much, or the past; pages that lose and double."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, arguments_lost, body_becomes, fault, fields_lost
from reference_server.lance.faults.building import LISTS, PAGED, READS, delimiter, items, paging


@fault("missing-lists-empty", on=LISTS)
async def _missing_lists_empty(_call: Call, proceed: Proceed) -> Reply:
    """Listing what does not exist is answered with an empty list."""
    reply = await proceed()
    return json_reply({"namespaces": [], "tables": []}) if reply.status == 404 else reply


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


@fault("stale-read")
async def _stale(call: Call, proceed: Proceed) -> Reply:
    """A read is answered as before the latest write."""
    # Answer a read with what it answered before the last write.
    writes = call.state.setdefault("writes", 0)
    if call.operation.id not in READS:
        call.state["writes"] = writes + 1
        return await proceed()
    seen = call.state.setdefault("reads", {})
    key = (call.request.path, str(call.request.query), call.request.body)
    before = seen.get(key)
    reply = await proceed()
    seen[key] = (writes, replace(reply))
    return before[1] if before and before[0] < writes else reply


@fault("page-loses-one", on=PAGED)
async def _page_loses_one(call: Call, proceed: Proceed) -> Reply:
    """Every page after the first leaves out its first item."""
    later = bool(paging(call).get("page_token"))
    return await body_becomes(items(lambda names: names[1:] if later else names), 200)(call, proceed)


@fault("offset-pages", on=PAGED)
async def _offset_pages(call: Call, proceed: Proceed) -> Reply:
    """Page tokens count items, so that a creation between two pages shifts them."""
    # Count how many items were shown instead of remembering the last one.
    arguments = paging(call)
    if not str(arguments.get("limit", "")).isdigit():
        return await proceed()
    start, limit = int(arguments.get("page_token") or 0), int(arguments["limit"])
    reply = await arguments_lost("limit", "page_token")(call, proceed)
    body = orjson.loads(reply.body)
    more = any(len(value) > start + limit for value in body.values() if isinstance(value, (list, dict)))
    page = items(lambda entries: entries[start : start + limit])(body)
    reply.body = orjson.dumps({**page, "page_token": str(start + limit) if more else None})
    return reply


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
    """Without a limit the first twenty are listed, and it is not told that there are more."""
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


# Listings
fault("list-empty", "Listings are empty.", on=PAGED)(body_becomes(items(lambda _: []), 200))
fault("list-ghost", "Listings show something that does not exist.", on=LISTS)(
    body_becomes(items(lambda names: [*names, "ghost"]), 200)
)
fault("declared-listed", "Declared tables are always listed.", on=["ListTables"])(_include_declared("true"))
fault("declared-hidden", "Declared tables are never listed.", on=["ListTables"])(_include_declared("false"))

# Pages
fault("token-lost", "Pages never have a token.", on=PAGED)(fields_lost("page_token"))
fault("limit-ignored", "Limits are ignored.", on=PAGED)(arguments_lost("limit"))
