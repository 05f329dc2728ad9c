"""Encryption keys: a list that is absent without keys."""

from __future__ import annotations

import base64
import binascii

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, optional, text, text_map

KEYS = "encryption-keys"


def read_key(node: Json) -> Json:
    """Return an encryption key in its stored form. Raises InvalidMetadata for a malformed one."""
    text(node, "key-id")
    try:
        base64.b64decode(text(node, "encrypted-key-metadata"), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidMetadata("encrypted-key-metadata must be base64.") from None
    optional(text, node, "encrypted-by-id")
    optional(text_map, node, "properties")
    return node


def add_key(builder: Builder, key: Json) -> None:
    """Add a key; a key with an existing id changes nothing."""
    keys: list[Json] = builder.fields.get(KEYS, [])
    if all(existing["key-id"] != key["key-id"] for existing in keys):
        builder.put(KEYS, [*keys, key])


def remove_key(builder: Builder, key_id: str) -> None:
    """Remove a key, if there is one with this id."""
    keys: list[Json] = builder.fields.get(KEYS, [])
    remaining = [other for other in keys if other["key-id"] != key_id]
    if len(remaining) == len(keys):
        return
    if remaining:
        builder.put(KEYS, remaining)
    else:
        builder.drop(KEYS)
