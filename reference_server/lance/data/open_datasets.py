"""Cache of open datasets: a table is not read again while its newest version is the same.

A cached dataset is validated with every use: the folder of its versions must be unchanged. A new version reuses the
session's knowledge of files, as long as the known manifest is unchanged. Another table at the same place starts with a
new session: Lance identifies files in a session by names and versions alone.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from reference_server.lance.catalog.version_names import FOLDER, V1, V2, manifest_name

MOST = 32
NEW_SESSION = {"index_cache_size_bytes": 16 << 20, "metadata_cache_size_bytes": 8 << 20}
TICK = 20_000_000
"""Maximum lag of a file system's clock, in nanoseconds."""
FileId = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A dataset, and the folder of its versions and its manifest at the time it was opened."""

    number: int
    dataset: Any
    folder: FileId | None
    manifest: str
    file: FileId | None


class OpenDatasets:
    """The newest versions of at most MOST tables, those used last. Only this server changes tables `in_memory`."""

    def __init__(self, *, in_memory: bool) -> None:
        self._in_memory = in_memory
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._numbers = itertools.count()
        self._removals = 0
        self._lock = threading.Lock()

    def newest(self, address: str) -> Any:
        """Return the newest version of the table at an address, for reading only. Raises pylance's errors."""
        import lance  # noqa: PLC0415 - half a second that a server without data never spends

        kept = self._find(address)
        if kept is not None and self._is_newest(address, kept):
            return kept.dataset
        removals, started = self._removals, time.time_ns()
        folder = None if self._in_memory else _versions_of(address)
        is_same = kept is not None and (self._in_memory or _file_id(kept.manifest) == kept.file)
        dataset = lance.dataset(address, **({"session": kept.dataset.session()} if kept and is_same else NEW_SESSION))
        manifest, file = self._manifest(address, dataset.version)
        # A younger file may differ from the one that was read.
        if self._in_memory or _is_older(file, started):
            folder = folder if _is_older(folder, started) else None
            self._keep(address, _Kept(next(self._numbers), dataset, folder, manifest, file), removals)
        return dataset

    def watch(self, address: str) -> Callable[[], bool] | None:
        """Return a function that tells whether the table at an address is still the same; None when that is unknown.

        It is known when the newest version is open. Takes microseconds, like the returned function.
        """
        kept = self._find(address)
        if kept is None or not self._is_newest(address, kept):
            return None
        return partial(self._is_still, address, kept.number)

    def _is_still(self, address: str, number: int) -> bool:
        kept = self._find(address)
        return kept is not None and kept.number == number and self._is_newest(address, kept)

    def _is_newest(self, address: str, kept: _Kept) -> bool:
        if self._in_memory:
            return bool(kept.dataset.latest_version == kept.dataset.version)
        return kept.folder is not None and _versions_of(address) == kept.folder

    def forget(self, address: str) -> None:
        """Forget the table at an address with its branches, which are removed: a later table there is another one."""
        with self._lock:
            self._removals += 1
            for kept in [known for known in self._kept if known == address or known.startswith(f"{address}/")]:
                del self._kept[kept]

    def _find(self, address: str) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(address)
            if kept is not None:
                self._kept.move_to_end(address)
            return kept

    def _keep(self, address: str, kept: _Kept, removals: int) -> None:
        """Cache a dataset, unless any table was removed since it was opened: it may be that one."""
        with self._lock:
            if removals == self._removals:
                self._kept[address] = kept
                self._kept.move_to_end(address)
                if len(self._kept) > MOST:
                    self._kept.popitem(last=False)

    def _manifest(self, address: str, version: int) -> tuple[str, FileId | None]:
        """Return the path and the identity of a version's manifest."""
        if self._in_memory:
            return "", None
        path = f"{address}/{manifest_name(version, V2)}"
        file = _file_id(path)
        if file is None:
            path = f"{address}/{manifest_name(version, V1)}"
            file = _file_id(path)
        return path, file


def _versions_of(address: str) -> FileId | None:
    return _file_id(f"{address}/{FOLDER}")


def _file_id(path: str) -> FileId | None:
    """Return an identity of a file or folder that changes whenever it is replaced or changed, None if it is missing."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns, status.st_size


def _is_older(file: FileId | None, nanoseconds: int) -> bool:
    return file is not None and file[1] < nanoseconds - TICK
