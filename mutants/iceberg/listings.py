"""Incomplete or outdated listings, and pages that lose or repeat entries."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import (
    LISTS,
    NEXT,
    SIZE,
    TOKEN,
    ask_page,
    body_of,
    items,
    offset_of,
    performed,
    query_value,
    refuses_when,
)

LIST, LIST_TABLES, LIST_VIEWS = LISTS
CUT = 100


@fault("lists-views-as-tables", on=[LIST_TABLES])
async def _views_too(call: Call, proceed: Proceed) -> Reply:
    """Views are listed among the tables."""
    views = body_of(await performed(call, proceed, LIST_VIEWS)).get("identifiers", [])
    return await items(lambda tables: tables + views)(call, proceed)


fault("lists-relative", "Namespaces are listed without the levels of their parent.", on=[LIST])(
    items(lambda namespaces: [levels[-1:] for levels in namespaces])
)
fault("lists-cut-short", f"Listings end after {CUT} entries, and do not tell that there are more.", on=LISTS)(
    items(lambda entries: entries[:CUT])
)


@fault("pages-too-long", on=LISTS)
async def _longer(call: Call, proceed: Proceed) -> Reply:
    """A page holds one entry more than was asked for."""
    if size := offset_of(query_value(call, SIZE)):
        ask_page(call, pageSize=str(size + 1))
    return await proceed()


@fault("pages-of-the-root-are-empty", on=["listNamespaces"])
async def _root_is_empty(call: Call, proceed: Proceed) -> Reply:
    """Pages of namespaces after the first are empty where no parent is named."""
    cut = query_value(call, TOKEN) and not query_value(call, "parent")
    return await (items(lambda entries: entries[:0]) if cut else items(list))(call, proceed)


@fault("pages-of-the-token", on=["listTables"])
async def _of_the_token(call: Call, proceed: Proceed) -> Reply:
    """A token goes on with the namespace of which it was issued, whichever is asked for."""
    issued: dict[str, str] = call.state.setdefault("pages-of-the-token", {})
    begun = issued.get(query_value(call, TOKEN) or "", call.path["namespace"])
    call.path = {**call.path, "namespace": begun}
    reply = await proceed()
    token = body_of(reply).get(NEXT)
    if token:
        issued[token] = begun
    return reply


fault("pages-start-refused", "An empty token is no token that was issued.", on=LISTS)(
    refuses_when(lambda call: query_value(call, TOKEN) == "", InvalidInput("The page token is invalid."))
)
