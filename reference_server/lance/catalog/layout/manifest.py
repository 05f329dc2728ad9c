"""Manifest table as a storage of entries: cached in memory, and validated against the table's version.

Our own servers take turns through a lock file; pylance rewrites the table with every change of its own, which conflicts
with a commit in progress and makes the server read again. Own writes are known without reading them; of other writers'
changes only the difference is read.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

from sortedcontainers import SortedDict

from reference_server.errors import ServiceUnavailable
from reference_server.lance.catalog.entries import Entry, Table
from reference_server.lance.catalog.keys import place_of
from reference_server.lance.catalog.layout.manifest_table import ManifestTable, ReadRows, is_rearranged
from reference_server.lance.catalog.layout.rows import ManifestRow, entry_of, key_of, object_id, row_of
from reference_server.lance.catalog.layout.upkeep import Upkeep
from reference_server.storage import Commit, CommitConflict, is_conflict, scanned_keys
from reference_server.storage.caches import RefreshPerTick
from reference_server.storage.group_commit import GroupCommitter
from reference_server.storage.places import PLACES, place_key

Written = tuple[Commit[Entry], Callable[[], None] | None]  # a commit, and an action right after it is written
PATIENCE = 30.0  # seconds of other writers' turns before a commit fails
SHORTEST_PAUSE, LONGEST_PAUSE = 0.001, 0.05


class ManifestStorage:
    """Storage of the manifest table's rows; see Storage.

    That a table has data is remembered until another process changes its row.
    """

    def __init__(self, root: Path, lock: Path) -> None:
        self._table = ManifestTable(root)
        self._lock_path = lock
        self._mutex = threading.RLock()
        self._entries: SortedDict = SortedDict()
        self._read = ReadRows()
        self._before: dict[bytes, Entry | None] = {}  # values before own writes since the rows were read
        self._version = 0
        self._current, self._next = "", ""
        self._changes = 0
        self._metadata: dict[str, str] = {}
        self._committer = GroupCommitter(self._write, "manifest-writer")
        self._refresh = RefreshPerTick(self._take_newest)
        self._upkeep = Upkeep(self._table, self._our_turn)

    # Reading

    def get(self, key: bytes) -> Entry | None:
        """Return the entry of a key in the newest version of the table, or None."""
        with self._mutex:
            self._refresh()
            return self.held(key)

    def held(self, key: bytes) -> Entry | None:
        """Return an entry like `get`, for a caller that holds `_mutex`, without looking for a newer version."""
        entry: Entry | None = self._entries.get(key)
        return entry

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, Entry]]:
        """Return the entries in a range of keys, in order; see Storage.scan."""
        with self._mutex:
            self._refresh()
            return [(key, self._entries[key]) for key in islice(scanned_keys(self._entries, prefix, after), limit)]

    def version(self) -> int:
        """Return a number that changes with every change of the entries."""
        with self._mutex:
            self._refresh()
            return self._changes

    def table_metadata(self) -> Mapping[str, str]:
        """Return the metadata of the table itself, empty when there is no table."""
        with self._mutex:
            self._refresh()
            return self._metadata

    def _take_newest(self) -> None:
        """Update the entries to the newest version of the table. The caller holds `_mutex`."""
        if not self._is_newest():
            self._load()

    def _is_newest(self) -> bool:
        """Return whether the known version of the table is the newest."""
        if not self._version:
            return not self._table.exists()
        exists = os.path.exists  # a Path takes several times as long
        return exists(self._current) and not exists(self._next)

    def _load(self) -> None:
        """Load the newest version of the table."""
        if not self._table.exists():
            self._take_difference(self._read.forget(), ())
            self._metadata, self._version = {}, 0
            return
        dataset = self._table.open()
        metadata = dict(dataset.metadata)
        if not self._version or metadata != self._metadata or not is_rearranged(dataset, self._version):
            self._take_difference(*self._read.difference(dataset))
            self._metadata = metadata
        self._remember(dataset.version)
        self._upkeep.note_change()

    def _take_difference(self, gone: Iterable[ManifestRow], arrived: Iterable[ManifestRow]) -> None:
        """Apply a difference of rows to the entries, after undoing own writes since the last load."""
        self._take_over(self._before)
        self._before.clear()
        self._take_over({key: None for row in gone if (key := key_of(row)) is not None})
        self._take_over({key: entry_of(row) for row in arrived if (key := key_of(row)) is not None})
        self._changes += 1

    def _remember(self, version: int) -> None:
        self._version = version
        self._current, self._next = map(str, self._table.files(version))

    # Writing

    async def commit(
        self,
        expected: Mapping[bytes, Entry | None],
        writes: Mapping[bytes, Entry | None],
        empty: Sequence[bytes] = (),
        then: Callable[[], None] | None = None,
    ) -> None:
        """Commit entries; see Storage.commit. Raises ServiceUnavailable when other writers keep the lock.

        `then` is called in the writer's thread before the next commit; its errors are raised here.
        """
        await self._committer.commit((Commit(expected, writes, empty), then))

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Set metadata of the table itself, and create the table if it is missing."""
        with self._our_turn():
            if not self._table.exists():
                self._table.create()
            dataset = self._table.open()
            if not values.items() <= dict(dataset.metadata).items():
                dataset.update_metadata(dict(values))

    def close(self) -> None:
        """Finish the waiting commits."""
        self._committer.close()
        self._upkeep.close()

    def _write(self, batch: list[Written]) -> list[Exception | None]:
        outcomes = self._write_rows([commit for commit, _ in batch])
        return [outcome or _outcome(then) for outcome, (_, then) in zip(outcomes, batch, strict=True)]

    def _write_rows(self, batch: list[Commit[Entry]]) -> list[Exception | None]:
        last = time.monotonic() + PATIENCE
        with self._our_turn():
            while time.monotonic() < last:
                with self._mutex:
                    self._refresh()
                    staged = _Staged(self)
                    outcomes = [staged.apply(commit) for commit in batch]
                    before = self._version
                if not staged.rows:
                    self._apply(staged, before, before)
                    return outcomes
                try:
                    version = self._merge(staged.rows)
                except OSError as error:
                    if not _is_contention(error):
                        raise
                    time.sleep(random.uniform(0, LONGEST_PAUSE))  # noqa: S311 - a pause is no secret
                    continue
                self._apply(staged, before, version)
                return outcomes
        raise ServiceUnavailable("Others keep rewriting the manifest table; try again.")

    @contextlib.contextmanager
    def _our_turn(self) -> Iterator[None]:
        """Lock out other servers. Raises ServiceUnavailable when another one keeps the lock for too long."""
        last, pause = time.monotonic() + PATIENCE, SHORTEST_PAUSE
        with self._lock_path.open("w") as lock:
            while not _is_locked(lock):
                if time.monotonic() > last:
                    raise ServiceUnavailable(f"Another process has kept the manifest table for {PATIENCE:.0f} s.")
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            yield

    def _merge(self, rows: Mapping[bytes, ManifestRow | None]) -> int:
        """Write rows, None for deleted ones, in one version of the table and return the version."""
        removed = [object_id(key) for key, row in rows.items() if row is None]
        version, fragments = self._table.merge([row for row in rows.values() if row is not None], removed)
        self._upkeep.note_change(fragments)
        return version

    def _apply(self, staged: _Staged, before: int, version: int) -> None:
        """Apply written entries, unless another process has written in between."""
        with self._mutex:
            if self._version == before and version <= before + 1:
                for key in staged.rows:
                    self._before.setdefault(key, self._entries.get(key))
                self._take_over(staged.entries)
                if version != before:
                    self._remember(version)
            else:
                self._load()
                known = {key: entry for key, entry in staged.entries.items() if self._entries.get(key) == entry}
                self._take_over(known)  # no row tells whether a table has data
            self._changes += 1

    def _take_over(self, entries: Mapping[bytes, Entry | None]) -> None:
        """Apply entries, and the places that follow from tables."""
        for key, entry in entries.items():
            before = self._entries.pop(key, None)
            if isinstance(before, Table):
                self._entries.pop(place_key(place_of(before.location), key), None)
            if entry is not None:
                self._entries[key] = entry
            if isinstance(entry, Table):
                self._entries[place_key(place_of(entry.location), key)] = {}


