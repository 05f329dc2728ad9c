"""Snapshots made without the target's help: manifest lists, written where its tables lie.

A commit only names the manifest list, but a server may read it. So one is written, valid by the table
specification, where the files of a table can be reached from here; where they cannot, it is only named, if the server
takes that.
"""

from __future__ import annotations

import gzip
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import text
from conformance.http.client import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import Id
from conformance.iceberg.support.content import now_ms
from conformance.iceberg.support.files import UNREACHABLE, WAYS, WRITTEN, Files, UnwrittenFiles, reachable
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.scans.manifests import list_bytes
from conformance.iceberg.support.storage import location_of
from conformance.values.outcomes import Unoffered

GZIP = b"\x1f\x8b"
SNAPSHOTS = "snapshots"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the metadata files of a table go, as the table names the folder, and how they get there."""

    metadata: Metadata
    location: str
    files: Files

    def snapshot(self, id: int, sequence: int = 1, *, parent: int | None = None, **more: Any) -> Metadata:
        """Write a manifest list without manifests and return the snapshot for a commit: it has no files.

        `more` are its further fields, with `_` for `-`.
        """
        version = {} if self.metadata["format-version"] == 1 else {"sequence-number": sequence}
        return {
            "snapshot-id": id,
            **({} if parent is None else {"parent-snapshot-id": parent}),
            **version,
            "timestamp-ms": now_ms(),
            "manifest-list": self.write("metadata", f"snap-{id}-{uuid.uuid4()}.avro", list_bytes(self.metadata, [])),
            "summary": {"operation": "append" if parent is None else "overwrite"},
            "schema-id": self.metadata["current-schema-id"],
            **{key.replace("_", "-"): value for key, value in more.items()},
        }

    def write(self, kind: str, name: str, content: bytes) -> str:
        """Write a file of metadata or data and return its location as the table names it."""
        folder = self.location if kind == "metadata" else f"{self.location.rpartition('/')[0]}/{kind}"
        self.files.write(f"{folder}/{name}", content)
        return f"{folder}/{name}"


def stage(catalog: IcebergCatalog, id: Id) -> Stage:
    """Return where the files of a table go. Raises Unoffered where they cannot be reached from here."""
    loaded = catalog.load_table(id)
    metadata, base = loaded["metadata"], location_of(loaded).rstrip("/")
    files = _files(catalog, tuple(id), loaded)
    if isinstance(files, UnwrittenFiles):
        return Stage(metadata, f"{base}/metadata", files)
    written = loaded.get("metadata-location")
    if not written or not _is_of(files.read(written), metadata):
        raise Unoffered(UNREACHABLE)
    own = written.startswith(f"{base}/") or catalog.target.prefix in base  # nothing is written where others have files
    return Stage(metadata, f"{base}/metadata" if own else written.rpartition("/")[0], files)


def _files(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table, in the way that the run has found out, or in the first that fits."""
    chosen = catalog.target.ways.chosen.get(SNAPSHOTS)
    for way in [WAYS[chosen]] if chosen else WRITTEN.values():
        with suppress(Unoffered):
            return way(catalog, id, loaded)
    raise Unoffered(UNREACHABLE)


def _is_of(content: bytes, metadata: Metadata) -> bool:
    """True when a file is the metadata file of a table: whatever else a server names is none of ours to touch."""
    uuid = text(metadata["table-uuid"], "the uuid of the table").lower().encode()
    with reachable():
        return uuid in (gzip.decompress(content) if content.startswith(GZIP) else content).lower()
