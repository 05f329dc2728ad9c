"""Versions as files: the manifests below `_versions/` of a dataset, on disk or in memory.

A manifest is named after its version: `<version>.manifest` (V1), or the distance of the version from
the largest number, with twenty digits (V2), so that the newest comes first.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reference_server.errors import ConcurrentModification, InvalidInput

FOLDER, TRANSACTIONS = "_versions", "_transactions"
SUFFIX = ".manifest"
NEWEST = 2**64 - 1
V2_DIGITS = 20


@dataclass(frozen=True, slots=True)
class VersionFile:
    """The manifest of one version; `name` is relative to the dataset."""

    version: int
    name: str
    size: int | None = None
    millis: int | None = None
    e_tag: str | None = None


def manifest_name(version: int, *, v2: bool) -> str:
    """Return where the manifest of a version has its place, relative to the dataset."""
    stem = f"{NEWEST - version:0{V2_DIGITS}}" if v2 else str(version)
    return f"{FOLDER}/{stem}{SUFFIX}"


def version_of(name: str) -> int | None:
    """Return the version that a file in the folder is the manifest of, None if it is none."""
    stem = name.rpartition("/")[2].removesuffix(SUFFIX)
    if not name.endswith(SUFFIX) or not stem.isdigit():
        return None
    return NEWEST - int(stem) if len(stem) == V2_DIGITS else int(stem)


class DiskVersions:
    """The manifests of a dataset in a directory. To link a file into its place is to own the version."""

    def __init__(self, address: str) -> None:
        self._dataset = Path(address)

    def all(self) -> list[VersionFile]:
        """Return all versions, oldest first."""
        found = []
        with contextlib.suppress(FileNotFoundError), os.scandir(self._dataset / FOLDER) as entries:
            for entry in entries:
                version = version_of(entry.name)
                if version is not None:
                    found.append(_described(version, entry.name, entry.stat()))
        return sorted(found, key=lambda one: one.version)

    def transactions(self) -> list[str]:
        """Return the names of the files of transactions."""
        return [path.name for path in (self._dataset / TRANSACTIONS).glob("*.txn")]

    def exists(self, name: str) -> bool:
        """True when there is a file of this name below the dataset."""
        return (self._dataset / name).is_file()

    def put(self, version: int, staged: str, *, v2: bool) -> None:
        """Move a staged manifest into its place. Raises ConcurrentModification when it is taken."""
        source, target = self._dataset / staged, self._dataset / manifest_name(version, v2=v2)
        try:
            os.link(source, target)
        except FileExistsError:
            if not target.samefile(source):
                raise ConcurrentModification(f"The version {version} exists already.") from None
        except FileNotFoundError:
            if not target.exists():
                raise InvalidInput(f"There is no manifest at {staged}.") from None
        source.unlink(missing_ok=True)

    def delete(self, versions: Iterable[VersionFile]) -> None:
        """Delete manifests; what is gone already is fine."""
        for one in versions:
            (self._dataset / one.name).unlink(missing_ok=True)


class MemoryVersions:
    """The same for a dataset in memory, through pylance's own sessions. One server owns all of them."""

    def __init__(self, address: str) -> None:
        from lance.file import LanceFileSession  # noqa: PLC0415 - slow to import

        self._address = address
        self._session: Any = LanceFileSession(address)

    def all(self) -> list[VersionFile]:
        """See DiskVersions.all."""
        names = {version_of(name): name for name in self._session.list(FOLDER)}
        times = self._times()
        return [VersionFile(number, names[number], millis=times.get(number)) for number in sorted(filter(None, names))]

    def _times(self) -> dict[int, int]:
        """Return when each version was made, which only Lance knows here; nothing when there is none."""
        import lance  # noqa: PLC0415 - slow to import

        try:
            versions: list[Any] = lance.dataset(self._address).versions()
        except (OSError, ValueError):
            return {}
        return {one["version"]: int(one["timestamp"].timestamp() * 1000) for one in versions}

    def transactions(self) -> list[str]:
        """See DiskVersions.transactions."""
        return list(self._session.list(TRANSACTIONS))

    def exists(self, name: str) -> bool:
        """See DiskVersions.exists."""
        return bool(self._session.contains(name))

    def put(self, version: int, staged: str, *, v2: bool) -> None:
        """See DiskVersions.put."""
        target = manifest_name(version, v2=v2)
        if not self.exists(staged):
            if self.exists(target):
                return
            raise InvalidInput(f"There is no manifest at {staged}.")
        if self.exists(target):
            raise ConcurrentModification(f"The version {version} exists already.")
        with tempfile.TemporaryDirectory() as folder:
            copy = f"{folder}/manifest"
            self._session.download_file(staged, copy)
            self._session.upload_file(copy, target)
        self._session.delete_file(staged)

    def delete(self, versions: Iterable[VersionFile]) -> None:
        """See DiskVersions.delete."""
        for one in versions:
            if self.exists(one.name):
                self._session.delete_file(one.name)


def _described(version: int, name: str, stat: os.stat_result) -> VersionFile:
    tag = f'"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{stat.st_size:x}"'
    return VersionFile(version, f"{FOLDER}/{name}", stat.st_size, stat.st_mtime_ns // 1_000_000, tag)
