"""Faults of every API that break HTTP or fail on ordinary requests."""

from __future__ import annotations

import asyncio

from reference_server.common_faults import SLOW_SECONDS
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault

LARGE = 2 * 1024 * 1024


@fault("large-bodies-fail")
async def _large_bodies(call: Call, proceed: Proceed) -> Reply:
    """A body of more than two mebibytes is a failure of the server."""
    reply = await proceed()
    if len(call.request.body) > LARGE:
        reply.status = 500
    return reply


@fault("unneeded-parameters-fail")
async def _parameters(call: Call, proceed: Proceed) -> Reply:
    """A query or a header that a request can do without is a failure of the server."""
    reply = await proceed()
    given = {*call.request.query, *map(str.lower, call.request.headers)}
    optional = (known for known in call.operation.parameters if not known.required)
    if any((known.name.lower() if known.location == "header" else known.name) in given for known in optional):
        reply.status = 500
    return reply


@fault("same-requests-fail")
async def _same_requests(call: Call, proceed: Proceed) -> Reply:
    """A request equal to one that another client is sending at that moment returns 500."""
    sending: set[tuple[str, str, bytes]] = call.state.setdefault("same-requests-fail", set())
    key = call.request.method, call.request.target, call.request.body
    if key in sending:
        return Reply(500)
    sending.add(key)
    try:
        await asyncio.sleep(SLOW_SECONDS)  # others have time to come
        return await proceed()
    finally:
        sending.discard(key)


@fault("chunks-refused")
async def _chunks(call: Call, proceed: Proceed) -> Reply:
    """A body that comes without its length is refused."""
    chunked = "transfer-encoding" in {name.lower() for name in call.request.headers}
    return Reply(411) if chunked else await proceed()


@fault("challenge-lost")
async def _challenge(_call: Call, proceed: Proceed) -> Reply:
    """A 401 has no WWW-Authenticate header."""
    reply = await proceed()
    reply.headers.pop("WWW-Authenticate", None)
    return reply
