"""Files of dropped tables that stay although they should go, or the other way round."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, arguments_lost, declare

DROP = ["dropTable"]


async def _purged(call: Call, proceed: Proceed) -> Reply:
    call.request = call.request.altered(query={**call.request.query, "purgeRequested": ["true"]})
    return await proceed()


declare(
    "purge-forgotten",
    "The files of a table stay when it is dropped, whatever the client wants.",
    arguments_lost("purgeRequested"),
    on=DROP,
)
declare("purge-unasked", "The files of a table go when it is dropped, whatever the client wants.", _purged, on=DROP)
