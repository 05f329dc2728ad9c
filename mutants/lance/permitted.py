"""Deviations that users reported as bugs, and that the document permits: no requirement that is a MUST blames them."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.lance.faults.blocks import paging


@fault("pages-half-full", on=["ListTables", "ListNamespaces"])
async def _half_full(call: Call, proceed: Proceed) -> Reply:
    """A page holds half as many entries as the limit allows, and has a token for the next one."""
    limit = paging(call).get("limit")
    if str(limit).isdecimal() and int(str(limit)) > 1:
        call.request = call.request.altered(query={**call.request.query, "limit": [str(int(str(limit)) // 2)]})
    return await proceed()
