"""How a server that issues tokens does it wrongly."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput, Unauthenticated
from reference_server.faults import Call, Proceed, body_becomes, declare, fields_lost
from reference_server.iceberg.errors import ClientRefused, TokenRefused
from reference_server.iceberg.faults.blocks import refused, refuses_when

TOKEN = ["getToken"]


async def _catalog_error(call: Call, proceed: Proceed) -> Reply:
    """Answer a refused token with the error body of the catalog."""
    reply = await proceed()
    known: dict[int, Any] = {400: InvalidInput, 401: Unauthenticated}
    return refused(call, known[reply.status]("There is no token for that.")) if reply.status in known else reply


async def _repeating(call: Call, proceed: Proceed) -> Reply:
    """Repeat the form in the description of the error."""
    reply = await proceed()
    if reply.status in (400, 401):
        reply.body = orjson.dumps({**orjson.loads(reply.body), "error_description": call.request.body.decode()})
    return reply


def _basic(call: Call) -> bool:
    return call.request.headers.get("Authorization", "").lower().startswith("basic ")


def _exchange(call: Call) -> bool:
    return b"token-exchange" in call.request.body


declare(
    "token-useless",
    "Tokens are issued that open nothing.",
    body_becomes(lambda body: {**body, "access_token": "useless"}, 200),
    on=TOKEN,
)
declare(
    "token-no-basic",
    "Client id and secret by basic authentication are refused.",
    refuses_when(_basic, ClientRefused("There is no client id in the form.")),
    on=TOKEN,
)
declare(
    "token-no-exchange",
    "A token that is good is refused when it is to be exchanged.",
    refuses_when(_exchange, TokenRefused("invalid_grant", "The token is not good.")),
    on=TOKEN,
)
declare(
    "token-kind-lost", "An issued token does not say of which kind it is.", fields_lost("issued_token_type"), on=TOKEN
)
declare(
    "token-catalog-error", "A refused token is answered with the error body of the catalog.", _catalog_error, on=TOKEN
)
declare(
    "token-one-code",
    "Every refused token is one of a wrong scope.",
    body_becomes(lambda body: {**body, "error": "invalid_scope"}, 400, 401),
    on=TOKEN,
)
declare("token-secrets-repeated", "The error repeats the form that was sent, with its secrets.", _repeating, on=TOKEN)
