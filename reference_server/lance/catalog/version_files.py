"""Versions as files: a manifest each, and files with further information beside it.

    <name>.manifest       read by Lance
    <name>.record.json    the client's information about a version that it created
    <name>.forgotten      the record of the version was deleted: it is not listed any more

Deleting a version's record deletes its manifest too, except for the newest: its manifest holds the rows of the table,
which a client that deletes records wants to keep.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import orjson

from reference_server.lance.catalog.dataset_files import DiskFiles, MemoryFiles, VersionName
from reference_server.lance.catalog.entries import Record
from reference_server.lance.catalog.version_names import beside, manifest_name
from reference_server.lance.errors import ConcurrentModification, TableVersionNotFound

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


class DatasetVersions:
    """Versions of one dataset. Reading few of them costs little, however many there are."""

    def __init__(self, files: DiskFiles | MemoryFiles) -> None:
        self._files = files

    def manifests(self) -> Sequence[VersionName]:
        """Return all readable versions, oldest first."""
        return self._files.listing().items

    def page(
        self, after: int | None = None, count: int | None = None, *, descending: bool = False
    ) -> list[VersionName]:
        """Return listed versions: older ones than `after` if `descending`, else newer ones."""
        names, versions = self._files.listing()
        if descending:
            end = len(versions) if after is None else bisect_left(versions, after, key=_number)
            positions = range(end - 1, -1, -1)
        else:
            positions = range(0 if after is None else bisect_right(versions, after, key=_number), len(versions))
        chosen = (versions[position] for position in positions)
        return list(islice((version for version in chosen if beside(version.file, FORGOTTEN) not in names), count))

    def listed(self, number: int) -> VersionName:
        """Return a version by number. Raises TableVersionNotFound for a missing one or one whose record was deleted."""
        for version in self.page(number - 1, 1):
            if version.version == number:
                return version
        raise TableVersionNotFound(f"The table has no version {number}.")

    def find(self, number: int) -> VersionName | None:
        """Return a readable version by number, None when there is none."""
        versions = self.manifests()
        position = bisect_left(versions, number, key=_number)
        return versions[position] if position < len(versions) and versions[position].version == number else None

    def described(self, versions: Sequence[VersionName]) -> list[VersionFile]:
        """Return the manifests of versions with their attributes."""
        known = zip(versions, self._files.described(versions), strict=True)
        return [VersionFile(version.version, version.name, *described) for version, described in known]

    def transactions(self) -> list[str]:
        """Return the names of the files of transactions."""
        return self._files.transactions()

    def exists(self, name: str) -> bool:
        """Return whether a file of this name exists below the dataset."""
        return self._files.exists(name)

    def records(self, versions: Iterable[VersionName]) -> dict[int, Record]:
        """Return the clients' records of versions by number, without versions that have none."""
        names = self._files.listing().names
        recorded = [version for version in versions if beside(version.file, RECORD) in names]
        return {version.version: orjson.loads(self._files.read(beside(version.name, RECORD))) for version in recorded}

    def put(self, version: int, staged: str, scheme: str, record: Record) -> None:
        """Move a staged manifest to its place, with its record. Idempotent.

        Raises ConcurrentModification for a taken place, InvalidInput for a missing staged manifest.
        """
        manifest = manifest_name(version, scheme)
        if not self._files.claim(staged, manifest):
            raise ConcurrentModification(f"The version {version} exists already.")
        recorded = {name: record[name] for name in TOLD if name in record}
        if recorded:
            self._files.write(beside(manifest, RECORD), orjson.dumps(recorded))
        self._files.delete(staged)

    def delete(self, numbers: Iterable[int]) -> None:
        """Delete the records of versions; missing ones are ignored. The rows of the table stay."""
        chosen = set(numbers)
        manifests = self.manifests()
        for version in manifests:
            if version.version in chosen and version is manifests[-1]:
                self._files.write(beside(version.name, FORGOTTEN), b"")
            elif version.version in chosen:
                self._files.delete(version.name)
                self._files.delete(beside(version.name, RECORD))


def _number(version: VersionName) -> int:
    return version.version
