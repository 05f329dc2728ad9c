"""Files of a dataset's versions, on disk or in memory. Names are relative to the dataset."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.folder_names import FolderListing, FolderNames
from reference_server.lance.catalog.version_names import FOLDER, version_of

TRANSACTIONS = "_transactions"
UNFINISHED = ".unfinished"


class VersionName(NamedTuple):
    """A version, and the name of its manifest in the folder of versions."""

    version: int
    file: str

    @property
    def name(self) -> str:
        """The name of the manifest, relative to the dataset."""
        return f"{FOLDER}/{self.file}"


class Described(NamedTuple):
    """Attributes of a manifest's file, None for unknown ones."""

    size: int | None = None
    millis: int | None = None
    e_tag: str | None = None


class DiskFiles:
    """Files of a dataset in a directory. A hard link moves a file to its place, unless the place is taken."""

    def __init__(self, address: str, versions: FolderNames[VersionName]) -> None:
        self._dataset = Path(address)
        self._versions = versions

    def listing(self) -> FolderListing[VersionName]:
        """Return the names in the folder of versions, and the versions, oldest first."""
        return self._versions.listing()

    def described(self, versions: Sequence[VersionName]) -> list[Described]:
        """Return the attributes of versions' manifests, unknown ones for a missing file."""
        return [self._described(version) for version in versions]

    def _described(self, version: VersionName) -> Described:
        try:
            stat = (self._dataset / version.name).stat()
        except FileNotFoundError:
            return Described()
        e_tag = f'"{stat.st_ino:x}-{stat.st_mtime_ns:x}-{stat.st_size:x}"'
        return Described(stat.st_size, stat.st_mtime_ns // 1_000_000, e_tag)

    def transactions(self) -> list[str]:
        """Return the names of the files of transactions."""
        return [path.name for path in (self._dataset / TRANSACTIONS).glob("*.txn")]

    def exists(self, name: str) -> bool:
        """Return whether a file of this name exists."""
        return (self._dataset / name).is_file()

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        return (self._dataset / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write a file atomically: no reader ever sees half of it."""
        unfinished = self._dataset / (name + UNFINISHED)
        unfinished.write_bytes(content)
        unfinished.replace(self._dataset / name)

    def claim(self, source: str, target: str) -> bool:
        """Make the target the same file as the source; return False when the target is another file.

        A missing source was moved to its target before. Raises InvalidInput when both are missing.
        """
        source_path, target_path = self._dataset / source, self._dataset / target
        try:
            os.link(source_path, target_path)
        except FileExistsError:
            return target_path.samefile(source_path)
        except FileNotFoundError:
            if not target_path.exists():
                raise InvalidInput(f"There is no manifest at {source}.") from None
        return True

    def delete(self, name: str) -> None:
        """Delete a file; a missing one is ignored."""
        (self._dataset / name).unlink(missing_ok=True)


class MemoryFiles:
    """Files of a dataset in memory, through pylance's own sessions. One server owns all of them."""

    def __init__(self, address: str) -> None:
        from lance.file import LanceFileSession  # noqa: PLC0415 - slow to import

        self._address = address
        self._session: Any = LanceFileSession(address)

    def listing(self) -> FolderListing[VersionName]:
        """Return the names in the folder of versions, and the versions, oldest first."""
        names = frozenset(path.rpartition("/")[2] for path in self._session.list(FOLDER))
        return FolderListing(names, sorted(version for name in names if (version := version_name(name)) is not None))

    def described(self, versions: Sequence[VersionName]) -> list[Described]:
        """Return the times of versions, which only Lance knows; see DiskFiles.described."""
        times = self._times()
        return [Described(millis=times.get(version.version)) for version in versions]

    def _times(self) -> dict[int, int]:
        import lance  # noqa: PLC0415 - slow to import

        try:
            versions: list[Any] = lance.dataset(self._address).versions()
        except (OSError, ValueError):
            return {}
        return {version["version"]: int(version["timestamp"].timestamp() * 1000) for version in versions}

    def transactions(self) -> list[str]:
        """Return the names of the files of transactions."""
        return list(self._session.list(TRANSACTIONS))

    def exists(self, name: str) -> bool:
        """Return whether a file of this name exists."""
        return bool(self._session.contains(name))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            self._session.download_file(name, str(copy))
            return copy.read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            copy.write_bytes(content)
            self._session.upload_file(str(copy), name)

    def claim(self, source: str, target: str) -> bool:
        """Copy a staged manifest to its place; return False when the place has another file. Raises InvalidInput."""
        if self.exists(target):
            return not self.exists(source)
        if not self.exists(source):
            raise InvalidInput(f"There is no manifest at {source}.")
        self.write(target, self.read(source))
        return True

    def delete(self, name: str) -> None:
        """Delete a file; a missing one is ignored."""
        if self.exists(name):
            self._session.delete_file(name)


def version_name(file: str) -> VersionName | None:
    """Return the version whose manifest a file in the folder of versions is, None for another file."""
    version = version_of(file)
    return None if version is None else VersionName(version, file)
