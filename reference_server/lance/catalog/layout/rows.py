"""Conversion of entries to rows of the manifest table, and back.

    object_id      the names of the path joined by "$"; a version of a table adds "$<version>"
    object_type    namespace, table or table_version
    location       of a table, relative to the root
    metadata       JSON: properties, or the record of a version

A pending version and a finalized one have the same row; the keys of its metadata distinguish them.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from reference_server.lance.catalog.entries import Entry, Properties, Table
from reference_server.lance.catalog.keys import (
    NAMESPACE,
    PENDING,
    TABLE,
    VERSION,
    path_of,
    table_of_version,
    version_key,
    version_of,
)
from reference_server.storage import pack

SEPARATOR = "$"
OBJECT_TYPES = {NAMESPACE: "namespace", TABLE: "table", VERSION: "table_version", PENDING: "table_version"}
KINDS = {"namespace": NAMESPACE, "table": TABLE, "table_version": VERSION}
PENDING_KEYS = {"staged", "gone"}  # keys of a pending version's record only


class ManifestRow(NamedTuple):
    """One row of the manifest table: its known columns."""

    object_id: str
    object_type: str
    location: str | None
    metadata: str | None


def key_of(row: ManifestRow) -> bytes | None:
    """Return the key of a row's entry; None for an unknown kind of row."""
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


def entry_of(row: ManifestRow) -> Entry:
    """Return the entry of a row; it does not tell whether a table has data."""
    metadata = _object(row.metadata)
    return Table(row.location or "", metadata) if row.object_type == OBJECT_TYPES[TABLE] else metadata


def row_of(key: bytes, entry: Entry) -> ManifestRow:
    """Return the row of an entry."""
    kind = _kind(key)
    if isinstance(entry, Table):
        return ManifestRow(object_id(key), OBJECT_TYPES[kind], entry.location, _text(entry.properties))
    text = orjson.dumps(entry).decode() if kind in (VERSION, PENDING) else _text(entry)
    return ManifestRow(object_id(key), OBJECT_TYPES[kind], None, text)


def object_id(key: bytes) -> str:
    """Return the object_id of a key's row."""
    if _kind(key) in (VERSION, PENDING):
        return SEPARATOR.join([*table_of_version(key), str(version_of(key))])
    return SEPARATOR.join(path_of(key))


def _kind(key: bytes) -> str:
    return key.partition(b"\0")[0].decode()


def _object(text: str | None) -> dict[str, str]:
    """Return a JSON object; an empty one for any other value."""
    try:
        value = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(properties: Properties) -> str | None:
    return orjson.dumps(properties).decode() if properties else None
