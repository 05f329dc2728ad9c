"""Which files go when a table is purged.

Where a table lies in a directory that the server itself gave it, the directory is nobody else's and goes
as a whole. Elsewhere only files go that the metadata name themselves.
"""

from __future__ import annotations

from reference_server.iceberg.catalog import Change
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata_files import MetadataFile
from reference_server.iceberg.results import STATISTICS
from reference_server.iceberg.warehouses import Warehouse

GARBAGE_COLLECTION = "gc.enabled"


def purge(change: Change, warehouse: Warehouse, file: MetadataFile) -> None:
    """Let a change delete the files of a table after it; those that `gc.enabled` protects stay."""
    metadata = file.metadata
    change.old_files += [*(entry["metadata-file"] for entry in metadata["metadata-log"]), file.location]
    if metadata["properties"].get(GARBAGE_COLLECTION, "true").lower() == "false":
        return
    change.old_files += _named_files(metadata)
    if warehouse.is_own(metadata["location"]):
        change.old_trees.append(metadata["location"])


def _named_files(metadata: Json) -> list[str]:
    lists = [one["manifest-list"] for one in metadata["snapshots"] if "manifest-list" in one]
    return lists + [one["statistics-path"] for key in STATISTICS for one in metadata.get(key, ())]
