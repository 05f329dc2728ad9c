"""Building block: requests of other operations on the table of a call."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed
from specs.openapi import JSON_TYPE

STREAM_TYPE = "application/vnd.apache.arrow.stream"


async def send(call: Call, proceed: Proceed, operation: str, body: Any = None, **path: str) -> Reply:
    """Return the reply of another operation on the table of a call, or on the `id` in `path`; the call stays its own.

    `body` is sent as JSON, or as an Arrow stream when it is bytes.
    """
    before = call.operation, call.path, call.request
    call.turn_to(operation)
    call.path = {"id": call.path.get("id", ""), **path}
    is_stream = isinstance(body, bytes)
    data = body if is_stream else orjson.dumps({} if body is None else body)
    query = {name: values for name, values in call.request.query.items() if name == "delimiter"}
    call.request = call.request.altered(
        body=data, query=query, headers={"Content-Type": STREAM_TYPE if is_stream else JSON_TYPE}
    )
    try:
        return await proceed()
    finally:
        call.operation, call.path, call.request = before


async def ask(call: Call, proceed: Proceed, operation: str, body: Any = None, **path: str) -> Any:
    """Return the JSON body that `send` gets, an empty object for an error."""
    reply = await send(call, proceed, operation, body, **path)
    return orjson.loads(reply.body) if reply.status == 200 and reply.body else {}


def parts(call: Call) -> list[str]:
    """Return the names of the identifier of a call."""
    delimiter = call.request.query.get("delimiter", ["$"])[-1]
    return call.path.get("id", "").split(delimiter)
