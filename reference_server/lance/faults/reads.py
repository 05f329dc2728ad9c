"""Wrong or outdated reads."""

from __future__ import annotations

from dataclasses import replace

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, body_becomes, fault, fields_lost
from reference_server.lance.faults.blocks import LISTS, location_elsewhere

fault("location-lost", "Answers do not say where a table lies.")(fields_lost("location"))
fault("count-plus-one", "CountTableRows counts one row too many.", on=["CountTableRows"])(
    body_becomes(lambda count: count + 1, 200)
)
fault("table-elsewhere", "DescribeTable names a place where no table lies.", on=["DescribeTable"])(location_elsewhere)
READS = (
    *LISTS,
    *("DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows", "QueryTable"),
    *("ListTableVersions", "DescribeTableVersion", "ListTableTags", "GetTableTagVersion", "ListTableIndices"),
    *("DescribeTableIndexStats", "GetTableStats", "DescribeTransaction"),
)


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
