"""Transforms of partition and sort fields: their source columns, and the types that they accept.

An unknown transform is kept and assumed to fit every primitive type: a newer client may know it.
"""

from __future__ import annotations

import re
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, integers, optional
from reference_server.iceberg.metadata.types import is_primitive, type_name

VOID = "void"
SOURCE_ID, SOURCE_IDS = "source-id", "source-ids"
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
    """Return a transform in its stored form. Raises InvalidMetadata for a width of zero or beyond 32 bits."""
    match = WITH_WIDTH.fullmatch(written)
    if match is None:
        return written.lower() if written.lower() in WITHOUT_WIDTH else written
    width = int(match[2][:DIGITS])
    if len(match[2]) > DIGITS or not 0 < width < 1 << 31:
        raise InvalidMetadata(f"The transform {written!r:.100} has no usable width.")
    return f"{match[1].lower()}[{width}]"


def takes(transform: str, column_type: Any) -> bool:
    """Return whether a transform in its stored form can be applied to a type."""
    if not is_primitive(column_type):
        return False
    kind = transform.partition("[")[0]
    if kind == "identity":
        return type_name(column_type) not in NO_IDENTITY
    return kind not in SOURCES or type_name(column_type) in SOURCES[kind]


def with_source(field: Json) -> Json:
    """Return a field with its column in `source-id`, from either of the two fields of format version 3.

    In the table specification a transform of one argument has no `source-ids`, but some writers send a list of one.
    Raises InvalidMetadata for several columns: no transform has several arguments yet.
    """
    sources = optional(integers, field, SOURCE_IDS)
    if sources is None or (SOURCE_ID in field and sources != [field[SOURCE_ID]]):
        integer(field, SOURCE_ID)
        return field
    if len(sources) != 1:
        raise InvalidMetadata(f"{SOURCE_IDS} must have one column, not {len(sources)}: no transform takes several.")
    return {SOURCE_ID: sources[0], **{key: value for key, value in field.items() if key != SOURCE_IDS}}
