"""Snapshots made without the target's help: manifest lists, written where its tables lie.

A commit only names the manifest list, but a server may read it. So there is always one, valid by the
table specification; where the files of a table cannot be reached from here, there are no snapshots.
"""

from __future__ import annotations

import gzip
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from conformance.checks import text
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id
from conformance.iceberg.support.content import now_ms
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.scans.manifests import list_bytes
from conformance.outcomes import Unoffered

GZIP = b"\x1f\x8b"
UNREACHABLE = "the files of the server's tables cannot be reached from here"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the files of a table go: as the table names the folder, and on this machine."""

    metadata: Metadata
    location: str
    folder: Path

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
            "manifest-list": self._write(f"snap-{id}-{uuid.uuid4()}.avro", list_bytes(self.metadata, [])),
            "summary": {"operation": "append" if parent is None else "overwrite"},
            "schema-id": self.metadata["current-schema-id"],
            **{key.replace("_", "-"): value for key, value in more.items()},
        }

    def _write(self, name: str, content: bytes) -> str:
        """Write a file and return its location as the table names it."""
        write_file(self.folder, name, content)
        return f"{self.location}/{name}"


def stage(catalog: IcebergCatalog, id: Id) -> Stage:
    """Return where the files of a table go. Raises Unoffered where they cannot be reached from here."""
    answer = catalog.load_table(id)
    written = answer.get("metadata-location")
    path = local_path(written) if written else None
    metadata = answer["metadata"]
    with reachable():
        if path is None or not _is_of(path, metadata):
            raise Unoffered(UNREACHABLE)
    base = text(metadata["location"], "the location of the table").rstrip("/")
    own = written.startswith(f"{base}/") or catalog.target.prefix in base  # nothing is written where others have files
    location = f"{base}/metadata" if own else written.rpartition("/")[0]
    return Stage(metadata, location, local_path(location) or path.parent)


def write_file(folder: Path, name: str, content: bytes) -> None:
    """Write a file of a table. Raises Unoffered where that cannot be done from here."""
    with reachable():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _is_of(path: Path, metadata: Metadata) -> bool:
    """True when a file is the metadata file of a table: whatever else a server names is none of ours to touch."""
    uuid = text(metadata["table-uuid"], "the uuid of the table").encode()
    content = path.read_bytes()
    return uuid in (gzip.decompress(content) if content.startswith(GZIP) else content)


@contextmanager
def reachable() -> Iterator[None]:
    """Raise Unoffered where the system does not let files be reached, or their names are none."""
    try:
        yield
    except (OSError, ValueError):
        raise Unoffered(UNREACHABLE) from None


def local_path(uri: str) -> Path | None:
    """Return the path of a location on this machine, None for one elsewhere and for what is no location."""
    try:
        split = urlsplit(uri)
    except ValueError:
        return None
    if split.scheme == "":
        return Path(uri) if uri.startswith("/") else None
    return Path(unquote(split.path)) if split.scheme == "file" and split.netloc in ("", "localhost") else None
