"""Files of dropped tables that stay although they should go, or the other way round."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault

DROP = ["dropTable"]


@fault("purge-unasked", on=DROP)
async def _purged(call: Call, proceed: Proceed) -> Reply:
    """The files of a table go when it is dropped, whatever the client wants."""
    call.request = call.request.altered(query={**call.request.query, "purgeRequested": ["true"]})
    return await proceed()
