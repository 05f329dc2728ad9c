"""Building blocks of the Polaris faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from reference_server.faults import body_becomes
from reference_server.polaris.entities.access_tokens import SCOPE_PREFIX


def form_of(body: bytes) -> dict[str, str]:
    """Return the fields of a form."""
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def edited(body: bytes, edit: Callable[[dict[str, str]], dict[str, str]]) -> bytes:
    """Return a form after `edit`."""
    return urlencode(edit(form_of(body))).encode()


NOTIFY, APPLICABLE, LOAD = ["sendNotification"], ["getApplicablePolicies"], ["loadTable"]


def settings_become(edit: Any) -> Any:
    """Return a fault that edits the settings of a table in answers."""
    return body_becomes(lambda body: {**body, "config": edit(body.get("config") or {})}, 200)


TOKEN = ["getToken"]
NOBODY = "nobody"  # a principal role that does not exist


def without_roles(form: dict[str, str]) -> dict[str, str]:
    """Return a token request with the scope of a role that does not exist."""
    return {**form, "scope": SCOPE_PREFIX + NOBODY}
