"""Transforms of partition and sort fields, and which types they take.

An unknown transform is kept and assumed to fit every primitive type: a newer client may know it.
"""

from __future__ import annotations

import re
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.types import is_primitive, type_name

VOID = "void"
WITH_WIDTH = re.compile(r"(bucket|truncate)\[(\d+)\]", re.IGNORECASE | re.ASCII)
WITHOUT_WIDTH = frozenset({"identity", "year", "month", "day", "hour", VOID})

TIMESTAMPS = frozenset({"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"})
DATES = TIMESTAMPS | {"date"}
TRUNCATED = frozenset({"int", "long", "string", "binary", "decimal"})
SOURCES = {
    "bucket": TRUNCATED | DATES | {"time", "fixed", "uuid"},
    "truncate": TRUNCATED,
    "year": DATES,
    "month": DATES,
    "day": DATES,
    "hour": TIMESTAMPS,
}
DIGITS = 10  # of the largest width
NO_IDENTITY = frozenset({"geometry", "geography"})


def canonical_transform(written: str) -> str:
    """Return a transform as metadata write it. Raises InvalidMetadata for a width of zero or beyond 32 bits."""
    match = WITH_WIDTH.fullmatch(written)
    if match is None:
        return written.lower() if written.lower() in WITHOUT_WIDTH else written
    width = int(match[2][:DIGITS])
    if len(match[2]) > DIGITS or not 0 < width < 1 << 31:
        raise InvalidMetadata(f"The transform {written!r:.100} has no usable width.")
    return f"{match[1].lower()}[{width}]"


def takes(transform: str, column_type: Any) -> bool:
    """Return whether a transform, as metadata write it, can be applied to a type."""
    if not is_primitive(column_type):
        return False
    kind = transform.partition("[")[0]
    if kind == "identity":
        return type_name(column_type) not in NO_IDENTITY
    return kind not in SOURCES or type_name(column_type) in SOURCES[kind]
