"""Background upkeep of the manifest table: merges small fragments and removes old versions.

Every change makes a version and a fragment, which slow down later changes and readers. Both ways of upkeep are commits
and deletions as Lance makes them, so other writers may work meanwhile: a compaction that conflicts with another commit
is abandoned and tried again after the next change. A version is removed `KEPT_FOR` after its successor was written:
readers have that long to read an opened version.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

from reference_server.lance.catalog.layout.manifest_table import ManifestTable

log = logging.getLogger("lakeproof.server")
MOST_FRAGMENTS = 16  # small ones
KEPT_FOR = timedelta(seconds=30)


class Upkeep:
    """Thread that tidies a manifest table after changes; `turn` locks out other servers meanwhile."""

    def __init__(self, table: ManifestTable, turn: Callable[[], AbstractContextManager[None]]) -> None:
        self._table = table
        self._turn = turn
        self._changed = threading.Event()
        self._crowded = False
        self._closed = False
        self._due: float | None = None
        self._thread = threading.Thread(target=self._run, name="manifest-upkeep", daemon=True)
        self._thread.start()

    def note_change(self, small_fragments: int = 0) -> None:
        """Note a new version of the table, and the number of its small fragments, if known."""
        self._crowded = self._crowded or small_fragments > MOST_FRAGMENTS
        self._changed.set()

    def close(self) -> None:
        """Finish the work in progress and stop."""
        self._closed = True
        self._changed.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._changed.wait(None if self._due is None else max(0.0, self._due - time.monotonic()))
            self._changed.clear()
            if self._closed:
                return
            try:
                self._tidy()
            except Exception as error:  # tried again after the next change
                log.info("the manifest table was not tidied up: %s", error)

    def _tidy(self) -> None:
        if self._crowded:
            self._crowded = False
            with self._turn():
                self._table.compact()
        if self._due is not None and time.monotonic() >= self._due:
            self._due = None
            self._table.remove_versions(KEPT_FOR)
        if self._due is None and self._table.count_versions() > 1:
            self._due = time.monotonic() + KEPT_FOR.total_seconds()
