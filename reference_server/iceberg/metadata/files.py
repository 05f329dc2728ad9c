"""Locations of metadata files, and metadata files that a commit makes obsolete."""

from __future__ import annotations

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json

DIRECTORY = "write.metadata.path"
COMPRESSION = "write.metadata.compression-codec"
SUFFIXES = {"none": ".metadata.json", "gzip": ".gz.metadata.json"}
DELETE_AFTER_COMMIT = "write.metadata.delete-after-commit.enabled"


def metadata_file(metadata: Json, version: int, uuid: str) -> str:
    """Return the location of a new metadata file of a table or view, the `version`-th of its kind from 0.

    It lies in `write.metadata.path`, else in `metadata` below the location, and ends in `.gz.metadata.json` when
    `write.metadata.compression-codec` is gzip. Raises InvalidMetadata for another codec.
    """
    properties = metadata.get("properties", {})
    codec = properties.get(COMPRESSION, "none")
    suffix = SUFFIXES.get(codec.lower())
    if suffix is None:
        raise InvalidMetadata(f"The property {COMPRESSION} must be {' or '.join(SUFFIXES)}, not {codec!r:.100}.")
    directory = properties.get(DIRECTORY, "").rstrip("/") or f"{metadata['location']}/metadata"
    return f"{directory}/{version:05d}-{uuid}{suffix}"


def obsolete_files(base: Json, updated: Json) -> list[str]:
    """Return the metadata files that a commit drops from the log, if the table has obsolete ones deleted."""
    if updated["properties"].get(DELETE_AFTER_COMMIT, "false").lower() != "true":
        return []
    retained = {entry["metadata-file"] for entry in updated["metadata-log"]}
    return [entry["metadata-file"] for entry in base["metadata-log"] if entry["metadata-file"] not in retained]
