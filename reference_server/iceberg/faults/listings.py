"""Wrong listings and pages."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, fault, fields_lost
from reference_server.iceberg.faults.blocks import (
    LISTS,
    NEXT,
    SIZE,
    TOKEN,
    ask_page,
    body_of,
    items,
    offset_of,
    query_value,
)

fault("lists-empty", "Listings are empty.", on=LISTS)(items(lambda _: []))
fault("lists-doubled", "Listings show their first item twice.", on=LISTS)(items(lambda entries: entries[:1] + entries))

KNOWN = ("namespaces", "identifiers")
UNASKED = 3


async def _unasked(call: Call, proceed: Proceed) -> Reply:
    if query_value(call, TOKEN) is None:
        ask_page(call, pageToken="", pageSize=query_value(call, SIZE) or str(UNASKED))
    return await proceed()


@fault("pages-lose-one", on=LISTS)
async def _loses_one(call: Call, proceed: Proceed) -> Reply:
    """Every page after the first leaves out its first entry."""
    return await (items(lambda entries: entries[1:]) if query_value(call, TOKEN) else items(list))(call, proceed)


@fault("pages-counted", on=LISTS)
async def _counted(call: Call, proceed: Proceed) -> Reply:
    """Tokens of pages are numbers of entries, so that a change between two pages shifts them."""
    # Count how many items were shown instead of remembering the last one.
    start, size = offset_of(query_value(call, TOKEN)), offset_of(query_value(call, SIZE))
    if not size or query_value(call, TOKEN) is None:
        return await proceed()
    ask_page(call, pageToken=None, pageSize=None)
    body = body_of(reply := await proceed())
    name = next((name for name in KNOWN if name in body), None)
    if name is None:
        return reply
    end = start + size
    return json_reply({name: body[name][start:end], NEXT: end if len(body[name]) > end else None})


fault("pages-unasked", f"Listings come in pages of {UNASKED} to clients that did not ask for pages.", on=LISTS)(
    _unasked
)
fault("pages-without-token", "Pages never have a token for the next one.", on=LISTS)(fields_lost(NEXT))
