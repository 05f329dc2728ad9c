"""Storage: sorted keys and their values, three verbs. It knows nothing of catalogs.

The whole concurrency contract is `commit`: either all of its writes happen, or none and `CommitConflict` is raised.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from sortedcontainers import SortedDict

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
_SEPARATOR = re.compile(rb"\x00(?!\xff)")


class CommitConflict(Exception):
    """The expectations of a commit no longer hold; nothing was written."""


@dataclass(frozen=True, slots=True)
class Commit(Generic[V]):
    """Arguments of one waiting `Storage.commit`."""

    expected: Mapping[bytes, V | None]
    writes: Mapping[bytes, V | None]
    empty: Sequence[bytes]


class Storage(Protocol[V]):
    """A sorted map from bytes to values that are compared by `==`; durable values are bytes."""

    def get(self, key: bytes) -> V | None:
        """Return the committed value of `key`, or None."""

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> Sequence[tuple[bytes, V]]:
        """Return committed pairs whose key starts with `prefix`, in key order.

        Only keys greater than `after`, and at most `limit` of them. The cost is O(log n + page).
        """

    def version(self) -> Hashable:
        """Return a value that changes with every commit, from any process."""

    async def commit(
        self,
        expected: Mapping[bytes, V | None],
        writes: Mapping[bytes, V | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """Write all of `writes` (None deletes), or nothing and raise CommitConflict.

        `expected` gives the values, None for absent, that the keys must have just before. `empty` gives prefixes under
        which no key may be left just after, except those in `expected`: this drops a container without losing what
        another commit puts into it. On return the writes are as durable as the backend can make them, and every later
        `get` and `scan` sees them.
        """

    def close(self) -> None:
        """Release all resources; committed writes stay in the backend."""


class Readable(Protocol[V_co]):
    """Reads that a commit is checked with."""

    def get(self, key: bytes) -> V_co | None:
        """Return the value of `key`, or None."""

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> Sequence[tuple[bytes, V_co]]:
        """Return pairs whose key starts with `prefix`, in key order; see Storage.scan."""


def is_conflict(
    present: Readable[V],
    expected: Mapping[bytes, V | None],
    writes: Mapping[bytes, V | None],
    empty: Sequence[bytes],
) -> bool:
    """Return whether a commit must not be written: an expectation does not hold, or a prefix would not be empty."""
    if any(present.get(key) != value for key, value in expected.items()):
        return True
    in_order = writes if isinstance(writes, SortedDict) else SortedDict(writes if empty else {})
    for prefix in empty:
        written = scanned_keys(in_order, prefix, None)
        if any(writes[key] is not None and key not in expected for key in written):
            return True
        left = (key for key, _ in present.scan(prefix) if key not in expected)
        if any(key not in writes or writes[key] is not None for key in left):
            return True
    return False


def pack(*parts: str | bytes) -> bytes:
    """Join parts into one key that sorts by the first part, then the second, and so on.

    Each part ends in a zero byte; a zero byte inside a part is followed by 0xFF. UTF-8 contains no 0xFF, so a longer
    name never sorts between a shorter one and its continuation. A packed key may itself be a part. A scan of
    `pack(*parts)` finds exactly the keys that start with these parts.
    """
    packed = b""
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        packed += (raw.replace(b"\0", b"\0\xff") if b"\0" in raw else raw) + b"\0"
    return packed


def unpack(key: bytes) -> list[bytes]:
    """Return the parts of a packed key."""
    if b"\0\xff" not in key:
        return key.split(b"\0")[:-1]
    parts = _SEPARATOR.split(key)[:-1]
    return [part.replace(b"\0\xff", b"\0") for part in parts]


def after_prefix(prefix: bytes) -> bytes:
    """Return the end of a scan: greater than every packed key that has the parts of `prefix` and more.

    A continuation with 0xFF belongs to another, longer last part with a zero byte in it.
    """
    return prefix + b"\xff"


def scanned_keys(entries: SortedDict, prefix: bytes, after: bytes | None) -> Iterator[bytes]:
    """Return the keys of a sorted map in the range of a scan, in order: see Storage.scan."""
    start, inclusive = (prefix, True) if after is None or after < prefix else (after, False)
    keys: Iterator[bytes] = entries.irange(start, after_prefix(prefix), inclusive=(inclusive, False))
    return keys


__all__ = [
    "Commit",
    "CommitConflict",
    "Readable",
    "Storage",
    "after_prefix",
    "is_conflict",
    "pack",
    "scanned_keys",
    "unpack",
]
