"""Keeping the manifest table small, in the background: few fragments, and no version that nobody reads any more.

Every change makes a version and a fragment, which later changes and readers pay for. Both ways of making room are
commits and deletions as Lance makes them, so other writers of the table may be at work: a compaction that another
commit gets in the way of is given up and tried again after the next change. A version is removed `KEPT_FOR` after
another one took its place: who has opened it may read it for so long.
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
    """A thread that tidies up a manifest table after changes; `turn` keeps our own servers from writing meanwhile."""

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
        """Say that the table has a new version, and how many small fragments it has, if that is known."""
        self._crowded = self._crowded or small_fragments > MOST_FRAGMENTS
        self._changed.set()

    def close(self) -> None:
        """Finish what is under way."""
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
            except Exception as error:  # it is tried again after the next change
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
