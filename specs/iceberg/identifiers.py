"""How the levels of a namespace travel: as one path segment, or as the value of a query parameter.

They are joined by the byte 0x1F or by the separator that the server's configuration advertises; the root has no name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from specs.identifiers import UNIT_SEPARATOR, IdentifierError, decode_segment, encode_segment

SEPARATOR_OVERRIDE = "namespace-separator"


def advertised_separator(overrides: Mapping[str, str]) -> str:
    """Return the separator that a catalog advertises, 0x1F unless it says otherwise.

    It stands in the overrides of the configuration, percent-encoded. Raises IdentifierError for an empty one.
    """
    separator = decode_segment(overrides.get(SEPARATOR_OVERRIDE, encode_segment(UNIT_SEPARATOR)))
    if not separator:
        raise IdentifierError("the advertised namespace separator is empty")
    return separator


def join_levels(levels: Sequence[str], separator: str = UNIT_SEPARATOR) -> str:
    """Return a namespace as one text, not percent-encoded: ["a", "b"], "." -> "a.b".

    Raises IdentifierError for the root and for a level that is empty or holds a separator.
    """
    if not levels or not all(levels):
        raise IdentifierError(f"the namespace {list(levels)!r} has no level, or an empty one")
    for level in levels:
        if separator in level or UNIT_SEPARATOR in level:
            raise IdentifierError(f"the level {level!r} contains a separator")
    return separator.join(levels)
