"""Wrong ETags and idempotency keys."""

from __future__ import annotations

from itertools import count

from reference_server.context import Reply
from reference_server.errors import Conflict
from reference_server.faults import Call, Proceed, fault, header_lost
from reference_server.iceberg.catalog.idempotency import HEADER
from reference_server.iceberg.faults.blocks import CONDITION, ETAG, LOAD, TAGGED, refused, where_keys_are_taken


@fault("etag-of-the-answer", on=TAGGED)
async def _of_the_answer(call: Call, proceed: Proceed) -> Reply:
    """Every answer has another ETag."""
    # Give every answer an ETag of its own.
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = f'"{next(call.state.setdefault("etags", count()))}"'
    return reply


@fault("etag-any-is-current", on=LOAD)
async def _any_condition(call: Call, proceed: Proceed) -> Reply:
    """A load with any ETag in If-None-Match returns 304."""
    condition = call.request.headers.get(CONDITION)
    return await proceed() if condition is None else Reply(304, headers={ETAG: condition})


@fault("etag-unasked", on=LOAD)
async def _unasked(call: Call, proceed: Proceed) -> Reply:
    """A repeated load without If-None-Match returns 304."""
    # Answer who asks again as if they had said what they have.
    seen: dict[str, str] = call.state.setdefault("etags seen", {})
    reply = await proceed()
    etag = reply.headers.get(ETAG, "")
    if reply.status == 200 and seen.get(call.request.target) == etag:
        return Reply(304, headers={ETAG: etag})
    seen[call.request.target] = etag
    return reply


unheard = header_lost(HEADER)


async def _refused_again(call: Call, proceed: Proceed) -> Reply:
    """Refuse a key that was used, whoever asks."""
    used: set[str] = call.state.setdefault("keys used", set())
    key = call.request.headers.get(HEADER)
    if key in used:
        return refused(call, Conflict("The idempotency key was used before."))
    used.update([key] if key else [])
    return await proceed()


fault("keys-ignored", "Idempotency keys are advertised, but ignored.")(where_keys_are_taken(unheard))
fault("keys-refused-again", "A key that comes again is refused as used.")(where_keys_are_taken(_refused_again))
