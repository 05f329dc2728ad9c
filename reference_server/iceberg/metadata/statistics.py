"""Statistics files and partition statistics files: at most one of each per snapshot."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.reading import Json, integers, long, objects, optional, text, text_map

STATISTICS = "statistics"
PARTITION_STATISTICS = "partition-statistics"
KINDS_OF_STATISTICS = (STATISTICS, PARTITION_STATISTICS)


def read_statistics(node: Json) -> Json:
    """Return a statistics file in its stored form. Raises InvalidMetadata for a malformed one."""
    long(node, "file-footer-size-in-bytes")
    for blob in objects(node, "blob-metadata"):
        text(blob, "type")
        long(blob, "snapshot-id")
        long(blob, "sequence-number")
        integers(blob, "fields")
        optional(text_map, blob, "properties")
    return read_partition_statistics(node)


def read_partition_statistics(node: Json) -> Json:
    """Return a partition statistics file in its stored form. Raises InvalidMetadata for a malformed one."""
    long(node, "snapshot-id")
    text(node, "statistics-path")
    long(node, "file-size-in-bytes")
    return node


def set_statistics(builder: Builder, kind: str, file: Json) -> None:
    """Set the file of a snapshot, replacing a previous one."""
    others = [other for other in builder.get(kind) if other["snapshot-id"] != file["snapshot-id"]]
    builder.put(kind, [*others, file])


def remove_statistics(builder: Builder, kind: str, snapshot_id: int) -> None:
    """Remove the file of a snapshot, if there is one."""
    if any(existing["snapshot-id"] == snapshot_id for existing in builder.get(kind)):
        builder.remove(kind, "snapshot-id", [snapshot_id])
