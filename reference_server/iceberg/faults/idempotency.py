"""Idempotency keys that are not kept, kept too long, or taken for others."""

from __future__ import annotations

import re
from copy import copy

from reference_server.context import Reply
from reference_server.errors import Conflict
from reference_server.faults import Call, Proceed, declare
from reference_server.iceberg.faults.blocks import header_lost, refused
from reference_server.iceberg.idempotency import HEADER, takes_keys
from specs.profiles import find_profile

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
MUTATIONS = [one.id for one in find_profile("iceberg").document().operations.values() if takes_keys(one)]

unheard = header_lost(HEADER)


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


declare(
    "keys-ignored",
    "Idempotency keys are advertised, but ignored.",
    unheard,
    kills=[
        *(
            f"iceberg.key.replay.{what}"
            for what in ("create_*", "drop_*", "rename_*", "register_*", "update_*", "commit_*")
        ),
        "iceberg.key.errors",
        "iceberg.key.one_effect",
        "iceberg.key.race",
        "iceberg.key.format",
    ],
    on=MUTATIONS,
)
declare(
    "keys-refused-again",
    "A key that comes again is refused as used.",
    _refused_again,
    kills=["iceberg.key.replay.*", "iceberg.key.one_effect"],
    on=MUTATIONS,
)
declare(
    "keys-of-refusals-forgotten",
    "A refusal is not kept with its key, so that the same request is judged anew.",
    _refusals_forgotten,
    kills=["iceberg.key.errors"],
    on=MUTATIONS,
)
declare(
    "keys-of-any-form",
    "A key that is no UUID counts as none.",
    _any_form,
    kills=["iceberg.key.format"],
    on=MUTATIONS,
)
declare(
    "keys-of-all-operations",
    "A key is answered as it was before, also when it comes with another operation.",
    _one_for_all,
    kills=["iceberg.key.other_operation"],
    on=MUTATIONS,
)
declare(
    "repetitions-without-a-key",
    "A request that equals an earlier one is answered as that was, although it has no key.",
    _without_key,
    kills=["iceberg.key.optional.*"],
    on=MUTATIONS,
)
