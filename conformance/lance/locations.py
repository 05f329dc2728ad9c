"""Locations of tables, as servers return them and take them back."""

from __future__ import annotations

from urllib.parse import unquote

SCHEME = "://"


def as_path(location: str) -> str:
    """Return a location without a final slash, and with the letters that a URI spells with percent signs."""
    location = location.rstrip("/")
    return unquote(location) if SCHEME in location else location


def relative_location(location: str) -> str:
    """Return a location relative to the server's root, which is a path and no URI."""
    return as_path(location).rsplit("/", 1)[-1]
