"""Names as rows of the manifest table, and back.

    object_id      the names of the path joined by "$"; a version of a table adds "$<version>"
    object_type    namespace, table or table_version
    location       of a table, relative to the root
    metadata       JSON: properties, or what is known of a version

A storage key and its value are the other form of the same; see StorageCatalog.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from reference_server.lance.catalog.keys import (
    CREATED,
    DECLARED,
    NAMESPACE,
    PENDING,
    TABLE,
    VERSION,
    VERSION_BYTES,
    version_key,
)
from reference_server.storage import pack, unpack

SEPARATOR = "$"
OBJECT_TYPES = {NAMESPACE: "namespace", TABLE: "table", VERSION: "table_version", PENDING: "table_version"}
KINDS = {"namespace": NAMESPACE, "table": TABLE, "table_version": VERSION}
PENDING_KEYS = {"staged", "gone"}  # what the record of a version has that is not in its place yet


class Row(NamedTuple):
    """One row of the manifest table, as far as we know its columns."""

    object_id: str
    object_type: str
    location: str | None
    metadata: str | None


def key_of(row: Row) -> bytes | None:
    """Return the storage key of a row; None for a row that names nothing we know."""
    kind = KINDS.get(row.object_type)
    parts = row.object_id.split(SEPARATOR)
    if kind is None or not all(parts):
        return None
    if kind != VERSION:
        return pack(kind, pack(*parts[:-1]), parts[-1])
    *path, version = parts
    if not path or not version.isdigit():
        return None
    kind = PENDING if PENDING_KEYS & _object(row.metadata).keys() else VERSION
    return version_key(kind, tuple(path), int(version))


def body_of(row: Row) -> bytes:
    """Return the storage value of a row; of a table's without its first byte, which rows do not have."""
    metadata = _object(row.metadata)
    if row.object_type == OBJECT_TYPES[TABLE]:
        return orjson.dumps({"location": row.location or "", "properties": metadata})
    return orjson.dumps(metadata)


def row_of(key: bytes, value: bytes) -> Row:
    """Return the row of a storage key and value."""
    kind = key.partition(b"\0")[0].decode()
    if kind in (VERSION, PENDING):
        prefix, version = key[:-VERSION_BYTES], int.from_bytes(key[-VERSION_BYTES:], "big")
        path = [part.decode() for part in unpack(unpack(prefix)[1])]
        return Row(SEPARATOR.join([*path, str(version)]), OBJECT_TYPES[kind], None, value.decode())
    _, parent, name = unpack(key)
    object_id = SEPARATOR.join([*(part.decode() for part in unpack(parent)), name.decode()])
    if kind == NAMESPACE:
        return Row(object_id, OBJECT_TYPES[kind], None, _text(orjson.loads(value)))
    table = orjson.loads(value[1:])
    return Row(object_id, OBJECT_TYPES[kind], table["location"], _text(table["properties"]))


def is_table(key: bytes) -> bool:
    """True for the key of a table, whose value starts with CREATED or DECLARED."""
    return key.startswith(TABLE_PREFIX)


def flag(*, created: bool) -> bytes:
    """Return the first byte of a table's value."""
    return bytes([CREATED if created else DECLARED])


def _object(text: str | None) -> dict[str, object]:
    """Return a JSON object; anything else that somebody put there is none."""
    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: dict[str, str]) -> str | None:
    return orjson.dumps(value).decode() if value else None


TABLE_PREFIX = pack(TABLE)
