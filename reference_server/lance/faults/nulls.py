"""Nulls taken for values."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, answers, content, fault

REFUSED = {"error": "A field may not be null.", "code": 13}


@fault("null-refused")
async def _refuse_null(call: Call, proceed: Proceed) -> Reply:
    """Optional fields may not be null."""
    if None in (content(call) or {}).values():
        return await answers(400, REFUSED)(call, proceed)
    return await proceed()


@fault("null-identity-fails")
async def _fail_without_identity(call: Call, proceed: Proceed) -> Reply:
    """An identity that is null is a failure of the server."""
    reply = await proceed()
    if (content(call) or {}).get("identity", "") is None:
        reply.status = 500
    return reply
