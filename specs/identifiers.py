"""Encoding of names in URLs and options; `specs/<api>/identifiers.py` has the rules of one API."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

UNIT_SEPARATOR = "\x1f"
READABLE_SEPARATOR = "."  # between the levels of a namespace in options


class IdentifierError(ValueError):
    """Error for an invalid identifier; the text is the reason."""


def encode_segment(text: str) -> str:
    """Percent-encode all characters except unreserved ones, so that the text is one path segment."""
    return quote(text, safe="")


def encode_separator(separator: str) -> str:
    """Percent-encode every byte of a separator of levels in a path, even a dot."""
    return "".join(f"%{byte:02X}" for byte in separator.encode())


def decode_segment(raw: str) -> str:
    """Undo percent-encoding once. Raises IdentifierError if the bytes are not UTF-8."""
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise IdentifierError("the path is not UTF-8 after percent-decoding") from None


def split_levels(text: str, separator: str) -> list[str]:
    """Split a percent-decoded namespace into its levels: "a.b", "." -> ["a", "b"].

    0x1F always separates levels, too. If it occurs, the other separator is part of the names:
    with 0x1F a caller can name every level. Raises IdentifierError for an empty level.
    """
    levels = text.split(UNIT_SEPARATOR if UNIT_SEPARATOR in text else separator)
    if not all(levels):
        raise IdentifierError(f"the namespace {text!r} has an empty level")
    return levels
