"""Versions as files: each has a manifest, and beside it what is said about the version.

    <name>.manifest       what Lance reads
    <name>.record.json    what the client said about the version that it made
    <name>.forgotten      the record of the version was deleted: it is not listed any more

A version whose record is deleted goes with its manifest, except for the newest: its manifest holds the
rows of the table, which a client who deletes records does not mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from reference_server.errors import ConcurrentModification
from reference_server.lance.catalog.dataset_files import DiskFiles, MemoryFiles
from reference_server.lance.catalog.entries import Record
from reference_server.lance.catalog.version_names import FOLDER, beside, manifest_name, version_of

FORGOTTEN, RECORD = ".forgotten", ".record.json"
TOLD = ("manifest_size", "e_tag", "metadata")


@dataclass(frozen=True, slots=True)
class VersionFile:
    """The manifest of one version; `name` is relative to the dataset."""

    version: int
    name: str
    size: int | None = None
    millis: int | None = None
    e_tag: str | None = None
    listed: bool = True
    recorded: bool = False


class Versions:
    """The versions of one dataset."""

    def __init__(self, files: DiskFiles | MemoryFiles) -> None:
        self._files = files

    def all(self) -> list[VersionFile]:
        """Return the versions that are listed, oldest first."""
        return [version for version in self.manifests() if version.listed]

    def manifests(self) -> list[VersionFile]:
        """Return all versions that can be read, oldest first."""
        entries = self._files.entries()
        names = {entry.name for entry in entries}
        versions = []
        for entry in entries:
            number = version_of(entry.name)
            if number is not None:
                listed = beside(entry.name, FORGOTTEN) not in names
                recorded = beside(entry.name, RECORD) in names
                known = (f"{FOLDER}/{entry.name}", entry.size, entry.millis, entry.e_tag)
                versions.append(VersionFile(number, *known, listed, recorded))
        return sorted(versions, key=lambda version: version.version)

    def transactions(self) -> list[str]:
        """Return the names of the files of transactions."""
        return self._files.transactions()

    def exists(self, name: str) -> bool:
        """True when there is a file of this name below the dataset."""
        return self._files.exists(name)

    def records(self, versions: Iterable[VersionFile]) -> dict[int, Record]:
        """Return what clients said about versions, by number; versions without a record are left out."""
        recorded = [version for version in versions if version.recorded]
        return {version.version: orjson.loads(self._files.read(beside(version.name, RECORD))) for version in recorded}

    def put(self, version: int, staged: str, scheme: str, record: Record) -> None:
        """Move a staged manifest into its place, with its record. Doing it twice has no further effect.

        Raises ConcurrentModification when the place is taken, InvalidInput when nothing is staged.
        """
        manifest = manifest_name(version, scheme)
        if not self._files.claim(staged, manifest):
            raise ConcurrentModification(f"The version {version} exists already.")
        recorded = {name: record[name] for name in TOLD if name in record}
        if recorded:
            self._files.write(beside(manifest, RECORD), orjson.dumps(recorded))
        self._files.delete(staged)

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete the records of versions; what is gone already is fine. The rows of the table stay."""
        chosen = set(numbers)
        manifests = self.manifests()
        for version in manifests:
            if version.version in chosen and version is manifests[-1]:
                self._files.write(beside(version.name, FORGOTTEN), b"")
            elif version.version in chosen:
                self._files.delete(version.name)
                self._files.delete(beside(version.name, RECORD))
