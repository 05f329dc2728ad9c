"""Names of namespaces, tables and views, and identifiers in requests.

Any text is a name, unless it cannot be transmitted or distinguished. A name is never used unchanged in a file path, so
slashes and dots are allowed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from reference_server.errors import InvalidInput, NamespaceNotFound
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, split_levels

MAX_BYTES = 255
MAX_LEVELS = 64
Path = tuple[str, ...]


def show(path: Sequence[str]) -> str:
    """Return a name for messages: its levels with dots between them."""
    return ".".join(path)


def levels(text: str) -> Path:
    """Return the levels of a percent-decoded namespace. Raises InvalidInput for an empty level."""
    try:
        return tuple(split_levels(text, UNIT_SEPARATOR))
    except IdentifierError as error:
        raise InvalidInput(f"The namespace cannot be read: {error}.") from None


def with_unit_separator(text: str, separator: str) -> str:
    """Return a namespace whose levels another separator separates, with 0x1F instead.

    Raises NamespaceNotFound for one with 0x1F: a client that does not read the configuration finds nothing.
    """
    if UNIT_SEPARATOR in text:
        raise NamespaceNotFound(f"Namespace does not exist: {text!r:.300} (levels are separated by {separator!r})")
    return text.replace(separator, UNIT_SEPARATOR)


def identifier(body: Any) -> Path:
    """Return the path of a TableIdentifier. Raises InvalidInput for one without namespace or name."""
    path = (*body["namespace"], body["name"])
    if len(path) < 2 or not all(path):
        raise InvalidInput("An identifier needs a namespace and a name, and no part of them may be empty.")
    return path


def changed_table(change: Mapping[str, Any]) -> Path:
    """Return the table that a change of a transaction names. Raises InvalidInput for a change without an identifier."""
    if change.get("identifier") is None:
        raise InvalidInput("Every change of a transaction has to name its table.")
    return identifier(change["identifier"])


def check_namespace(path: Path) -> None:
    """Raise InvalidInput for a new namespace without a level, with too many levels, or with an invalid name."""
    if not path:
        raise InvalidInput("The namespace has no level.")
    if len(path) > MAX_LEVELS:
        raise InvalidInput(f"The namespace has more than {MAX_LEVELS} levels.")
    for level in path:
        check_name(level)


def check_name(name: str) -> None:
    """Raise InvalidInput, with the reason, for an invalid name of a new object."""
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
