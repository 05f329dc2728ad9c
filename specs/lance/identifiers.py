"""Encoding of the identifier of a table or namespace as one path segment, or as a text in a body.

A delimiter joins its parts: `$`, or the delimiter that the request chooses. The delimiter alone names the root.
"""

from __future__ import annotations

from collections.abc import Sequence

from specs.identifiers import IdentifierError

DELIMITER = "$"


def join_parts(parts: Sequence[str], delimiter: str = DELIMITER) -> str:
    """Return the string form of an identifier: ["a", "t"] -> "a$t", [] -> "$".

    Raises IdentifierError for a part that contains the delimiter: the result would name another object.
    """
    for part in parts:
        if delimiter in part:
            raise IdentifierError(f"the name {part!r} contains the delimiter {delimiter!r}")
    return delimiter.join(parts) if parts else delimiter


def split_parts(text: str, delimiter: str = DELIMITER) -> list[str]:
    """Return the parts of an identifier in string form: "a$t" -> ["a", "t"], "$" -> [].

    Raises IdentifierError for an empty delimiter and for an empty part.
    """
    if not delimiter:
        raise IdentifierError("the delimiter is empty")
    if text == delimiter:
        return []
    parts = text.split(delimiter)
    if not all(parts):
        raise IdentifierError(f"the identifier {text!r} has an empty part")
    return parts
