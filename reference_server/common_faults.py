"""Faults of every API for developers of clients."""

from __future__ import annotations

import asyncio
import gzip
import math
from collections.abc import Callable

from reference_server.context import Reply
from reference_server.errors import CatalogError, PermissionDenied, ServiceUnavailable, Throttling, Unsupported
from reference_server.faults import Around, Call, Proceed, fault, refuses, status_becomes, timed_fault

SLOW_SECONDS = 0.3
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
fault("rate-limit-in-words", "Frequent requests of one operation return 429 with words in Retry-After.")(
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
fault("conflict-as-400", "A conflict with an existing object returns 400.")(status_becomes(409, 400))
fault("not-found-as-400", "A missing object returns 400.")(status_becomes(404, 400))
fault("forbidden", "The caller may not do this.")(refuses(PermissionDenied("You may not do this.")))


@fault("compressed-unasked")
async def _compressed(_call: Call, proceed: Proceed) -> Reply:
    """Every answer is compressed, whoever asks."""
    reply = await proceed()
    if reply.body:
        reply.body = gzip.compress(reply.body)
        reply.headers["Content-Encoding"] = "gzip"
    return reply
