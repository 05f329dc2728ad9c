"""getToken: access tokens for client credentials, and in exchange for a valid token."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.iceberg.errors import TokenRefused
from reference_server.iceberg.handlers.tokens import (
    ACCESS_TOKEN,
    CREDENTIALS,
    EXCHANGE,
    Form,
    basic_credentials,
    read_form,
    token_reply,
)
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities.access_tokens import Claims, is_scope
from reference_server.polaris.entities.credentials import find_client, is_secret
from reference_server.polaris.errors import ClientUnauthorized

INVALID_REQUEST, INVALID_CLIENT, INVALID_SCOPE = "invalid_request", "invalid_client", "invalid_scope"


async def get_token(context: ManagementContext) -> Reply:
    """Issue a token. Raises TokenRefused, whose answer has OAuth2's form, and RealmNotFound."""
    callers = context.polaris.callers
    callers.require_realm(context.request.headers)
    form = read_form(context)
    _check_form(form)
    pair = _pair(context, form)
    if pair is not None:
        claims = await _by_credentials(context, *pair, form.get("scope", ""))
    elif form["grant_type"] == EXCHANGE and "Authorization" in context.request.headers:
        claims = _by_exchange(context, form)
    else:
        raise TokenRefused(INVALID_CLIENT, "The Client is invalid")
    return token_reply(callers.signer.sign(claims), form.get("scope"), callers.lifetimes.token)


def _check_form(form: Form) -> None:
    if "grant_type" not in form:
        raise TokenRefused(INVALID_REQUEST, "The request is invalid: it has no grant type")
    if form["grant_type"] not in (CREDENTIALS, EXCHANGE):
        raise TokenRefused("unsupported_grant_type", "The grant type is invalid")
    if form.get("requested_token_type", ACCESS_TOKEN) != ACCESS_TOKEN:
        raise TokenRefused(INVALID_REQUEST, "The request is invalid: only access tokens are issued")


def _pair(context: ManagementContext, form: Form) -> tuple[str, str] | None:
    """Return client id and secret from the form, or from basic authentication; None without both."""
    if "client_id" in form and "client_secret" in form:
        return form["client_id"], form["client_secret"]
    return basic_credentials(context)


async def _by_credentials(context: ManagementContext, client_id: str, secret: str, scope: str) -> Claims:
    _check_scope(scope)
    name, credentials = find_client(context.polaris.storage, client_id)
    if not await context.run(is_secret, secret, credentials) or credentials is None:
        raise ClientUnauthorized
    return Claims(name, credentials.identity, scope)


def _by_exchange(context: ManagementContext, form: Form) -> Claims:
    if "subject_token" not in form or form.get("subject_token_type") != ACCESS_TOKEN:
        raise TokenRefused(INVALID_REQUEST, "The request is invalid: it needs an access token to exchange")
    held = context.polaris.callers.holder(form["subject_token"])
    if held is None:
        raise TokenRefused(INVALID_CLIENT, "The Client is invalid")
    if "scope" not in form or not context.polaris.rules.exchange_narrows:
        return held
    wanted = Claims(held.principal, held.identity, form["scope"])
    _check_scope(wanted.scope)
    if held.roles is not None and (wanted.roles is None or not wanted.roles <= held.roles):
        raise TokenRefused(INVALID_SCOPE, "The scope is invalid: the token to exchange is for less")
    return wanted


def _check_scope(scope: str) -> None:
    if not is_scope(scope):
        raise TokenRefused(INVALID_SCOPE, "The scope is invalid")
