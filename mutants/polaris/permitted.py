"""Deviations that users reported as bugs, and that the documents permit: no requirement that is a MUST blames them."""

from __future__ import annotations

import orjson

from mutants.polaris.blocks import read
from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, arguments_lost, fault
from reference_server.iceberg.faults.blocks import SIZE, TOKEN

GENERIC, LOCATION = "createGenericTable", "base-location"

fault(
    "generic-pages-never",
    "Generic tables and policies are listed in one piece, whatever page is asked for.",
    on=["listGenericTables", "listPolicies"],
)(arguments_lost(TOKEN, SIZE))


@fault("generic-location-unchecked", on=[GENERIC])
async def _unchecked(call: Call, proceed: Proceed) -> Reply:
    """Generic tables may lie anywhere, also in the folders of other tables."""
    reply, body = await proceed(), read(call.request.body)
    if reply.status not in (400, 403, 409) or not body.get(LOCATION):
        return reply
    bare = {name: value for name, value in body.items() if name != LOCATION}
    call.request = call.request.altered(body=orjson.dumps(bare))
    accepted = await proceed()
    return json_reply({"table": body}) if accepted.status == 200 else reply
