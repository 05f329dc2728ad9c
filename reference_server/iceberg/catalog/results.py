"""Answers that show a table or a view: body and ETag. The body contains the stored bytes of the metadata."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from reference_server.context import Reply
from reference_server.iceberg.catalog.entity_tags import ALL, ETAG, entity_tag
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.metadata.reading import Json

STATISTICS = ("statistics", "partition-statistics")


def table_result(file: MetadataFile, config: Mapping[str, str], snapshots: str = ALL) -> Reply:
    """Return a LoadTableResult with its ETag."""
    text = file.text if snapshots == ALL else orjson.dumps(only_refs(file.metadata))
    body = _result(file.location, text, b',"config":' + orjson.dumps(config))
    return Reply(200, body, headers={ETAG: entity_tag(file.location, snapshots)})


def view_result(file: MetadataFile, config: Mapping[str, str]) -> Reply:
    """Return a LoadViewResult."""
    return Reply(200, _result(file.location, file.text, b',"config":' + orjson.dumps(config)))


def commit_result(file: MetadataFile) -> Reply:
    """Return a CommitTableResponse with its ETag, the one of the table with all snapshots."""
    return Reply(200, _result(file.location, file.text), headers={ETAG: entity_tag(file.location)})


def _result(location: str, text: bytes, end: bytes = b"") -> bytes:
    return b"".join((b'{"metadata-location":', orjson.dumps(location), b',"metadata":', text, end, b"}"))


def only_refs(metadata: Json) -> Json:
    """Return table metadata with only the snapshots that a branch or tag names, and their statistics."""
    named = {ref["snapshot-id"] for ref in metadata["refs"].values()}
    selected = {
        key: [snapshot for snapshot in metadata[key] if snapshot["snapshot-id"] in named]
        for key in ("snapshots", *STATISTICS)
        if key in metadata
    }
    return {**metadata, **selected}
