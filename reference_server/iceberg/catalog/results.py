"""Answers that show a table or a view: body and ETag. The body contains the stored bytes of the metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import orjson

from reference_server.context import Reply
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.metadata.reading import Json

ALL, REFS = "all", "refs"
STATISTICS = ("statistics", "partition-statistics")


def etag(location: str, snapshots: str = ALL) -> str:
    """Return the ETag of a table: it differs for every metadata file and every choice of snapshots."""
    return f'"{hashlib.sha1(location.encode(), usedforsecurity=False).hexdigest()}-{snapshots}"'


def matches(condition: str, current: str) -> bool:
    """Return whether an If-None-Match matches an ETag; weak comparison, as RFC 9110 requires here."""
    named = [tag.strip().removeprefix("W/") for tag in condition.split(",")]
    return "*" in named or current in named


def table_result(file: MetadataFile, config: Mapping[str, str], snapshots: str = ALL) -> Reply:
    """Return a LoadTableResult with its ETag."""
    text = file.text if snapshots == ALL else orjson.dumps(only_refs(file.metadata))
    body = _result(file.location, text, b',"config":' + orjson.dumps(config))
    return Reply(200, body, headers={"ETag": etag(file.location, snapshots)})


def view_result(file: MetadataFile, config: Mapping[str, str]) -> Reply:
    """Return a LoadViewResult."""
    return Reply(200, _result(file.location, file.text, b',"config":' + orjson.dumps(config)))


def commit_result(file: MetadataFile) -> Reply:
    """Return a CommitTableResponse with its ETag, the one of the table with all snapshots."""
    return Reply(200, _result(file.location, file.text), headers={"ETag": etag(file.location)})


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
