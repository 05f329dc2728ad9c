"""Tables of the root namespace as directories, independent of the manifest.

`<root>/<name>.lance` is a table when there is a file anywhere below it and no `.lance-deregistered` directly in it.
`.lance-reserved` is such a file: it declares a table without data.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path as FilePath

from reference_server.lance.catalog.entries import Path
from reference_server.lance.catalog.folder_names import FolderNames

SUFFIX = ".lance"
RESERVED = ".lance-reserved"
DEREGISTERED = ".lance-deregistered"
MARKER = b"reserved"


class RootTables:
    """Directories directly below the root that are tables."""

    def __init__(self, root: FilePath, in_doubt: FilePath) -> None:
        self._root = root
        self._in_doubt = in_doubt
        self._names = FolderNames(root, _table_name)

    def location(self, name: str) -> str:
        """Return the location of a root table, relative to the root."""
        return name + SUFFIX

    def is_own(self, path: Path, location: str) -> bool:
        """Return whether a table of this path has the location of its root name."""
        return len(path) == 1 and location == self.location(path[-1])

    def exists(self, name: str) -> bool:
        """Return whether the directory is a table."""
        path = self._root / self.location(name)
        return not (path / DEREGISTERED).exists() and _has_file(path)

    def is_hidden(self, name: str) -> bool:
        """Return whether a deregistered directory has this name."""
        return (self._root / self.location(name) / DEREGISTERED).exists()

    def is_free(self, name: str) -> bool:
        """Return whether a directory of this name can be made: it is missing or empty."""
        path = self._root / self.location(name)
        return not path.exists() or (path.is_dir() and not _has_file(path))

    def hide(self, name: str) -> None:
        """Mark a directory as deregistered; its data stay. A missing directory is ignored."""
        with contextlib.suppress(FileNotFoundError):
            (self._root / self.location(name) / DEREGISTERED).write_bytes(MARKER)

    def show(self, name: str) -> None:
        """Remove the mark of a deregistered directory."""
        (self._root / self.location(name) / DEREGISTERED).unlink(missing_ok=True)

    def reserve(self, location: str) -> None:
        """Mark a location as reserved for a declared table."""
        path = self._root / location
        path.mkdir(parents=True, exist_ok=True)
        (path / RESERVED).write_bytes(MARKER)

    def doubt(self, name: str) -> None:
        """Note that a name and its directory are about to change, one after the other."""
        self._in_doubt.mkdir(parents=True, exist_ok=True)
        (self._in_doubt / name).touch()

    def decide(self, name: str) -> None:
        """Note that a name and its directory agree again."""
        (self._in_doubt / name).unlink(missing_ok=True)

    def in_doubt(self) -> list[str]:
        """Return the names whose change a killed server did not finish."""
        return [path.name for path in self._in_doubt.glob("*")]

    def names(self) -> Sequence[str]:
        """Return the names of all directories that may be tables, sorted; the caller must check each."""
        return self._names.listing().items


def _table_name(name: str) -> str | None:
    return name.removesuffix(SUFFIX) if name.endswith(SUFFIX) else None


def _has_file(path: FilePath) -> bool:
    return any(files for _, _, files in os.walk(path, onerror=_tell))


def _tell(error: OSError) -> None:
    """Raise an error of a walk, except for a missing folder: a lack of descriptors does not mean a missing table."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError):
        raise error
