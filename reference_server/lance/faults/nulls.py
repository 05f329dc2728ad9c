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
