"""Names of headers, parameters, settings and fields with secret values, which no log, report or message shows."""

from __future__ import annotations

from functools import cache

SECRET_HEADERS = ("authorization", "x-api-key", "cookie", "proxy-authorization", "set-cookie")
SECRET_WORDS = ("token", "secret", "password", "credential", "api-key", "access-key", "account-key")
REDACTED = "<redacted>"


@cache
def is_secret(name: str) -> bool:
    """True if the value of a name is secret; the name may contain dashes or underscores."""
    lowered = name.lower().replace("_", "-")
    return lowered in SECRET_HEADERS or any(word in lowered for word in SECRET_WORDS)
