"""Wrong ETags, and idempotency keys that are lost or confused."""

from __future__ import annotations

import hashlib
from copy import copy

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault, header_lost
from reference_server.iceberg.catalog.idempotency import HEADER
from reference_server.iceberg.faults.blocks import CONDITION, ETAG, LOAD, TAGGED, body_of, where_keys_are_taken


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


@fault("etag-shared", on=LOAD)
async def _shared(_call: Call, proceed: Proceed) -> Reply:
    """A table has the same ETag with all snapshots as with those of refs alone."""
    reply = await proceed()
    if ETAG in reply.headers:
        reply.headers[ETAG] = reply.headers[ETAG].replace("-refs", "-all")
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


DELEGATION = "X-Iceberg-Access-Delegation"


@fault("etag-without-access", on=LOAD)
async def _without_access(call: Call, proceed: Proceed) -> Reply:
    """A load has the same ETag with credentials as without them, which answers both with 304."""
    request, bare = call.request, header_lost(DELEGATION)
    plain = await bare(call, proceed)
    call.request = request
    if plain.status == 304 or DELEGATION not in request.headers:
        return plain
    reply = await header_lost(CONDITION)(call, proceed)
    if ETAG in plain.headers:
        reply.headers[ETAG] = plain.headers[ETAG]
    return reply


@fault("etag-outlives-credentials", on=LOAD)
async def _outlives(call: Call, proceed: Proceed) -> Reply:
    """A load with an ETag that was sent for the same metadata returns 304, although the credentials have expired."""
    sent: dict[str, str] = call.state.setdefault("etags by file", {})
    condition = call.request.headers.get(CONDITION)
    reply = await proceed()
    if reply.status != 200 or not body_of(reply).get("storage-credentials"):
        return reply
    location = body_of(reply)["metadata-location"]
    if condition is not None and sent.get(condition) == location:
        return Reply(304, headers={ETAG: condition})
    sent[reply.headers[ETAG]] = location
    return reply


@fault("etag-without-vary", on=LOAD)
async def _without_vary(_call: Call, proceed: Proceed) -> Reply:
    """A load does not name the headers on which its answer depends."""
    reply = await proceed()
    reply.headers.pop("Vary", None)
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


async def _one_for_all(call: Call, proceed: Proceed) -> Reply:
    """Answer a key as it was answered, whatever operation it comes with."""
    kept: dict[str, Reply] = call.state.setdefault("keys of all operations", {})
    key = call.request.headers.get(HEADER)
    if key is None:
        return await proceed()
    if key not in kept:
        kept[key] = await proceed()
    return copy(kept[key])


async def _without_key(call: Call, proceed: Proceed) -> Reply:
    """Answer a mutation that was carried out as it was answered before, if it is the same to the letter."""
    kept: dict[tuple[str, str, bytes], Reply] = call.state.setdefault("mutations", {})
    request = call.request
    what = request.method, request.target, request.body
    if what in kept:
        return copy(kept[what])
    reply = await proceed()
    if reply.status < 300:
        kept[what] = copy(reply)
    return reply


fault("keys-of-all-operations", "A key is answered as it was before, also when it comes with another operation.")(
    where_keys_are_taken(_one_for_all)
)
fault(
    "repetitions-without-a-key", "A request that equals an earlier one is answered as that was, although it has no key."
)(where_keys_are_taken(_without_key))
