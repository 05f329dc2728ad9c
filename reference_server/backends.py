"""Where a server keeps its state and its data: the values of `--storage`.

memory        state in memory; data below a temporary directory that other processes can open
memory:pure   state and data in memory; no other process can open the data; for APIs
              whose clients read files themselves it is the same as memory
dir:PATH      state and data below PATH, durable
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from reference_server.storage import Storage
from reference_server.storage.directory import DirectoryStorage
from reference_server.storage.memory import MemoryStorage
from specs.problems import Problem

DIRECTORY_PREFIX = "dir:"
OWN_FOLDER = ".lakeproof"
FILE_NAME = "state.sqlite"


@dataclass(slots=True)
class Backend:
    """An open backend of one API: its storage and the root URI of its data, a path or a scheme.

    `durable` says that the data root outlives the server.
    """

    storage: Storage[bytes]
    data_root: str
    temporary: Path | None = None
    durable: bool = False

    def close(self) -> None:
        """Close the storage and remove what was temporary."""
        self.storage.close()
        if self.temporary:
            shutil.rmtree(self.temporary, ignore_errors=True)


def open_backend(text: str, api: str, *, needs_files: bool = False) -> Backend:
    """Open the backend that a `--storage` value names, for one API, whose clients may need files.

    Raises Problem for an unknown value and for a directory that cannot be written.
    """
    if text == "memory:pure" and not needs_files:
        return Backend(MemoryStorage(), f"shared-memory://lakeproof-{secrets.token_hex(6)}")
    if text in ("memory", "memory:pure"):
        root = Path(tempfile.mkdtemp(prefix="lakeproof-"))
        return Backend(MemoryStorage(), str(root), root)
    path = text.removeprefix(DIRECTORY_PREFIX)
    if path == text or not path:
        raise Problem(f"There is no storage {text!r}.", "Use `memory`, `memory:pure` or `dir:PATH`.")
    root = Path(path).expanduser().resolve() / api
    storage = DirectoryStorage(root / OWN_FOLDER / FILE_NAME)
    return Backend(storage, str(root), durable=True)
