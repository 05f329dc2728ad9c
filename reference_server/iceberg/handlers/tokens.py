"""getToken: OAuth2 tokens for client credentials, and in exchange for a valid token."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import parse_qs, unquote_plus

from reference_server import limits
from reference_server.context import Context, Reply, json_reply
from reference_server.errors import Unauthenticated
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import ClientRefused, TokenRefused
from specs.openapi import media_type_of

FORM = "application/x-www-form-urlencoded"
CREDENTIALS = "client_credentials"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind of tokens
EXCHANGED = (ACCESS_TOKEN, "urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token")
Form = dict[str, str]


async def get_token(context: IcebergContext) -> Reply:
    """Issue a token. Raises TokenRefused, whose answer has OAuth2's form."""
    form = read_form(context)
    grant = form.get("grant_type")
    if grant == CREDENTIALS:
        token = _by_credentials(context, form)
    elif grant == EXCHANGE:
        token = _by_exchange(context, form)
    else:
        code = "unsupported_grant_type" if grant else "invalid_request"
        raise TokenRefused(code, "The grant type is not known.")
    return token_reply(token, form.get("scope"), context.services.auth.lifetimes.token)


def token_reply(token: str, scope: str | None, seconds: int) -> Reply:
    """Return the answer with a token, its requested scope and its lifetime."""
    answer: dict[str, Any] = {
        "access_token": token,
        "token_type": "bearer",
        "issued_token_type": ACCESS_TOKEN,
        "expires_in": seconds,
    }
    if scope is not None:
        answer["scope"] = scope
    reply = json_reply(answer)
    reply.headers["Cache-Control"] = "no-store"
    return reply


def read_form(context: Context) -> Form:
    """Return the fields of the form. Raises TokenRefused for a body that is not a form, and for a repeated field."""
    kind = media_type_of(context.request.headers.get("Content-Type", ""))
    if kind != FORM:
        raise TokenRefused("invalid_request", f"The request must be a form ({FORM}).")
    if len(context.request.body) > limits.FORM:
        raise TokenRefused("invalid_request", f"The form is larger than {limits.FORM} bytes.")
    try:
        values = parse_qs(context.request.body.decode(), keep_blank_values=True)
    except ValueError:
        raise TokenRefused("invalid_request", "The form cannot be read.") from None
    if any(len(texts) > 1 for texts in values.values()):
        raise TokenRefused("invalid_request", "A field of the form occurs twice.")
    return {name: texts[0] for name, texts in values.items()}


def _by_credentials(context: IcebergContext, form: Form) -> str:
    client, secret = basic_credentials(context) or (form.get("client_id"), form.get("client_secret"))
    if client is None or secret is None:
        raise TokenRefused("invalid_request", "The client id or the client secret is missing.")
    try:
        return context.services.auth.issue(client, secret)
    except Unauthenticated:
        raise ClientRefused("The client id or the client secret is wrong.") from None


def basic_credentials(context: Context) -> tuple[str, str] | None:
    """Return client id and secret from basic authentication, None where there is none. Raises ClientRefused."""
    scheme, _, encoded = context.request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        client, _, secret = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except ValueError:
        raise ClientRefused("The basic authentication cannot be read.") from None
    return unquote_plus(client), unquote_plus(secret)


def _by_exchange(context: IcebergContext, form: Form) -> str:
    if "subject_token" not in form or form.get("subject_token_type") not in EXCHANGED:
        raise TokenRefused("invalid_request", "The token to exchange or its type is missing, or not supported.")
    try:
        return context.services.auth.exchange(form["subject_token"])
    except Unauthenticated:
        raise TokenRefused("invalid_grant", "The token to exchange is not valid.") from None
