"""Allowed names of namespaces and tables.

Any Unicode text is a name, except text that cannot be a directory below the root or a part of a URL: it is rejected,
never altered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from reference_server.errors import InvalidInput

MAX_BYTES = 240  # a directory's name may have 255, and catalogs append to it
FORBIDDEN = "/\\"
PLAIN = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def check_names(parts: Sequence[str], forbidden: str = "") -> None:
    """Raise InvalidInput, with the reason, for the first invalid name.

    `forbidden` are further characters that the current catalog does not allow.
    """
    for part in parts:
        reason = "" if PLAIN.fullmatch(part) else _objection(part, forbidden)
        if reason:
            raise InvalidInput(f"The name {part!r} {reason}.")


def _objection(name: str, forbidden: str) -> str:
    if not name:
        return "is empty"
    if name in (".", ".."):
        return "means a directory"
    if any(character in FORBIDDEN for character in name):
        return "contains a path separator"
    if any(character in forbidden for character in name):
        return f"contains one of {forbidden!r}, which this server's catalog cannot have in a name"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "contains a control character"
    try:
        if len(name.encode()) > MAX_BYTES:
            return f"is longer than {MAX_BYTES} bytes"
    except UnicodeEncodeError:
        return "is not Unicode text"
    return ""
