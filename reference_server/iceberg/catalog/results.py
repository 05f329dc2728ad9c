"""Answers that show a table or a view: body and ETag. Metadata go into the body as the bytes that are kept of them."""

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
    """Return the ETag of a table: another one for every metadata file and every choice of snapshots."""
    return f'"{hashlib.sha1(location.encode(), usedforsecurity=False).hexdigest()}-{snapshots}"'


def matches(condition: str, current: str) -> bool:
    """Return whether an If-None-Match names an ETag; weak ones count too, as RFC 9110 wants it here."""
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
    """Return a CommitTableResponse with its ETag, which is that of the table with all snapshots."""
    return Reply(200, _result(file.location, file.text), headers={"ETag": etag(file.location)})


def _result(location: str, text: bytes, end: bytes = b"") -> bytes:
    return b"".join((b'{"metadata-location":', orjson.dumps(location), b',"metadata":', text, end, b"}"))


def only_refs(metadata: Json) -> Json:
    """Return table metadata with those snapshots alone that a branch or tag names, and their statistics."""
    named = {ref["snapshot-id"] for ref in metadata["refs"].values()}
    selected = {
        key: [snapshot for snapshot in metadata[key] if snapshot["snapshot-id"] in named]
        for key in ("snapshots", *STATISTICS)
        if key in metadata
    }
    return {**metadata, **selected}
