"""Encoding of a namespace's levels as one path segment, or as the value of a query parameter.

The byte 0x1F, or the separator in the server's configuration, joins the levels; the root has no name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from specs.identifiers import UNIT_SEPARATOR, IdentifierError, decode_segment, encode_segment

SEPARATOR_OVERRIDE = "namespace-separator"


def advertised_separator(overrides: Mapping[str, str]) -> str:
    """Return the separator that a catalog advertises, by default 0x1F.

    It is percent-encoded in the overrides of the configuration. Raises IdentifierError for an empty separator.
    """
    separator = decode_segment(overrides.get(SEPARATOR_OVERRIDE, encode_segment(UNIT_SEPARATOR)))
    if not separator:
        raise IdentifierError("the advertised namespace separator is empty")
    return separator


def join_levels(levels: Sequence[str], separator: str = UNIT_SEPARATOR) -> str:
    """Join the levels of a namespace, not percent-encoded: ["a", "b"], "." -> "a.b".

    Raises IdentifierError for the root and for a level that is empty or contains a separator.
    """
    if not levels or not all(levels):
        raise IdentifierError(f"the namespace {list(levels)!r} has no level, or an empty one")
    for level in levels:
        if separator in level or UNIT_SEPARATOR in level:
            raise IdentifierError(f"the level {level!r} contains a separator")
    return separator.join(levels)
