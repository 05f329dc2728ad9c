"""The faults of every API: what happens to any server, and what breaks HTTP itself."""

from __future__ import annotations

import asyncio
import gzip
import math
from collections.abc import Callable

from reference_server.context import Reply
from reference_server.errors import CatalogError, PermissionDenied, ServiceUnavailable, Throttling, Unsupported
from reference_server.faults import Around, Call, Proceed, fault, refuses, timed_fault

SLOW_SECONDS = 0.3
LARGE = 2 * 1024 * 1024
RETRY_AFTER = "Retry-After"
IN_A_ROW = 20


def _late(seconds: float) -> Around:
    async def around(_call: Call, proceed: Proceed) -> Reply:
        await asyncio.sleep(seconds)
        return await proceed()

    return around


def _later(error: type[CatalogError], message: str) -> Callable[[float], Around]:
    """Return a refusal that says after how many seconds to try again, whole ones as HTTP has them."""
    return lambda seconds: refuses(error(message, {RETRY_AFTER: str(math.ceil(seconds))}))


RETRY = "Retry-After is 1 second, or SECONDS."
timed_fault("slow", f"Every answer comes {SLOW_SECONDS} seconds late, or SECONDS.", SLOW_SECONDS, _late)
timed_fault(
    "unavailable", f"The server cannot serve at the moment. {RETRY}", 1, _later(ServiceUnavailable, "Come back later.")
)
timed_fault(
    "throttled",
    f"The caller sends too many requests. {RETRY}",
    1,
    _later(Throttling, "There are too many requests."),
)


def _limited(name: str, error: CatalogError) -> Around:
    """Refuse who sends more than IN_A_ROW requests of one operation; the next ones are served again."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        latest, count = call.state.get(name, (None, 0))
        count = count + 1 if latest is call.operation else 1
        call.state[name] = call.operation, count % (IN_A_ROW + 1)
        return await (proceed() if count <= IN_A_ROW else refuses(error)(call, proceed))

    return around


BUSY = "There are too many requests in a row."
timed_fault(
    "rate-limited",
    f"After {IN_A_ROW} requests of one operation in a row the next is refused with 429. {RETRY}",
    1,
    lambda seconds: _limited("rate-limited", Throttling(BUSY, {RETRY_AFTER: str(math.ceil(seconds))})),
)
fault("rate-limit-in-words", "Who asks often for one operation is refused with 429 whose Retry-After is words.")(
    _limited("rate-limit-in-words", Throttling(BUSY, {RETRY_AFTER: "in a moment"}))
)


@fault("connection-lost")
async def _connection_lost(_call: Call, proceed: Proceed) -> Reply:
    """The work is done, but the connection is closed before the answer."""
    await proceed()
    raise ConnectionAbortedError


@fault("plain-text-errors")
async def _plain_text_errors(_call: Call, proceed: Proceed) -> Reply:
    """Errors are plain text instead of the error body of the API."""
    reply = await proceed()
    if reply.status >= 400:
        reply.body, reply.content_type = b"something went wrong", "text/plain"
    return reply


fault("unsupported", "Operations are refused as those that a server does not have.")(
    refuses(Unsupported("This server does not have the operation."))
)
fault("forbidden", "The caller may not do this.")(refuses(PermissionDenied("You may not do this.")))


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
    """Who sends what another client is sending at that moment is told of a failure of the server."""
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


@fault("compressed-unasked")
async def _compressed(_call: Call, proceed: Proceed) -> Reply:
    """Every answer is compressed, whoever asks."""
    reply = await proceed()
    if reply.body:
        reply.body = gzip.compress(reply.body)
        reply.headers["Content-Encoding"] = "gzip"
    return reply


@fault("challenge-lost")
async def _challenge(_call: Call, proceed: Proceed) -> Reply:
    """Who is not authenticated is not told how to be."""
    reply = await proceed()
    reply.headers.pop("WWW-Authenticate", None)
    return reply
