"""Records of entities: JSON objects in the API's form, with a version that each change increments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from reference_server.iceberg.context import now
from reference_server.iceberg.errors import CommitFailed
from reference_server.polaris.entities.keys import entities_prefix, entity_key
from reference_server.polaris.entities.names import require
from reference_server.polaris.errors import EntityAlreadyExists
from reference_server.polaris.securables import Securable, SecurableType
from reference_server.storage import Readable
from reference_server.storage.transactions import Transaction

Record = dict[str, Any]


def load(store: Readable[bytes], entity: Securable) -> Record:
    """Return the record of an entity. Raises NotFound."""
    require(store, entity)
    record: Record = orjson.loads(store.get(entity_key(entity)) or b"")
    return record


def load_each(store: Readable[bytes], entities: Iterable[Securable]) -> list[Record]:
    """Return the records of those entities that still exist."""
    values = [store.get(entity_key(entity)) for entity in entities]
    return [orjson.loads(value) for value in values if value is not None]


def list_all(store: Readable[bytes], kind: SecurableType, catalog: str = "") -> list[Record]:
    """Return the records of all entities of a kind by name; for roles, of one catalog."""
    return [orjson.loads(value) for _, value in store.scan(entities_prefix(kind, catalog))]


def insert(transaction: Transaction[bytes], entity: Securable, fields: Mapping[str, Any]) -> Record:
    """Add an entity in its first version and return its record. Raises EntityAlreadyExists."""
    key = entity_key(entity)
    if transaction.get(key) is not None:
        label = entity.kind.replace("-", " ").capitalize()
        raise EntityAlreadyExists(f"Cannot create {label} {entity.name}. {label} already exists or resolution failed")
    created = now()
    record = {**fields, "createTimestamp": created, "lastUpdateTimestamp": created, "entityVersion": 1}
    transaction.put(key, orjson.dumps(record))
    return record


def update(
    transaction: Transaction[bytes], entity: Securable, version: int | None, fields: Mapping[str, Any]
) -> Record:
    """Change an entity of a version (any for None) and return its record.

    Raises NotFound, and CommitFailed for another version.
    """
    record = load(transaction, entity)
    if version is not None and version != record["entityVersion"]:
        raise CommitFailed(
            f"Cannot update {entity.kind} {entity.name}: its version is {record['entityVersion']}, not {version}."
        )
    last = max(now(), record["lastUpdateTimestamp"])
    changed = {**record, **fields, "lastUpdateTimestamp": last, "entityVersion": record["entityVersion"] + 1}
    transaction.put(entity_key(entity), orjson.dumps(changed))
    return changed


def delete(transaction: Transaction[bytes], entity: Securable) -> None:
    """Delete the record of an entity. Raises NotFound."""
    require(transaction, entity)
    transaction.put(entity_key(entity), None)
