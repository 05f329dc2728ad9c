"""Deletion of data: atomic, and completed by the next server when a server is killed.

A directory is moved away in one step and deleted afterwards, so no reader sees half of one. The next server deletes
the remains of a killed server.

Data without a table are noted before they are written, and before their table is dropped. A request notes them in a
file, a location a line, and locks the file meanwhile: an unlocked file belongs to a killed server, and the next one
deletes the noted locations. A location that holds a table by then is not deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from reference_server.backends import OWN_FOLDER
from reference_server.lance.catalog.entries import Entry
from reference_server.lance.catalog.keys import place_of
from reference_server.storage import Storage, pack
from reference_server.storage.places import LIES_AT

REMOVED = "removed"
UNFINISHED = "unfinished"
Note = Callable[[str], None]


def remove_tree(root: Path, location: str) -> None:
    """Delete the directory at a location below a root; a missing one is ignored."""
    removed = root / OWN_FOLDER / REMOVED
    removed.mkdir(parents=True, exist_ok=True)
    moved = removed / secrets.token_hex(8)
    with contextlib.suppress(FileNotFoundError):
        (root / location).rename(moved)
        shutil.rmtree(moved, ignore_errors=True)


def clear_removed(root: Path) -> None:
    """Delete the directories that a killed server moved away."""
    shutil.rmtree(root / OWN_FOLDER / REMOVED, ignore_errors=True)


@contextlib.contextmanager
def unfinished(root: Path) -> Iterator[Note]:
    """Yield a function that notes a location for the duration of a `with` block."""
    file = root / OWN_FOLDER / UNFINISHED / secrets.token_hex(8)
    with contextlib.ExitStack() as noted:
        opened = None

        def note(location: str) -> None:
            nonlocal opened
            if opened is None:
                file.parent.mkdir(parents=True, exist_ok=True)
                opened = noted.enter_context(file.open("w"))
                noted.callback(file.unlink, missing_ok=True)
                fcntl.flock(opened, fcntl.LOCK_EX)
            opened.write(f"{location}\n")
            opened.flush()

        yield note


def take_back(root: Path, entries: Storage[Entry]) -> None:
    """Delete data at locations that killed servers noted, unless a table lies there."""
    for file in (root / OWN_FOLDER / UNFINISHED).glob("*"):
        with file.open() as noted, contextlib.suppress(BlockingIOError):
            fcntl.flock(noted, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for location in noted.read().splitlines():
                if not entries.scan(pack(LIES_AT, *place_of(location)), limit=1):
                    remove_tree(root, location)
            file.unlink(missing_ok=True)
