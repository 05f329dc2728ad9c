"""Wrong listings and pages."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, arguments_lost, body_becomes, fault, fields_lost
from reference_server.lance.faults.blocks import LISTS, PAGED, items, paging


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


fault("list-empty", "Listings are empty.", on=PAGED)(body_becomes(items(lambda _: []), 200))
fault("list-ghost", "Listings show something that does not exist.", on=LISTS)(
    body_becomes(items(lambda names: [*names, "ghost"]), 200)
)

fault("token-lost", "Pages never have a token.", on=PAGED)(fields_lost("page_token"))
fault("limit-ignored", "Limits are ignored.", on=PAGED)(arguments_lost("limit"))
