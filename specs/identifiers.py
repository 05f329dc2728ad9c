"""How names with several levels travel in URLs.

A Lance identifier is one path segment: the parts joined by a delimiter that the request may choose,
`$` unless it says otherwise; the delimiter alone names the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote_to_bytes

LANCE_DELIMITER = "$"


class IdentifierError(ValueError):
    """An identifier that cannot be read or cannot be written; the text says why."""


def encode_segment(text: str) -> str:
    """Percent-encode everything but unreserved characters, so that the text is one path segment."""
    return quote(text, safe="")


def decode_segment(raw: str) -> str:
    """Undo percent-encoding once. Raises IdentifierError when the bytes are not UTF-8."""
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise IdentifierError("the path is not UTF-8 after percent-decoding") from None


def join_parts(parts: Sequence[str], delimiter: str = LANCE_DELIMITER) -> str:
    """Return the string form of an identifier: ["a", "t"] -> "a$t", [] -> "$".

    Raises IdentifierError when a part holds the delimiter: the result would name something else.
    """
    for part in parts:
        if delimiter in part:
            raise IdentifierError(f"the name {part!r} contains the delimiter {delimiter!r}")
    return delimiter.join(parts) if parts else delimiter


def split_parts(text: str, delimiter: str = LANCE_DELIMITER) -> list[str]:
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
