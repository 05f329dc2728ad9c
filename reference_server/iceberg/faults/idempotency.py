"""Idempotency keys that are not kept, kept too long, or taken for others."""

from __future__ import annotations

import re
from copy import copy

from reference_server.context import Reply
from reference_server.errors import Conflict
from reference_server.faults import Around, Call, Proceed, fault, header_lost
from reference_server.iceberg.catalog.idempotency import HEADER, takes_keys
from reference_server.iceberg.faults.blocks import refused

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

unheard = header_lost(HEADER)


def _on_mutations(around: Around) -> Around:
    """Let a fault touch what takes keys in the document that is served, and nothing else."""

    async def chosen(call: Call, proceed: Proceed) -> Reply:
        return await (around(call, proceed) if takes_keys(call.operation) else proceed())

    return chosen


async def _refused_again(call: Call, proceed: Proceed) -> Reply:
    """Refuse a key that was used, whoever asks."""
    used: set[str] = call.state.setdefault("keys used", set())
    key = call.request.headers.get(HEADER)
    if key in used:
        return refused(call, Conflict("The idempotency key was used before."))
    used.update([key] if key else [])
    return await proceed()


async def _refusals_forgotten(call: Call, proceed: Proceed) -> Reply:
    failed: set[str] = call.state.setdefault("keys of refusals", set())
    key = call.request.headers.get(HEADER)
    if key in failed:
        return await unheard(call, proceed)
    reply = await proceed()
    if key and reply.status >= 400:
        failed.add(key)
    return reply


async def _any_form(call: Call, proceed: Proceed) -> Reply:
    fits = UUID.fullmatch(call.request.headers.get(HEADER, ""))
    return await (proceed() if fits else unheard(call, proceed))


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


fault("keys-ignored", "Idempotency keys are advertised, but ignored.")(_on_mutations(unheard))
fault("keys-refused-again", "A key that comes again is refused as used.")(_on_mutations(_refused_again))
fault("keys-of-refusals-forgotten", "A refusal is not kept with its key, so that the same request is handled anew.")(
    _on_mutations(_refusals_forgotten)
)
fault("keys-of-any-form", "A key that is no UUID counts as none.")(_on_mutations(_any_form))
fault("keys-of-all-operations", "A key is answered as it was before, also when it comes with another operation.")(
    _on_mutations(_one_for_all)
)
fault(
    "repetitions-without-a-key", "A request that equals an earlier one is answered as that was, although it has no key."
)(_on_mutations(_without_key))
