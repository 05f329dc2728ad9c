"""The manifest table as a storage: rows are kept in memory, and checked against the table's version.

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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortedcontainers import SortedDict

from reference_server.errors import ServiceUnavailable
from reference_server.lance.catalog.layout.rows import Row, body_of, flag, is_table, key_of, row_of
from reference_server.storage import Commit, CommitConflict, after_prefix, is_conflict
from reference_server.storage.group_commit import GroupCommitter

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "__manifest"
PRIMARY_KEY = {"lance-schema:unenforced-primary-key:position": "0"}
NEWEST = 2**64 - 1
PATIENCE = 30.0  # seconds of others' turns before we give up
LONGEST_PAUSE = 0.05
MOST_FRAGMENTS = 64
KEPT_FOR = timedelta(days=1)


class ManifestStorage:
    """See Storage. Values of tables start with whether data were seen at their location."""

    def __init__(self, root: Path, lock: Path) -> None:
        self._path = root / TABLE
        self._versions = self._path / "_versions"
        self._lock_path = lock
        self._mutex = threading.RLock()
        self._rows: SortedDict = SortedDict()
        self._version = 0
        self._current, self._next = Path(), Path()
        self._created: set[str] = set()
        self._changes = 0
        self.metadata: dict[str, str] = {}
        self._committer = GroupCommitter(self._write, "manifest-writer")

    # Reading

    def get(self, key: bytes) -> bytes | None:
        """See Storage.get."""
        with self._fresh():
            row = self._rows.get(key)
            return None if row is None else self._value(key, row)

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, bytes]]:
        """See Storage.scan."""
        with self._fresh():
            return self._scan(prefix, after, limit)

    def version(self) -> tuple[int, int]:
        """See Storage.version."""
        with self._fresh():
            return self._version, self._changes

    def _scan(self, prefix: bytes, after: bytes | None, limit: int | None) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        start, inclusive = (prefix, True) if after is None or after < prefix else (after, False)
        for key in self._rows.irange(start, after_prefix(prefix), inclusive=(inclusive, False)):
            if limit is not None and len(found) == limit:
                break
            found.append((key, self._value(key, self._rows[key])))
        return found

    def _value(self, key: bytes, row: Row) -> bytes:
        body = body_of(row)
        return flag(created=row.location in self._created) + body if is_table(key) else body

    @contextlib.contextmanager
    def _fresh(self) -> Iterator[None]:
        """Hold the rows still, as they are in the newest version of the table."""
        with self._mutex:
            if not self._is_newest():
                self._load()
            yield

    def _is_newest(self) -> bool:
        if not self._version:
            return not self._versions.exists()
        return self._current.exists() and not self._next.exists()

    def _load(self) -> None:
        self._rows.clear()
        self._created.clear()
        self._version = 0
        self._changes += 1
        self.metadata = {}
        if not self._versions.exists():
            return
        dataset = self._open()
        columns = dataset.to_table(columns=list(Row._fields)).to_pydict()
        for values in zip(*(columns[name] for name in Row._fields), strict=True):
            row = Row(*values)
            key = key_of(row)
            if key is not None:
                self._rows[key] = row
        self.metadata = dict(dataset.metadata)
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
        expected: Mapping[bytes, bytes | None],
        writes: Mapping[bytes, bytes | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """See Storage.commit. Raises ServiceUnavailable when others leave us no turn."""
        await self._committer.commit(Commit(expected, writes, empty))

    def set_metadata(self, values: Mapping[str, str]) -> None:
        """Set metadata of the table itself, making the table if there is none."""
        with self._our_turn():
            if not self._versions.exists():
                self._create()
            if not values.items() <= dict(self._open().metadata).items():
                self._open().update_metadata(dict(values))

    def close(self) -> None:
        """Finish what waits."""
        self._committer.close()

    def _write(self, batch: list[Commit[bytes]]) -> list[Exception | None]:
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
        """Take over what was written, unless somebody else wrote something between."""
        with self._mutex:
            if version is not None and version == before + 1 and self._version == before:
                for key, row in staged.rows.items():
                    if row is None:
                        self._rows.pop(key, None)
                    else:
                        self._rows[key] = row
                self._remember(version)
            elif version is not None and self._version != version:
                self._load()
            self._changes += 1
            self._created.update(location for location, created in staged.created.items() if created)
            self._created.difference_update(location for location, created in staged.created.items() if not created)

    def _merge(self, rows: Mapping[bytes, Row | None]) -> int:
        """Write rows, None for those to delete, in one version of the table and return it."""
        if not self._versions.exists():
            self._create()
        dataset = self._open()
        written = [row for row in rows.values() if row is not None]
        gone = [row_of(key, self._placeholder(key)).object_id for key, row in rows.items() if row is None]
        builder = dataset.merge_insert("object_id").when_matched_update_all().when_not_matched_insert_all()
        if gone:
            ids = ", ".join("'" + name.replace("'", "''") + "'" for name in gone)
            builder = builder.when_not_matched_by_source_delete(f"object_id IN ({ids})")
        builder.conflict_retries(0).execute(_arrow(written))
        version: int = dataset.version
        if len(dataset.get_fragments()) > MOST_FRAGMENTS:
            version = _tidy(dataset)
        return version

    def _placeholder(self, key: bytes) -> bytes:
        return flag(created=False) + b'{"location":"","properties":{}}' if is_table(key) else b"{}"

    def _create(self) -> None:
        import lance  # noqa: PLC0415

        with contextlib.suppress(OSError):  # somebody else was quicker
            lance.write_dataset(_empty_manifest(), str(self._path), mode="create", data_storage_version="2.2")


class _Staged:
    """The storage with commits of a batch applied that are not written yet."""

    def __init__(self, storage: ManifestStorage) -> None:
        self._storage = storage
        self._values: dict[bytes, bytes | None] = {}
        self.rows: dict[bytes, Row | None] = {}
        self.created: dict[str, bool] = {}

    def get(self, key: bytes) -> bytes | None:
        value = self._values[key] if key in self._values else self._storage.get(key)
        return _without_flag(key, value)

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, bytes]]:
        found = dict(self._storage.scan(prefix, after))
        end = after_prefix(prefix)
        found.update({key: value or b"" for key, value in self._values.items() if prefix <= key < end})
        kept = [(key, value) for key, value in sorted(found.items()) if self._values.get(key, b"") is not None]
        return kept if limit is None else kept[:limit]

    def apply(self, commit: Commit[bytes]) -> Exception | None:
        """Stage a commit, or return the conflict that it has."""
        expected = {key: _without_flag(key, value) for key, value in commit.expected.items()}
        if is_conflict(self, expected, commit.writes, commit.empty):
            return CommitConflict()
        for key, value in commit.writes.items():
            row = None if value is None else row_of(key, value)
            if value is not None and row is not None and is_table(key):
                self.created[row.location or ""] = value[:1] == flag(created=True)
            if _without_flag(key, value) != self.get(key):
                self.rows[key] = row
            self._values[key] = value
        return None


def _without_flag(key: bytes, value: bytes | None) -> bytes | None:
    return value[1:] if value is not None and is_table(key) else value


def _is_contention(error: OSError) -> bool:
    """True when somebody else committed to the table at the same time."""
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
