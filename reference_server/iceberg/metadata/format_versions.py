"""Format versions 1, 2 and 3 of tables, and how a table gets from one to a later one."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.finalize import complete_version

OLDEST, DEFAULT, NEWEST = 1, 2, 3


def check_supported(version: int) -> None:
    """Raise InvalidMetadata for an unsupported format version."""
    if not OLDEST <= version <= NEWEST:
        raise InvalidMetadata(f"The format version {version} is not supported; {OLDEST} to {NEWEST} are.")


def upgrade(builder: Builder, version: int) -> None:
    """Move a table to a later format version. Raises InvalidMetadata for an earlier one."""
    check_supported(version)
    if version < builder.version:
        raise InvalidMetadata(f"A table of format version {builder.version} cannot go back to {version}.")
    if version > builder.version:
        builder.put("format-version", version)
        complete_version(builder.fields)
