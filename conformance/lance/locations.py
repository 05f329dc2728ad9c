"""Locations of tables, as servers return them and take them back."""

from __future__ import annotations

from urllib.parse import unquote

SCHEME, FILE = "://", "file://"


def as_path(location: str) -> str:
    """Return a location without a final slash, and with the letters that a URI spells with percent signs."""
    location = location.rstrip("/")
    return unquote(location) if SCHEME in location else location


def same_place(location: str, other: str) -> bool:
    """True for two spellings of a place: a path and its URI, or one of them relative to the server's root.

    A location need not be a URI: the document demands that of `table_uri` alone. A path may keep the percent signs.
    """
    shorter, longer = sorted((unquote(entry).removeprefix(FILE).rstrip("/") for entry in (location, other)), key=len)
    return shorter == longer or longer.endswith(f"/{shorter.lstrip('/')}")


def relative_location(location: str) -> str:
    """Return a location relative to the server's root, which is a path and no URI."""
    return as_path(location).rsplit("/", 1)[-1]
