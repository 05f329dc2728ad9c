"""Which names a namespace or table may have.

Any Unicode text is a name, except what cannot be a directory below the root or cannot travel in a
URL: these are refused, never altered.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from reference_server.errors import InvalidInput

MAX_BYTES = 240  # a directory's name has 255, and catalogs add to it
FORBIDDEN = "/\\"
PLAIN = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def check_names(parts: Sequence[str], forbidden: str = "") -> None:
    """Raise InvalidInput, with the reason, for the first name that cannot be one.

    `forbidden` are further characters that the catalog at hand cannot have in a name.
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
