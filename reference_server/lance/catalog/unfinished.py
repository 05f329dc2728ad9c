"""Data without a table: noted before they are written or their table goes, and deleted if the server is killed then.

A request notes them in a file, a location a line, which it keeps locked: only a file that nobody holds is one of a
killed server, and the next one deletes them. Where a table lies by then, nothing is deleted.
"""

from __future__ import annotations

import contextlib
import fcntl
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from reference_server.backends import OWN_FOLDER
from reference_server.lance.catalog.entries import Entry
from reference_server.lance.catalog.keys import place_of
from reference_server.lance.catalog.removal import remove_tree
from reference_server.storage import Storage, pack
from reference_server.storage.places import LIES_AT

UNFINISHED = "unfinished"
Note = Callable[[str], None]


@contextlib.contextmanager
def unfinished(root: Path) -> Iterator[Note]:
    """Yield what notes a location for the time of a `with` block."""
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
    """Delete what killed servers have noted, unless a table lies there."""
    for file in (root / OWN_FOLDER / UNFINISHED).glob("*"):
        with file.open() as noted, contextlib.suppress(BlockingIOError):
            fcntl.flock(noted, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for location in noted.read().splitlines():
                if not entries.scan(pack(LIES_AT, *place_of(location)), limit=1):
                    remove_tree(root, location)
            file.unlink(missing_ok=True)
