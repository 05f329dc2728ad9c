"""The forms with which tokens are asked for."""

from __future__ import annotations

from conformance.values.settings import Settings

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind of tokens
Form = dict[str, str]


def credentials_form(settings: Settings) -> Form:
    """Return the form for a token by the credential of the run."""
    id, secret = settings.client_credentials or ("", "")
    return {"grant_type": "client_credentials", "client_id": id, "client_secret": secret, **scope_of(settings)}


def exchange_form(settings: Settings, token: str) -> Form:
    """Return the form for another token instead of a good one."""
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ACCESS_TOKEN}
    return {**form, **scope_of(settings)}


def scope_of(settings: Settings) -> Form:
    """Return the field for the scope of the run, none without one."""
    return {"scope": settings.scope} if settings.scope else {}
