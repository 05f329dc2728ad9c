"""Requests that are read too strictly, too generously, or not by whom they come from."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.faults import Call, Proceed, fault, request_becomes, status_becomes
from reference_server.iceberg.faults.blocks import error_becomes, refuses_when
from specs.openapi import JSON_TYPE

FLAGS = ("true", "false")

MAPS = ("properties", "updates")


def _unusual_media_type(call: Call) -> bool:
    return call.request.headers.get("Content-Type", JSON_TYPE) != JSON_TYPE


def _coerced(body: dict[str, Any]) -> dict[str, Any]:
    """Make texts and lists of texts of what should be some, as lenient mappers do."""
    levels = body.get("namespace")
    maps = {name: _texts(body[name]) for name in MAPS if name in body}
    return {**body, **maps, **({"namespace": _listed(levels)} if levels is not None else {})}


def _listed(levels: Any) -> list[str]:
    return [str(level) for level in levels] if isinstance(levels, list) else [str(levels)]


def _texts(properties: Any) -> dict[str, str]:
    return {key: str(value) for key, value in properties.items()} if isinstance(properties, dict) else {}


@fault("bad-flags-ignored", on=["dropTable"])
async def _flags_forgiven(call: Call, proceed: Proceed) -> Reply:
    """A flag that is neither true nor false counts as not given."""
    query = call.request.query
    kept = {name: values for name, values in query.items() if values[-1].lower() in FLAGS}
    call.request = call.request.altered(query=kept)
    return await proceed()


@fault(
    "success-with-a-body",
    on=["dropNamespace", "dropTable", "renameTable", "commitTransaction", "dropView", "renameView"],
)
async def _said_in_a_body(_call: Call, proceed: Proceed) -> Reply:
    """Success that has nothing to tell comes as 200 with a body."""
    reply = await proceed()
    if reply.status == 204:
        reply.status, reply.body = 200, b'{"status":"ok"}'
    return reply


fault(
    "types-coerced",
    "What should be a text, or a list of texts, is made one.",
    on=["createNamespace", "updateProperties"],
)(request_becomes(_coerced))
fault("unknown-fields-refused", "A field of a body that the server does not know is an error.")(
    refuses_when(lambda call: b'"x-' in call.request.body, InvalidInput("Unrecognized field."))
)
fault("media-type-to-the-letter", "A body is read only if its media type is written exactly as in the document.")(
    refuses_when(_unusual_media_type, InvalidInput("The media type is not supported."))
)
fault("bad-requests-fail", "A bad request is answered as a failure of the server.")(status_becomes(400, 500))
fault("anybody-let-in", "Who shows no credentials, or wrong ones, is let in.")(status_becomes(401, 200))
fault("unknown-callers-forbidden", "Who shows no credentials, or wrong ones, is told that they may not do this.")(
    error_becomes(401, PermissionDenied("You may not do this."))
)
