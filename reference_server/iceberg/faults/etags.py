"""ETags that change too often, too rarely, or are not asked for."""

from __future__ import annotations

import hashlib
from itertools import count

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, header_lost
from reference_server.iceberg.faults.blocks import body_of

ETAG, CONDITION = "ETag", "If-None-Match"

LOAD = ["loadTable"]

TAGGED = ["createTable", "registerTable", "updateTable", *LOAD]


@fault("etag-of-the-table", on=TAGGED)
async def _of_the_table(call: Call, proceed: Proceed) -> Reply:
    """The ETag of a table stays the same whatever is committed."""
    # Make the ETag from the identity of the table alone, and never mind conditions.
    reply = await header_lost(CONDITION)(call, proceed)
    if ETAG in reply.headers and reply.status == 200:
        reply.headers[ETAG] = f'"{body_of(reply)["metadata"]["table-uuid"]}"'
    return reply


@fault("etag-of-the-name", on=LOAD)
async def _of_the_name(call: Call, proceed: Proceed) -> Reply:
    """The ETag of a table is made from its name and the number of its commits."""
    # Make the ETag from the name of the table and its number of commits.
    reply = await proceed()
    if reply.status == 200:
        commits = len(body_of(reply)["metadata"].get("metadata-log", ()))
        reply.headers[ETAG] = (
            f'"{hashlib.sha1(call.request.path.encode(), usedforsecurity=False).hexdigest()}-{commits}"'
        )
    return reply


@fault("etag-of-the-answer", on=TAGGED)
async def _of_the_answer(call: Call, proceed: Proceed) -> Reply:
    """Every answer has another ETag."""
    # Give every answer an ETag of its own.
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = f'"{next(call.state.setdefault("etags", count()))}"'
    return reply


@fault("etag-shared", on=LOAD)
async def _shared(_call: Call, proceed: Proceed) -> Reply:
    """A table has the same ETag with all snapshots as with those of refs alone."""
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = reply.headers[ETAG].replace("-refs", "-all")
    return reply


@fault("etag-of-creation-differs", on=["createTable", "updateTable"])
async def _other_elsewhere(_call: Call, proceed: Proceed) -> Reply:
    """Creations and commits give another ETag than a load of the same state."""
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = f'W/{reply.headers[ETAG][:-1]}-gzip"'
    return reply


@fault("etag-bare", on=TAGGED)
async def _bare(call: Call, proceed: Proceed) -> Reply:
    """ETags have no quotes."""
    condition = call.request.headers.get(CONDITION)
    if condition and not condition.endswith('"'):
        quoted = {
            name: f'"{value}"' if name.title() == CONDITION else value for name, value in call.request.headers.items()
        }
        call.request = call.request.altered(headers=quoted)
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = reply.headers[ETAG].strip('"')
    return reply


@fault("etag-single", on=LOAD)
async def _single(call: Call, proceed: Proceed) -> Reply:
    """If-None-Match is compared to the letter: neither lists nor weak ETags are known."""
    condition = call.request.headers.get(CONDITION, "")
    odd = "," in condition or condition.startswith("W/")
    return await (header_lost(CONDITION)(call, proceed) if odd else proceed())


@fault("etag-not-in-304", on=LOAD)
async def _not_in_304(_call: Call, proceed: Proceed) -> Reply:
    """The answer 304 has no ETag."""
    reply = await proceed()
    if reply.status == 304:
        reply.headers.pop(ETAG, None)
    return reply


@fault("etag-any-is-current", on=LOAD)
async def _any_condition(call: Call, proceed: Proceed) -> Reply:
    """A load with any ETag is told that nothing has changed."""
    condition = call.request.headers.get(CONDITION)
    return await proceed() if condition is None else Reply(304, headers={ETAG: condition})


@fault("etag-unasked", on=LOAD)
async def _unasked(call: Call, proceed: Proceed) -> Reply:
    """Who loads a table again is told that nothing has changed, without having asked."""
    # Answer who asks again as if they had said what they have.
    seen: dict[str, str] = call.state.setdefault("etags seen", {})
    reply = await proceed()
    etag = reply.headers.get(ETAG, "")
    if reply.status == 200 and seen.get(call.request.target) == etag:
        return Reply(304, headers={ETAG: etag})
    seen[call.request.target] = etag
    return reply
