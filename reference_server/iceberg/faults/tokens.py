"""How a server that issues tokens does it wrongly."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput, Unauthenticated
from reference_server.faults import Call, Proceed, body_becomes, fault
from reference_server.iceberg.errors import ClientRefused, TokenRefused
from reference_server.iceberg.faults.blocks import refused, refuses_when

TOKEN = ["getToken"]


@fault("token-catalog-error", on=TOKEN)
async def _catalog_error(call: Call, proceed: Proceed) -> Reply:
    """A refused token is answered with the error body of the catalog."""
    # Answer a refused token with the error body of the catalog.
    reply = await proceed()
    known: dict[int, Any] = {400: InvalidInput, 401: Unauthenticated}
    return refused(call, known[reply.status]("There is no token for that.")) if reply.status in known else reply


@fault("token-secrets-repeated", on=TOKEN)
async def _repeating(call: Call, proceed: Proceed) -> Reply:
    """The error repeats the form that was sent, with its secrets."""
    # Repeat the form in the description of the error.
    reply = await proceed()
    if reply.status in (400, 401):
        reply.body = orjson.dumps({**orjson.loads(reply.body), "error_description": call.request.body.decode()})
    return reply


def _basic(call: Call) -> bool:
    return call.request.headers.get("Authorization", "").lower().startswith("basic ")


def _exchange(call: Call) -> bool:
    return b"token-exchange" in call.request.body


fault("token-useless", "Tokens are issued that open nothing.", on=TOKEN)(
    body_becomes(lambda body: {**body, "access_token": "useless"}, 200)
)
fault("token-no-basic", "Client id and secret by basic authentication are refused.", on=TOKEN)(
    refuses_when(_basic, ClientRefused("There is no client id in the form."))
)
fault("token-no-exchange", "A token that is good is refused when it is to be exchanged.", on=TOKEN)(
    refuses_when(_exchange, TokenRefused("invalid_grant", "The token is not good."))
)
fault("token-one-code", "Every refused token is one of a wrong scope.", on=TOKEN)(
    body_becomes(lambda body: {**body, "error": "invalid_scope"}, 400, 401)
)
fault("token-spent", "Tokens are told to have expired when they are issued.", on=TOKEN)(
    body_becomes(lambda body: {**body, "expires_in": 0}, 200)
)
