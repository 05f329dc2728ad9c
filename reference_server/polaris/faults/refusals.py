"""How refusals go wrong: they tell what is none of the caller's business, and meet who needs no right."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import PermissionDenied
from reference_server.faults import Call, Proceed, content, fault, refuses

CREATES_TABLE = "createTable"


@fault("refusal-tells")
async def _tells_names(call: Call, proceed: Proceed) -> Reply:
    """A refusal tells the names of tables."""
    names: list[Any] = call.state.setdefault("names of tables", [])
    if call.operation.id == CREATES_TABLE:
        names.append((content(call) or {}).get("name"))
    reply = await proceed()
    if reply.status == 403 and reply.body:
        error = orjson.loads(reply.body)["error"]
        reply.body = orjson.dumps({"error": {**error, "message": f"{error['message']}; there is {names}"}})
    return reply


fault("configuration-refused", "Nobody may read the configuration of a catalog.", on=["getConfig"])(
    refuses(PermissionDenied("The configuration is not yours."))
)
fault("own-secret-refused", "Nobody may rotate a secret.", on=["rotateCredentials"])(
    refuses(PermissionDenied("The secret is not yours."))
)
