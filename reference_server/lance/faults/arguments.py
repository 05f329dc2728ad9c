"""Arguments that are not listened to, or refused without need."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Call,
    Proceed,
    arguments_lost,
    declare,
)
from reference_server.lance.faults.building import lost_anywhere

UNKNOWN = ("from_the_future", "identity", "context")


async def _refuse_unknown_keys(call: Call, proceed: Proceed) -> Reply:
    unknown = [name for name in UNKNOWN if name.encode() in call.request.body]
    if unknown:
        return json_reply({"error": f"unknown field {unknown[0]}", "code": 13}, 400)
    return await proceed()


async def _refuse_body_id(call: Call, proceed: Proceed) -> Reply:
    if b'"id"' in call.request.body:
        return json_reply({"error": "unknown field id", "code": 13}, 400)
    return await proceed()


# Arguments
declare("modes-ignored", "Modes and behaviors are ignored.", arguments_lost("mode", "behavior"))
declare("versions-ignored", "The latest version is used whichever is asked for.", lost_anywhere("version"))
declare(
    "predicates-ignored",
    "CountTableRows counts all rows whatever the predicate.",
    arguments_lost("predicate"),
    on=["CountTableRows"],
)
declare("unknown-keys-refused", "Fields that the server does not know are refused.", _refuse_unknown_keys)
declare("body-id-refused", "A body may not repeat the id.", _refuse_body_id)
