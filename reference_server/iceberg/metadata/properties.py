"""Table properties with a meaning for the catalog, and updates of properties."""

from __future__ import annotations

import re
from collections.abc import Collection

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.errors import InvalidMetadata

Properties = dict[str, str]

FORMAT_VERSION = "format-version"
RESERVED = frozenset(
    {
        FORMAT_VERSION,
        "uuid",
        "snapshot-count",
        "current-snapshot-id",
        "current-snapshot-summary",
        "current-snapshot-timestamp-ms",
        "current-schema",
        "default-partition-spec",
        "default-sort-order",
    }
)
"""Names that stand for fields of the metadata. They configure a new table and are not stored."""

FOR_NEW_TABLES: Properties = {"write.parquet.compression-codec": "zstd"}
"""Default properties of a new table."""

COLUMN_METRICS = "write.metadata.metrics.column."
COMMIT_RETRIES = (
    "commit.retry.num-retries",
    "commit.retry.min-wait-ms",
    "commit.retry.max-wait-ms",
    "commit.retry.total-timeout-ms",
)
ENCRYPTION = frozenset({"encryption.key-id", "encryption.data-key-length"})
ENCRYPTION_SINCE_VERSION = 3

INTEGER = re.compile(r"[+-]?\d{1,10}", re.ASCII)


def integer_property(properties: Properties, name: str, default: int) -> int:
    """Return a property as an integer of 32 bits. Raises InvalidMetadata for another value."""
    written = properties.get(name)
    if written is None:
        return default
    if INTEGER.fullmatch(written) is None or not -(1 << 31) <= int(written) < 1 << 31:
        raise InvalidMetadata(f"The property {name} must be an integer, not {written!r:.100}.")
    return int(written)


def stored_properties(properties: Properties, defaults: Properties = FOR_NEW_TABLES) -> Properties:
    """Return the properties of a new table: the defaults, and the given ones that are not reserved."""
    return {**defaults, **{name: value for name, value in properties.items() if name not in RESERVED}}


def check_new_properties(properties: Properties, columns: Columns, format_version: int) -> None:
    """Raise InvalidMetadata for properties that do not fit the new table."""
    for name in properties:
        if name.startswith(COLUMN_METRICS) and columns.id_of(name.removeprefix(COLUMN_METRICS)) is None:
            raise InvalidMetadata(f"The property {name} names a column that does not exist.")
    for name in COMMIT_RETRIES:
        if integer_property(properties, name, 0) < 0:
            raise InvalidMetadata(f"The property {name} must not be negative.")
    encryption = ENCRYPTION & properties.keys()
    if encryption and format_version < ENCRYPTION_SINCE_VERSION:
        names = ", ".join(sorted(encryption))
        raise InvalidMetadata(f"{names}: encryption needs format version {ENCRYPTION_SINCE_VERSION}.")


def set_properties(builder: Builder, updates: Properties) -> None:
    """Set properties. Reserved names are stored as well: filtering them is up to the client."""
    if updates:
        builder.own("properties").update(updates)


def remove_properties(builder: Builder, removals: Collection[str]) -> None:
    """Remove properties; unknown names are ignored."""
    if removals:
        properties = builder.own("properties")
        for name in removals:
            properties.pop(name, None)
