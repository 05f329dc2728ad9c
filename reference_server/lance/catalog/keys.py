"""Keys of entries.

namespace / <path of the parent> / <name>  ->  properties
table     / <path of the parent> / <name>  ->  a Table
version   / <path of the table> / <number> ->  the record of a version
pending   / <path of the table> / <number> ->  a version that is committed, but whose file is not in place
lies-at   / <folder>... / "" / <key of a table> ->  empty; follows from the tables, see storage/places.py
"""

from __future__ import annotations

import json
import re
import secrets
from functools import lru_cache

from reference_server.lance.catalog.entries import Path
from reference_server.storage import pack, unpack
from reference_server.storage.places import Place

NAMESPACE, TABLE, VERSION, PENDING = "namespace", "table", "version", "pending"
VERSION_BYTES = 8
SLUG_LENGTH = 80
MOST_PATHS = 16_384  # paths with cached keys: a listing shows the same tables again and again


@lru_cache(MOST_PATHS)
def children(kind: str, path: Path) -> bytes:
    """Return the key prefix of the direct children of a namespace, or of the versions of a table."""
    return pack(kind, pack(*path))


def below(kind: str, path: Path) -> bytes:
    """Return the key prefix of the versions of all tables below a namespace.

    The versions of a table with the same path share it; they come first, up to `after_prefix(children(...))`.
    """
    return children(kind, path)[:-1]


@lru_cache(MOST_PATHS)
def catalog_key(kind: str, path: Path) -> bytes:
    """Return the key of a namespace or a table."""
    return pack(kind, pack(*path[:-1]), path[-1]) if path else pack(kind)


def table_key(path: Path) -> bytes:
    """Return the key of a table's entry."""
    return catalog_key(TABLE, path)


def version_key(kind: str, path: Path, version: int) -> bytes:
    """Return the key of a version's record; `kind` is VERSION or PENDING."""
    return children(kind, path) + version.to_bytes(VERSION_BYTES, "big")


def version_of(key: bytes) -> int:
    """Return the number in the key of a version's record."""
    return int.from_bytes(key[-VERSION_BYTES:], "big")


def table_of_version(key: bytes) -> Path:
    """Return the path of the table in the key of a version's record."""
    return tuple(part.decode() for part in unpack(unpack(key[:-VERSION_BYTES])[1]))


def place_of(location: str) -> Place:
    """Return the folders of a location, relative to the root."""
    return tuple(location.split("/"))


def new_location(path: Path) -> str:
    """Return a never used location: a random prefix, then as much of the name as is safe."""
    slug = re.sub(r"[^A-Za-z0-9_.$-]", "_", "$".join(path))[:SLUG_LENGTH]
    return f"{secrets.token_hex(4)}_{slug}"


def name_of(key: bytes) -> str:
    """Return the last name of a key."""
    return unpack(key)[-1].decode()


@lru_cache(MOST_PATHS)
def path_of(key: bytes) -> Path:
    """Return the path of a table's key."""
    _, parent, name = unpack(key)
    return (*(part.decode() for part in unpack(parent)), name.decode())


def show(path: Path) -> str:
    """Return a path for messages: as JSON."""
    return json.dumps(list(path), ensure_ascii=False)
