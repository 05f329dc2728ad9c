"""Statistics files as updates name them."""

from __future__ import annotations

from typing import Any


def statistics(location: str, snapshot: int, name: str = "a") -> dict[str, Any]:
    """Return statistics of a snapshot, below a location; nobody reads the file that they name."""
    blob = {"type": "apache-datasketches-theta-v1", "snapshot-id": snapshot, "sequence-number": 1, "fields": [1]}
    return {
        "snapshot-id": snapshot,
        "statistics-path": f"{location}/{name}.puffin",
        "file-size-in-bytes": 413,
        "file-footer-size-in-bytes": 42,
        "blob-metadata": [blob],
    }


def partition_statistics(location: str, snapshot: int, name: str = "a") -> dict[str, Any]:
    """Return statistics of the partitions of a snapshot, below a location; nobody reads the file that they name."""
    return {"snapshot-id": snapshot, "statistics-path": f"{location}/{name}.parquet", "file-size-in-bytes": 43}
