"""Directory backend: SQLite in WAL mode, durable at every answer.

Reads use a connection of their own and see committed data. Their results are cached until the next commit of any
process. Only the event loop reads: overlapping reads of several threads would all see the state of the first. Commits
that wait for the disk at the same time are one transaction and share its fsync.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from reference_server.errors import ServiceUnavailable
from reference_server.storage import Commit, CommitConflict, after_prefix
from reference_server.storage.caches import RefreshPerTick, VersionedCache
from reference_server.storage.group_commit import GroupCommitter
from specs.problems import Problem

SCHEMA = "CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
BUSY_SECONDS = 30.0
MOST_BYTES = 16 << 20  # of values, and of rows, cached for one version
OBJECT_BYTES = 100  # memory of any object beside its content
Rows = Sequence[tuple[bytes, bytes]]


class DirectoryStorage:
    """A sorted map in a SQLite file. Several processes may share it."""

    def __init__(self, path: Path) -> None:
        """Open or create the file. Raises Problem for a directory that cannot be written."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer_connection = _connect(path)
            self._writer_connection.execute(SCHEMA)
            self._reader = _connect(path)
        except (sqlite3.Error, OSError) as error:
            raise Problem(
                f"{path.parent} cannot be used as a storage directory: {getattr(error, 'strerror', error)}.",
                "Give a directory that this user can write.",
            ) from None
        self._data_version = RefreshPerTick(partial(_data_version, self._reader))
        self._values = VersionedCache(self, partial(_get, self._reader), _size, MOST_BYTES)
        self._rows = VersionedCache(self, partial(_scan, self._reader), _size_of_rows, MOST_BYTES)
        self._committer = GroupCommitter(self._write, "storage-writer")

    def get(self, key: bytes) -> bytes | None:
        """Return the committed value of `key`, or None."""
        return self._values(key)

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> Rows:
        """Return pairs whose key starts with `prefix`, in key order; see Storage.scan."""
        return self._rows((prefix, after, limit))

    def version(self) -> int:
        """Return the version, which the commits of all processes change; see Storage.version."""
        return self._data_version()

    async def commit(
        self,
        expected: Mapping[bytes, bytes | None],
        writes: Mapping[bytes, bytes | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """Commit durably; see Storage.commit. Raises ServiceUnavailable for a failing disk."""
        await self._committer.commit(Commit(expected, writes, empty))

    def close(self) -> None:
        """Finish waiting commits, then close the file."""
        self._committer.close()
        self._reader.close()
        self._writer_connection.close()

    def _write(self, batch: list[Commit[bytes]]) -> list[Exception | None]:
        connection = self._writer_connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [_apply(connection, commit) for commit in batch]
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise ServiceUnavailable(f"The storage refused the commit: {error}.") from None
        return outcomes


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _data_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return version


def _get(connection: sqlite3.Connection, key: bytes) -> bytes | None:
    row = connection.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def _scan(connection: sqlite3.Connection, wanted: tuple[bytes, bytes | None, int | None]) -> Rows:
    """Return the rows for a prefix, the key before them and a limit; see Storage.scan."""
    prefix, after, limit = wanted
    from_prefix = after is None or after < prefix
    return connection.execute(
        f"SELECT key, value FROM entries WHERE key {'>=' if from_prefix else '>'} ? AND key < ? ORDER BY key LIMIT ?",  # noqa: S608
        (prefix if from_prefix else after, after_prefix(prefix), -1 if limit is None else limit),
    ).fetchall()


def _size(value: bytes | None) -> int:
    return OBJECT_BYTES + len(value or b"")


def _size_of_rows(rows: Rows) -> int:
    return OBJECT_BYTES + sum(OBJECT_BYTES + len(key) + len(value) for key, value in rows)


def _apply(connection: sqlite3.Connection, commit: Commit[bytes]) -> Exception | None:
    """Apply one commit inside the open transaction; a conflict is rolled back completely."""
    for key, value in commit.expected.items():
        if _get(connection, key) != value:
            return CommitConflict()
    connection.execute("SAVEPOINT one")
    for key, value in commit.writes.items():
        if value is None:
            connection.execute("DELETE FROM entries WHERE key = ?", (key,))
        else:
            connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (key, value))
    known = commit.expected.keys()
    if any(key not in known for prefix in commit.empty for key, _ in _scan(connection, (prefix, None, len(known) + 1))):
        connection.execute("ROLLBACK TO one")
        return CommitConflict()
    connection.execute("RELEASE one")
    return None
