"""How management goes wrong: statuses that the document does not have, secrets that are shown again."""

from __future__ import annotations

import orjson

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault

MANAGEMENT = "/management/"  # in the paths of the operations
STATUSES = {200: 203, 201: 202, 204: 205, 400: 402, 401: 407, 403: 402, 404: 410, 409: 423}
ISSUING = ("createPrincipal", "rotateCredentials", "resetCredentials")
SHOWING = ("getPrincipal", "listPrincipals", "updatePrincipal")


@fault("management-statuses")
async def _own_statuses(call: Call, proceed: Proceed) -> Reply:
    """Management answers with statuses that the document does not declare: 203 for 200, 410 for 404, and so on."""
    reply = await proceed()
    if MANAGEMENT in call.operation.path:
        reply.status = STATUSES.get(reply.status, reply.status)
    return reply


@fault("secrets-shown", on=[*ISSUING, *SHOWING])
async def _secrets(call: Call, proceed: Proceed) -> Reply:
    """Principals are shown with the secret that was issued last."""
    reply = await proceed()
    if reply.status >= 300:
        return reply
    body = orjson.loads(reply.body)
    if call.operation.id in ISSUING:
        call.state["secret"] = body["credentials"]["clientSecret"]
        return reply
    for shown in body.get("principals", [body]):
        shown["properties"] = {**shown.get("properties", {}), "secret": call.state.get("secret", "")}
    reply.body = orjson.dumps(body)
    return reply
