"""Which names namespaces, tables and views may have: any text, unless it cannot be sent or be distinguished.

A name is never part of a file's path as it is, so a slash or two dots are as good as other characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from reference_server.errors import InvalidInput

MAX_BYTES = 255
MAX_LEVELS = 64
Path = tuple[str, ...]


def show(path: Sequence[str]) -> str:
    """Return a name as messages show it: its levels with dots between them."""
    return ".".join(path)


def check_namespace(path: Path) -> None:
    """Raise InvalidInput for a new namespace that has no level, too many, or one that cannot be a name."""
    if not path:
        raise InvalidInput("The namespace has no level.")
    if len(path) > MAX_LEVELS:
        raise InvalidInput(f"The namespace has more than {MAX_LEVELS} levels.")
    for level in path:
        check_name(level)


def check_name(name: str) -> None:
    """Raise InvalidInput, with the reason, for what cannot be the name of anything new."""
    reason = _objection(name)
    if reason:
        raise InvalidInput(f"The name {name!r:.300} {reason}.")


def _objection(name: str) -> str:
    if not name.strip():
        return "is empty"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "contains a control character"
    if len(name.encode()) > MAX_BYTES:
        return f"is longer than {MAX_BYTES} bytes"
    return ""
