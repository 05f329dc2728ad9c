"""Snapshots for commits: manifest lists, written at the locations of tables.

A commit only names the manifest list, but a server may read it. So a valid one is written where the files of a
table can be reached from here. Where they cannot, the commit names a missing file, if the server accepts that.
"""

from __future__ import annotations

import gzip
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import text
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import Id
from conformance.iceberg.support.content import now_ms
from conformance.iceberg.support.files import WAYS, WRITTEN, Files, UnwrittenFiles, reachable, unreachable
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.scans.manifests import list_bytes
from conformance.iceberg.support.storage import location_of
from conformance.iceberg.support.updates import append
from conformance.values.outcomes import Skipped, Unoffered

GZIP = b"\x1f\x8b"
NO_ROW_IDS = 2  # the last format version whose snapshots have none
SNAPSHOTS = "snapshots"


@dataclass(frozen=True, slots=True)
class Stage:
    """Metadata of a table, the location of its metadata folder, and the files of its storage."""

    metadata: Metadata
    location: str
    files: Files

    def snapshot(self, id: int, sequence: int = 1, *, parent: int | None = None, **more: Any) -> Metadata:
        """Write an empty manifest list and return the snapshot for a commit.

        `more` are further fields of the snapshot, with `_` for `-`.
        """
        version: Metadata = {} if self.metadata["format-version"] == 1 else {"sequence-number": sequence}
        if self.metadata["format-version"] > NO_ROW_IDS:
            version |= {"first-row-id": self.metadata.get("next-row-id") or 0, "added-rows": 0}
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
        """Write a metadata or data file and return its location."""
        folder = self.location if kind == "metadata" else f"{self.location.rpartition('/')[0]}/{kind}"
        self.files.write(f"{folder}/{name}", content)
        return f"{folder}/{name}"


def stage(catalog: IcebergCatalog, id: Id) -> Stage:
    """Return the stage of a table. Raises Skipped where its files cannot be reached from here."""
    return stage_of(catalog, id, catalog.load_table(id))


def stage_of(catalog: IcebergCatalog, id: Id, loaded: Answer) -> Stage:
    """Return the stage of a loaded table. Raises Skipped where its files cannot be reached from here."""
    metadata, base = loaded["metadata"], location_of(loaded).rstrip("/")
    files = _files(catalog, tuple(id), loaded)
    if isinstance(files, UnwrittenFiles):
        return Stage(metadata, f"{base}/metadata", files)
    written = loaded.get("metadata-location")
    if not written or not is_of(files.read(written), metadata["table-uuid"]):
        raise unreachable()
    own = written.startswith(f"{base}/") or catalog.target.prefix in base  # never write into folders with foreign files
    return Stage(metadata, f"{base}/metadata" if own else written.rpartition("/")[0], files)


def _files(catalog: IcebergCatalog, id: Names, loaded: Answer) -> Files:
    """Return the files of a table, in the way that the run has found, or in the first that fits."""
    chosen = catalog.target.ways.chosen.get(SNAPSHOTS)
    for way in [WAYS[chosen]] if chosen else WRITTEN.values():
        with suppress(Unoffered, Skipped):
            return way(catalog, id, loaded)
    raise unreachable()


def is_of(content: bytes, uuid: Any) -> bool:
    """True when a file is the metadata file of a table or view: the run touches no other file that a server names."""
    own = text(uuid, "the uuid in the metadata").lower().encode()
    with reachable():
        return own in (gzip.decompress(content) if content.startswith(GZIP) else content).lower()


# Tables with snapshots

# Ids as large as those of engines: JSON readers that parse numbers as doubles change the last digits.
FIRST, SECOND, THIRD = 3_055_729_675_574_597_004, 9_223_372_036_854_775_807, 1_152_921_504_606_846_977

# Needed by requirements on several snapshots: where a server keeps only one, they would repeat that finding.
KEPT = ("iceberg.snapshot.kept",)


def new_table_with_files(catalog: IcebergCatalog, version: int = 2, name: str = "t") -> tuple[Names, Stage]:
    """Create a table of a format version and return it with its stage."""
    id = catalog.new_table(name, properties={"format-version": str(version)})
    return id, stage(catalog, id)


def new_table_with_snapshots(catalog: IcebergCatalog, *ids: int) -> tuple[Names, Stage]:
    """Create a table with these snapshots on main, each added by its own commit, and return it with its stage."""
    with catalog.client.preparing():
        id, files = new_table_with_files(catalog)
        for number, snapshot in enumerate(ids):
            parent = ids[number - 1] if number else None
            catalog.update_table(id, append(files.snapshot(snapshot, number + 1, parent=parent)))
    return id, files
