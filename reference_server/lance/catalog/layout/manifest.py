"""The manifest table as a storage of entries: they are kept in memory, and checked against the table's version.

A commit is one merge-insert on `object_id`, which inserts, updates and deletes in one version of the
table. Our own servers take turns by a lock file; pylance rewrites the table with every change of its
own, which contradicts a merge-insert that is under way and makes us look again.

Only the columns that we know are written: what others added to the table stays as it is.
"""

from __future__ import annotations

import contextlib
import fcntl
import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortedcontainers import SortedDict

from reference_server.errors import ServiceUnavailable
from reference_server.lance.catalog.entries import Entry
from reference_server.lance.catalog.layout.rows import Row, entry_of, key_of, object_id, row_of
from reference_server.storage import Commit, CommitConflict, after_prefix, is_conflict
from reference_server.storage.group_commit import GroupCommitter

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "__manifest"
PRIMARY_KEY = {"lance-schema:unenforced-primary-key:position": "0"}
NEWEST = 2**64 - 1
PATIENCE = 30.0  # seconds of other writers' turns before we give up
LONGEST_PAUSE = 0.05
MOST_FRAGMENTS = 64
KEPT_FOR = timedelta(days=1)


class ManifestStorage:
    """See Storage. Whether a table's data were seen is remembered until another process changes the manifest."""

    def __init__(self, root: Path, lock: Path) -> None:
        self._path = root / TABLE
        self._versions = self._path / "_versions"
        self._lock_path = lock
        self._mutex = threading.RLock()
        self._entries: SortedDict = SortedDict()
        self._version = 0
        self._current, self._next = Path(), Path()
        self._changes = 0
        self._metadata: dict[str, str] = {}
        self._committer = GroupCommitter(self._write, "manifest-writer")

    # Reading

    def get(self, key: bytes) -> Entry | None:
        """See Storage.get."""
        with self._fresh():
            entry: Entry | None = self._entries.get(key)
            return entry

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, Entry]]:
        """See Storage.scan."""
        start, inclusive = (prefix, True) if after is None or after < prefix else (after, False)
        with self._fresh():
            keys = self._entries.irange(start, after_prefix(prefix), inclusive=(inclusive, False))
            return [(key, self._entries[key]) for key in islice(keys, limit)]

    def version(self) -> tuple[int, int]:
        """See Storage.version."""
        with self._fresh():
            return self._version, self._changes

    def table_metadata(self) -> Mapping[str, str]:
        """Return the metadata of the table itself, nothing when there is no table."""
        with self._fresh():
            return self._metadata

    @contextlib.contextmanager
    def _fresh(self) -> Iterator[None]:
        """Hold the entries still, as they are in the newest version of the table."""
        with self._mutex:
            if not self._is_newest():
                self._load()
            yield

    def _is_newest(self) -> bool:
        if not self._version:
            return not self._versions.exists()
        return self._current.exists() and not self._next.exists()

    def _load(self) -> None:
        self._entries.clear()
        self._version = 0
        self._changes += 1
        self._metadata = {}
        if not self._versions.exists():
            return
        dataset = self._open()
        columns = dataset.to_table(columns=list(Row._fields)).to_pydict()
        for values in zip(*(columns[name] for name in Row._fields), strict=True):
            row = Row(*values)
            key = key_of(row)
            if key is not None:
                self._entries[key] = entry_of(row)
        self._metadata = dict(dataset.metadata)
        self._remember(dataset.version)

    def _remember(self, version: int) -> None:
        """Note the version that the rows are of, and where the next one would be."""
        self._version = version
        inverted = self._versions / f"{NEWEST - version:020}.manifest"
        v2 = inverted.exists()
        self._current = inverted if v2 else self._versions / f"{version}.manifest"
        following = f"{NEWEST - version - 1:020}" if v2 else f"{version + 1}"
        self._next = self._versions / f"{following}.manifest"

    def _open(self) -> Any:
        import lance  # noqa: PLC0415 - slow to import

        return lance.dataset(str(self._path))

    # Writing

    async def commit(
        self,
        expected: Mapping[bytes, Entry | None],
        writes: Mapping[bytes, Entry | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """See Storage.commit. Raises ServiceUnavailable when other writers keep the lock."""
        await self._committer.commit(Commit(expected, writes, empty))

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Set metadata of the table itself, making the table if there is none."""
        with self._our_turn():
            if not self._versions.exists():
                self._create()
            if not values.items() <= dict(self._open().metadata).items():
                self._open().update_metadata(dict(values))

    def close(self) -> None:
        """Finish the waiting commits."""
        self._committer.close()

    def _write(self, batch: list[Commit[Entry]]) -> list[Exception | None]:
        last = time.monotonic() + PATIENCE
        with self._our_turn():
            while time.monotonic() < last:
                with self._fresh():
                    staged = _Staged(self)
                    outcomes = [staged.apply(commit) for commit in batch]
                    before = self._version
                if not staged.rows:
                    self._apply(staged, before)
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
        with self._lock_path.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _apply(self, staged: _Staged, before: int, version: int | None = None) -> None:
        """Take over what was written, unless another process has written in between."""
        written = before if version is None else version
        with self._mutex:
            if self._version == before and written <= before + 1:
                self._take_over(staged.entries)
                if version is not None:
                    self._remember(version)
            else:
                self._load()
                known = {key: entry for key, entry in staged.entries.items() if self._entries.get(key) == entry}
                self._take_over(known)  # whether a table has data is in no row
            self._changes += 1

    def _take_over(self, entries: Mapping[bytes, Entry | None]) -> None:
        for key, entry in entries.items():
            if entry is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = entry

    def _merge(self, rows: Mapping[bytes, Row | None]) -> int:
        """Write rows, None for those to delete, in one version of the table and return it."""
        if not self._versions.exists():
            self._create()
        dataset = self._open()
        written = [row for row in rows.values() if row is not None]
        removed = [object_id(key) for key, row in rows.items() if row is None]
        builder = dataset.merge_insert("object_id").when_matched_update_all().when_not_matched_insert_all()
        if removed:
            ids = ", ".join("'" + name.replace("'", "''") + "'" for name in removed)
            builder = builder.when_not_matched_by_source_delete(f"object_id IN ({ids})")
        builder.conflict_retries(0).execute(_arrow(written))
        version: int = dataset.version
        if len(dataset.get_fragments()) > MOST_FRAGMENTS:
            version = _tidy(dataset)
        return version

    def _create(self) -> None:
        import lance  # noqa: PLC0415

        with contextlib.suppress(OSError):  # another process was quicker
            lance.write_dataset(_empty_manifest(), str(self._path), mode="create", data_storage_version="2.2")


class _Staged:
    """The entries with commits of a batch applied that are not written yet, and the rows that are to be written."""

    def __init__(self, storage: ManifestStorage) -> None:
        self._storage = storage
        self.entries: dict[bytes, Entry | None] = {}
        self.rows: dict[bytes, Row | None] = {}

    def get(self, key: bytes) -> Entry | None:
        return self.entries[key] if key in self.entries else self._storage.get(key)

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, Entry]]:
        entries: dict[bytes, Entry | None] = dict(self._storage.scan(prefix, after))
        end = after_prefix(prefix)
        entries.update({key: entry for key, entry in self.entries.items() if prefix <= key < end})
        return [(key, entry) for key, entry in sorted(entries.items()) if entry is not None][:limit]

    def apply(self, commit: Commit[Entry]) -> Exception | None:
        """Stage a commit, or return the conflict that it has."""
        if is_conflict(self, commit.expected, commit.writes, commit.empty):
            return CommitConflict()
        for key, entry in commit.writes.items():
            if entry != self.get(key):
                self.rows[key] = None if entry is None else row_of(key, entry)
            self.entries[key] = entry
        return None


def _is_contention(error: OSError) -> bool:
    """True when another process committed to the table at the same time."""
    text = str(error)
    return any(word in text for word in ("concurrent", "conflict", "already exists"))


def _tidy(dataset: Any) -> int:
    """Merge the many small files of a table, forget what is older than a day, and return the new version."""
    dataset.optimize.compact_files()
    dataset.cleanup_old_versions(older_than=KEPT_FOR)
    version: int = dataset.version
    return version


def _arrow(rows: list[Row]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    arrays = [pa.array(list(column), pa.string()) for column in columns]
    return pa.Table.from_arrays(arrays, schema=_schema())


def _schema(*more: Any) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema(
        [
            pa.field("object_id", pa.string(), nullable=False, metadata=PRIMARY_KEY),
            pa.field("object_type", pa.string(), nullable=False),
            pa.field("location", pa.string()),
            pa.field("metadata", pa.string()),
            *more,
        ]
    )


def _empty_manifest() -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    return _schema(pa.field("base_objects", pa.list_(pa.field("object_id", pa.string())))).empty_table()
