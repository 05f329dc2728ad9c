"""Locations of tables, as servers return them and take them back."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from conformance.author.checks import holds, text

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


def check_place(told: Any, described: Any, what: str, *, of: str = "the table") -> None:
    """Check that an answer tells the place that an object is described with; `what` names the told location."""
    place, there = text(told, what), text(described, f"the location of {of}")
    holds(same_place(place, there), f"{what} is that of {of}")


def relative_location(location: str) -> str:
    """Return a location relative to the server's root, which is a path and no URI."""
    return as_path(location).rsplit("/", 1)[-1]
