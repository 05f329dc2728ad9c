"""How names with several levels travel in URLs.

A Lance identifier is one path segment: the parts joined by a delimiter that the request may choose,
`$` unless it says otherwise; the delimiter alone names the root.

The levels of an Iceberg namespace are one path segment, or the value of a query parameter, joined by
the byte 0x1F or by the separator that the server's configuration advertises; the root has no name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote_to_bytes

DELIMITER = "$"
UNIT_SEPARATOR = "\x1f"
READABLE_SEPARATOR = "."  # between levels that people write down
SEPARATOR_OVERRIDE = "namespace-separator"


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


def join_parts(parts: Sequence[str], delimiter: str = DELIMITER) -> str:
    """Return the string form of an identifier: ["a", "t"] -> "a$t", [] -> "$".

    Raises IdentifierError when a part holds the delimiter: the result would name something else.
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


def advertised_separator(overrides: Mapping[str, str]) -> str:
    """Return the namespace separator that an Iceberg catalog advertises, 0x1F unless it says otherwise.

    It stands in the overrides of the configuration, percent-encoded. Raises IdentifierError for an empty one.
    """
    separator = decode_segment(overrides.get(SEPARATOR_OVERRIDE, encode_segment(UNIT_SEPARATOR)))
    if not separator:
        raise IdentifierError("the advertised namespace separator is empty")
    return separator


def join_levels(levels: Sequence[str], separator: str = UNIT_SEPARATOR) -> str:
    """Return an Iceberg namespace as one text, not percent-encoded: ["a", "b"], "." -> "a.b".

    Raises IdentifierError for the root and for a level that is empty or holds a separator.
    """
    if not levels or not all(levels):
        raise IdentifierError(f"the namespace {list(levels)!r} has no level, or an empty one")
    for level in levels:
        if separator in level or UNIT_SEPARATOR in level:
            raise IdentifierError(f"the level {level!r} contains a separator")
    return separator.join(levels)


def split_levels(text: str, separator: str = UNIT_SEPARATOR) -> list[str]:
    """Return the levels of an Iceberg namespace, percent-decoded before: "a.b", "." -> ["a", "b"].

    Besides the advertised separator, 0x1F always separates. Where it occurs the other is part of a name:
    so a client that sends 0x1F can name every level. Raises IdentifierError for an empty level.
    """
    levels = text.split(UNIT_SEPARATOR if UNIT_SEPARATOR in text else separator)
    if not all(levels):
        raise IdentifierError(f"the namespace {text!r} has an empty level")
    return levels
