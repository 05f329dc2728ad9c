"""Secret headers, settings and fields, and their redacted form in files."""

from __future__ import annotations

import re
from collections.abc import Mapping

from specs.secret_names import REDACTED, is_secret

__all__ = ["HIDDEN", "MADE_UP", "REDACTED", "hidden_fields", "hide_fields", "hide_form", "is_secret", "redact"]
HIDDEN = "redacted"  # in forms
MADE_UP = "<redacted, of the requirement>"
# In answers: tokens, and storage keys under the names that clients use. In forms: credentials of token requests.
SECRET_FIELDS = re.compile(
    rb'("(?:(?:access_|refresh_)?token|authorization|[\w.-]*(?:secret|session-token|security-token|sas-token'
    rb'|oauth2\.token|account-key)[\w.-]*)"\s*:\s*\[?\s*)"(?:[^"\\]|\\.)*"',
    re.IGNORECASE,
)
SECRET_FIELD_WORDS = (b"token", b"secret", b"authorization", b"account-key")  # one of them is in every such name
SECRET_FORM_FIELDS = re.compile(rb"((?:^|&)(?:client_secret|subject_token|actor_token)=)[^&]*")


def redact(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers or settings with secret values redacted."""
    return {name: REDACTED if is_secret(name) else value for name, value in headers.items()}


def hide_form(body: bytes) -> bytes:
    """Return the body of a request without the secrets of token requests, in any encoding."""
    if b"client_secret" not in body and b"subject_token" not in body:
        return body
    return SECRET_FORM_FIELDS.sub(rb"\1%s" % HIDDEN.encode(), hide_fields(body))


def hidden_fields(form: str) -> set[str]:
    """Return the fields whose values `hide_form` has hidden in a form."""
    return {name for name, _, value in (field.partition("=") for field in form.split("&")) if value == HIDDEN}


def hide_fields(body: bytes) -> bytes:
    """Return the body of an answer without tokens and storage keys."""
    lowered = body.lower()
    if not any(word in lowered for word in SECRET_FIELD_WORDS):
        return body  # nearly every answer, in a hundredth of the time
    return SECRET_FIELDS.sub(rb'\1"%s"' % REDACTED.encode(), body)
