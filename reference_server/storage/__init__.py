"""Storage: sorted keys and bytes, three verbs, two backends. It never heard of catalogs.

The whole concurrency contract is `commit`: all of its writes happen, or none and `CommitConflict`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class CommitConflict(Exception):
    """What a commit expected is no longer so; nothing was written."""


class Storage(Protocol):
    """A sorted map from keys to values, both bytes."""

    def get(self, key: bytes) -> bytes | None:
        """Return the committed value of `key`, or None."""

    def scan(self, prefix: bytes, after: bytes | None = None, limit: int | None = None) -> list[tuple[bytes, bytes]]:
        """Return committed pairs whose key starts with `prefix`, in key order.

        Only keys greater than `after`, and at most `limit` of them. The cost is O(log n + page).
        """

    async def commit(
        self,
        expected: Mapping[bytes, bytes | None],
        writes: Mapping[bytes, bytes | None],
        empty: Sequence[bytes] = (),
    ) -> None:
        """Write all of `writes` (None deletes), or nothing and raise CommitConflict.

        `expected` gives the values, None for absent, that the keys must have just before. `empty`
        gives prefixes under which no key may be left just after: it is how a container is dropped
        without losing what somebody else is putting into it. When this returns the writes are as
        durable as the backend makes anything, and every later `get` and `scan` sees them.
        """

    def close(self) -> None:
        """Give everything back; committed writes stay where the backend keeps them."""


def pack(*parts: str | bytes) -> bytes:
    """Join parts into one key that sorts by the first part, then the second, and so on.

    Each part ends in a zero byte; a zero byte inside a part is followed by 0xFF. UTF-8 holds no
    0xFF, so a longer name never sorts between a shorter one and what follows it. A packed key may
    itself be a part. `pack(*parts)` is a prefix of exactly the keys that start with these parts.
    """
    return b"".join(
        (part.encode() if isinstance(part, str) else part).replace(b"\0", b"\0\xff") + b"\0" for part in parts
    )


def unpack(key: bytes) -> list[bytes]:
    """Return the parts of a packed key."""
    parts, start, at = [], 0, 0
    while at < len(key):
        if key[at] == 0:
            if key[at + 1 : at + 2] == b"\xff":
                at += 1
            else:
                parts.append(key[start:at].replace(b"\0\xff", b"\0"))
                start = at + 1
        at += 1
    return parts


def after_prefix(prefix: bytes) -> bytes:
    """Return a key greater than every packed key that starts with `prefix`."""
    return prefix + b"\xff\xff"


__all__ = ["CommitConflict", "Storage", "after_prefix", "pack", "unpack"]
