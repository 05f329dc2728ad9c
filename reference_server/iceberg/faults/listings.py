"""Listings that show too little, too much, or the past."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, fault
from reference_server.iceberg.faults.blocks import LISTS, answer_becomes, body_of, performed, refuses_when
from specs.identifiers import UNIT_SEPARATOR

LIST, LIST_TABLES, LIST_VIEWS = LISTS

CUT = 100


def items(edit: Callable[[list[Any]], list[Any]]) -> Around:
    """Show other items in a listing than there are."""
    return answer_becomes(namespaces=edit, identifiers=edit)


@fault("lists-missing-as-empty", on=LISTS)
async def _missing_lists_empty(_call: Call, proceed: Proceed) -> Reply:
    """Listing what does not exist is answered with an empty list."""
    reply = await proceed()
    return json_reply({"namespaces": [], "identifiers": []}) if reply.status == 404 else reply


@fault("lists-deeper-too", on=[LIST])
async def _deeper_too(call: Call, proceed: Proceed) -> Reply:
    """Namespaces of the second level are listed among those of the first."""
    # Add the second level to a listing of the first.
    reply = await proceed()
    if call.request.query.get("parent") or reply.status != 200:
        return reply
    body = body_of(reply)
    outer = [UNIT_SEPARATOR.join(levels) for levels in body["namespaces"]]
    for parent in outer:
        inner = await performed(call, proceed, LIST, query={"parent": [parent]})
        body["namespaces"] += body_of(inner).get("namespaces", [])
    return json_reply(body)


@fault("lists-views-as-tables", on=[LIST_TABLES])
async def _views_too(call: Call, proceed: Proceed) -> Reply:
    """Views are listed among the tables."""
    views = body_of(await performed(call, proceed, LIST_VIEWS)).get("identifiers", [])
    return await items(lambda tables: tables + views)(call, proceed)


@fault("lists-stale")
async def _stale(call: Call, proceed: Proceed) -> Reply:
    """A listing is answered as before the latest write."""
    # Answer a listing with what it answered before the last write.
    writes = call.state.setdefault("listing writes", 0)
    if call.operation.id not in LISTS:
        call.state["listing writes"] = writes + (call.operation.method != "GET")
        return await proceed()
    seen = call.state.setdefault("listings", {})
    key = call.request.target
    before = seen.get(key)
    reply = await proceed()
    seen[key] = (writes, replace(reply))
    return before[1] if before and before[0] < writes else reply


fault("lists-empty", "Listings are empty.", on=LISTS)(items(lambda _: []))
fault("lists-doubled", "Listings show their first item twice.", on=LISTS)(items(lambda entries: entries[:1] + entries))
fault("lists-relative", "Namespaces are listed without the levels of their parent.", on=[LIST])(
    items(lambda namespaces: [levels[-1:] for levels in namespaces])
)
fault("lists-empty-parent-refused", "An empty parent is taken for the name of a namespace.", on=[LIST])(
    refuses_when(lambda call: call.request.query.get("parent") == [""], InvalidInput("The namespace is empty."))
)
fault("lists-cut-short", f"Listings end after {CUT} entries, and do not tell that there are more.", on=LISTS)(
    items(lambda entries: entries[:CUT])
)