class _Staged:
    """Entries with the unwritten commits of a batch applied, and the rows to write."""

    def __init__(self, storage: ManifestStorage) -> None:
        self._storage = storage
        self.entries: SortedDict = SortedDict()
        self.rows: dict[bytes, ManifestRow | None] = {}

    def get(self, key: bytes) -> Entry | None:
        return self.entries[key] if key in self.entries else self._storage.held(key)

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, Entry]]:
        entries: dict[bytes, Entry | None] = dict(self._storage.scan(prefix, after))
        entries.update({key: self.entries[key] for key in scanned_keys(self.entries, prefix, after)})
        return [(key, entry) for key, entry in sorted(entries.items()) if entry is not None][:limit]

    def apply(self, commit: Commit[Entry]) -> Exception | None:
        """Stage a commit, or return its conflict."""
        if is_conflict(self, commit.expected, commit.writes, commit.empty):
            return CommitConflict()
        for key, entry in commit.writes.items():
            if entry != self.get(key) and not key.startswith(PLACES):  # places follow from the rows of tables
                self.rows[key] = None if entry is None else row_of(key, entry)
            self.entries[key] = entry
        return None


def _outcome(then: Callable[[], None] | None) -> Exception | None:
    try:
        if then is not None:
            then()
    except Exception as error:  # only its own caller gets the error
        return error
    return None


def _is_locked(file: TextIO) -> bool:
    """Lock a file unless another process has locked it, and return whether it is locked by this one now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_contention(error: OSError) -> bool:
    """Return whether an error means that another process committed to the table at the same time."""
    text = str(error)
    return any(word in text for word in ("concurrent", "conflict", "already exists"))
