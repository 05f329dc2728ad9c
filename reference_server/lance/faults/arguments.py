"""Arguments that are not listened to, or refused without need."""

from __future__ import annotations

from reference_server.context import Reply, json_reply
from reference_server.faults import Call, Proceed, arguments_lost, fault
from reference_server.lance.faults.building import lost_anywhere

UNKNOWN = ("from_the_future", "identity", "context")


@fault("unknown-keys-refused")
async def _refuse_unknown_keys(call: Call, proceed: Proceed) -> Reply:
    """Fields that the server does not know are refused."""
    unknown = [name for name in UNKNOWN if name.encode() in call.request.body]
    if unknown:
        return json_reply({"error": f"unknown field {unknown[0]}", "code": 13}, 400)
    return await proceed()


@fault("body-id-refused")
async def _refuse_body_id(call: Call, proceed: Proceed) -> Reply:
    """A body may not repeat the id."""
    if b'"id"' in call.request.body:
        return json_reply({"error": "unknown field id", "code": 13}, 400)
    return await proceed()


# Arguments
fault("modes-ignored", "Modes and behaviors are ignored.")(arguments_lost("mode", "behavior"))
fault("versions-ignored", "The latest version is used whichever is asked for.")(lost_anywhere("version"))
