"""How names travel in URLs and options; what one API says of its identifiers is in `specs/<api>/identifiers.py`."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

UNIT_SEPARATOR = "\x1f"
READABLE_SEPARATOR = "."  # between levels that people write down


class IdentifierError(ValueError):
    """An identifier that cannot be read or cannot be written; the text says why."""


def encode_segment(text: str) -> str:
    """Percent-encode everything but unreserved characters, so that the text is one path segment."""
    return quote(text, safe="")


def encode_separator(separator: str) -> str:
    """Percent-encode every byte of what separates the levels of a name in a path: a dot, too."""
    return "".join(f"%{byte:02X}" for byte in separator.encode())


def decode_segment(raw: str) -> str:
    """Undo percent-encoding once. Raises IdentifierError when the bytes are not UTF-8."""
    try:
        return unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise IdentifierError("the path is not UTF-8 after percent-decoding") from None


def split_levels(text: str, separator: str) -> list[str]:
    """Return the levels of a namespace that is one text, percent-decoded before: "a.b", "." -> ["a", "b"].

    Besides the separator, 0x1F always separates. Where it occurs the other is part of a name:
    so who writes 0x1F can name every level. Raises IdentifierError for an empty level.
    """
    levels = text.split(UNIT_SEPARATOR if UNIT_SEPARATOR in text else separator)
    if not all(levels):
        raise IdentifierError(f"the namespace {text!r} has an empty level")
    return levels
