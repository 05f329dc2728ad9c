"""Backends of a server's state and data: the values of `--storage`.

memory        state in memory; data below a temporary directory that other processes can open
memory:pure   state and data in memory; no other process can open the data; for APIs
              whose clients read files themselves it is the same as memory
dir:PATH      state and data below PATH, durable
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from reference_server.storage import Storage
from reference_server.storage.directory import DirectoryStorage
from reference_server.storage.memory import MemoryStorage
from specs.problems import Problem

MEMORY, DIRECTORY_PREFIX = "memory", "dir:"
OWN_FOLDER = ".lakeproof"
FILE_NAME = "state.sqlite"
TEMPORARY = "lakeproof-"
LOCK = f"{OWN_FOLDER}/temporary.lock"


class TemporaryFolder:
    """A new folder for the lifetime of a server. A locked file in it shows other servers that this one is running."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=TEMPORARY))
        lock = self.path / LOCK
        lock.parent.mkdir()
        self._locked = lock.with_suffix(".new").open("x")
        fcntl.flock(self._locked, fcntl.LOCK_EX)
        lock.with_suffix(".new").rename(lock)  # so that no server sees the folder without its lock

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._locked.close()


def remove_left_folders() -> None:
    """Remove the temporary folders of killed servers: owned by this user, with an unlocked lock file."""
    for folder in Path(tempfile.gettempdir()).glob(f"{TEMPORARY}*"):
        with contextlib.suppress(OSError):
            _remove_left(folder)


def _remove_left(folder: Path) -> None:
    """Remove a temporary folder. Raises OSError for a folder that is in use, not ours, or not a server's."""
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise NotADirectoryError(folder)
    with os.fdopen(os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(slots=True)
class Backend:
    """An open backend of one API: its storage and the root URI of its data, a path or a scheme.

    `durable`: the data root outlives the server. `folder` is removed with the backend.
    """

    storage: Storage[bytes]
    data_root: str
    temporary: TemporaryFolder | None = None
    durable: bool = False
    folder: Path | None = None

    def close(self) -> None:
        """Close the storage and remove temporary data."""
        self.storage.close()
        if self.temporary:
            self.temporary.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def tenant_backend(folder: Path) -> Backend:
    """Return the backend of a tenant: state in memory, data in a folder that is removed with it."""
    folder.mkdir(parents=True)
    return Backend(MemoryStorage(), str(folder), folder=folder)


def open_backend(text: str, api: str, *, needs_files: bool = False) -> Backend:
    """Open the backend that a `--storage` value names, for one API whose clients may need files.

    Raises Problem for an unknown value and for a directory that cannot be written.
    """
    if text == "memory:pure" and not needs_files:
        return Backend(MemoryStorage(), f"shared-memory://lakeproof-{secrets.token_hex(6)}")
    if text in (MEMORY, "memory:pure"):
        remove_left_folders()
        folder = TemporaryFolder()
        return Backend(MemoryStorage(), str(folder.path), folder)
    path = text.removeprefix(DIRECTORY_PREFIX)
    if path == text or not path:
        raise Problem(f"There is no storage {text!r}.", "Use `memory`, `memory:pure` or `dir:PATH`.")
    root = Path(path).expanduser().resolve() / api
    storage = DirectoryStorage(root / OWN_FOLDER / FILE_NAME)
    return Backend(storage, str(root), durable=True)
