"""Wrong routes and error bodies."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, fields_lost
from reference_server.lance.faults.blocks import is_root


@fault("unrouted")
async def _unrouted(call: Call, proceed: Proceed) -> Reply:
    """Operations are missing: an empty 404 instead of 406 with code 0."""
    return await proceed() if is_root(call) else Reply(404)


fault("error-without-code", "Error bodies have no code.")(fields_lost("code"))
