"""Storage keys of names, and the forms of the values.

namespace / warehouse / <path of the parent> / <name>   ->  properties, JSON
table     / warehouse / <path of the namespace> / <name> ->  location of the metadata file, UTF-8
view      / warehouse / <path of the namespace> / <name> ->  likewise
function  / warehouse / <path of the namespace> / <name> ->  the result of loadFunction, JSON
generic-table, policy / warehouse / <path of the namespace> / <name> ->  for APIs that have these too, JSON
idempotency / warehouse / <key> / <operation>           ->  outcome, see idempotency.py
plan      / warehouse / <id>                            ->  a scan plan, see scans/plans.py
unfinished / warehouse / <location>                     ->  the first metadata file of a table, see unfinished.py
staged    / warehouse / <time> / <location>             ->  the folder of a staged table, see unfinished.py
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from reference_server.iceberg.catalog.names import Path
from reference_server.storage import pack, unpack


class Kind(StrEnum):
    """Kind of object in a namespace."""

    NAMESPACE = "namespace"
    TABLE = "table"
    VIEW = "view"
    FUNCTION = "function"
    GENERIC_TABLE = "generic-table"
    POLICY = "policy"

    @property
    def label(self) -> str:
        """The kind in the words of messages."""
        return self.replace("-", " ").capitalize()


IDEMPOTENCY = "idempotency"
PLAN = "plan"
UNFINISHED = "unfinished"
STAGED = "staged"
MOST_PATHS = 16_384  # paths with cached keys


@lru_cache(MOST_PATHS)
def children(kind: Kind, warehouse: str, path: Path) -> bytes:
    """Return the key prefix of the direct children of a namespace, of one kind."""
    return pack(kind, warehouse, pack(*path))


@lru_cache(MOST_PATHS)
def object_key(kind: Kind, warehouse: str, path: Path) -> bytes:
    """Return the key of an object; its path has at least one part."""
    return pack(kind, warehouse, pack(*path[:-1]), path[-1])


def with_names(rows: Iterable[tuple[bytes, bytes]], prefix: bytes) -> list[tuple[bytes, str]]:
    """Return the keys of children with their names; `prefix` is the result of `children`. No name has a zero byte."""
    start = len(prefix)
    return [(key, key[start:-1].decode()) for key, _ in rows]


def path_of(key: bytes) -> Path:
    """Return the path of an object by its key."""
    *_, parent, name = unpack(key)
    return (*(level.decode() for level in unpack(parent)), name.decode())


def idempotency_key(warehouse: str, key: str, operation_id: str, principal: str) -> bytes:
    """Return the key of an outcome of a principal. Keys of clients begin with the time: the oldest sort first."""
    return pack(IDEMPOTENCY, warehouse, key, operation_id, principal)


def plan_prefix(warehouse: str) -> bytes:
    """Return the prefix of the keys of all scan plans of a warehouse."""
    return pack(PLAN, warehouse)


def plan_key(warehouse: str, plan_id: str) -> bytes:
    """Return the key of a scan plan. Ids begin with the time: the oldest sort first."""
    return pack(PLAN, warehouse, plan_id)


def unfinished_key(warehouse: str, location: str) -> bytes:
    """Return the key of the note about a metadata file that is being written for a new object."""
    return pack(UNFINISHED, warehouse, location)


def staged_prefix(warehouse: str) -> bytes:
    """Return the prefix of the keys of all folders of staged tables of a warehouse."""
    return pack(STAGED, warehouse)


def staged_key(warehouse: str, time: int, location: str = "") -> bytes:
    """Return the key of the folder of a table staged at a time (ms since 1970): the oldest sort first."""
    return pack(STAGED, warehouse, f"{time:012x}", location)
