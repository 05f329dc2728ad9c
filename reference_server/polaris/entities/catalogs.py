"""Catalogs: each is a warehouse of the Iceberg API, with its own locations and a role that manages it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import orjson

from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog import keys as iceberg_keys
from reference_server.polaris.entities import records, roles
from reference_server.polaris.entities.assignments import assign
from reference_server.polaris.entities.bootstrap import CATALOG_ADMIN, CATALOG_ADMIN_PRIVILEGES, SERVICE_ADMIN
from reference_server.polaris.entities.grants import grant
from reference_server.polaris.entities.keys import CATALOG_LOCATIONS, entities_prefix, entity_key
from reference_server.polaris.entities.records import Record
from reference_server.polaris.entities.storage_rules import BASE, check_change, check_overlap, checked
from reference_server.polaris.rules import ManagementRules
from reference_server.polaris.securables import SecurableType, catalog, catalog_role, principal_role
from reference_server.storage import pack
from reference_server.storage.transactions import Transaction

SENT = ("type", "name", "properties", "storageConfigInfo")
EXTERNAL = "EXTERNAL"
INPUT_ONLY = frozenset({"clientSecret", "bearerToken"})  # secrets of a connection, which are neither stored nor shown
TRACES = (iceberg_keys.IDEMPOTENCY, iceberg_keys.PLAN, iceberg_keys.UNFINISHED)
"""Kinds of keys that requests to a catalog leave behind."""


def create(transaction: Transaction[bytes], wanted: Mapping[str, Any], rules: ManagementRules) -> Record:
    """Add a catalog and its role `catalog_admin`, which is assigned to `service_admin`.

    Raises EntityAlreadyExists, and InvalidInput for an invalid storage.
    """
    fields = {name: wanted[name] for name in SENT}
    if wanted["type"] == EXTERNAL and rules.connection in wanted:
        fields[rules.connection] = _without_secrets(wanted[rules.connection])
    record = records.insert(transaction, catalog(fields["name"]), fields)
    _save_locations(transaction, record, rules)
    admin = catalog_role(record["name"], CATALOG_ADMIN)
    records.insert(transaction, admin, {"name": CATALOG_ADMIN, "properties": {}})
    for privilege in CATALOG_ADMIN_PRIVILEGES:
        grant(transaction, admin, catalog(record["name"]), privilege)
    assign(transaction, principal_role(SERVICE_ADMIN), admin)
    return record


def change(transaction: Transaction[bytes], name: str, wanted: Mapping[str, Any], rules: ManagementRules) -> Record:
    """Change the properties of a catalog, except the base location if none is given, or its storage.

    Raises NotFound, CommitFailed for a version other than the requested one, and InvalidInput for an invalid storage.
    """
    present = records.load(transaction, catalog(name))
    properties, storage = wanted.get("properties"), wanted.get("storageConfigInfo")
    fields: dict[str, Any] = {}
    if properties is not None:
        fields["properties"] = {BASE: present["properties"][BASE], **properties}
    if storage is not None:
        fields["storageConfigInfo"] = storage
    record = records.update(transaction, catalog(name), wanted["currentEntityVersion"], fields)
    _save_locations(transaction, record, rules)
    check_change(present["storageConfigInfo"], record["storageConfigInfo"], rules)
    return record


def drop(transaction: Transaction[bytes], name: str) -> None:
    """Drop a catalog that is empty except for its `catalog_admin`. Raises NotFound, and InvalidInput otherwise."""
    records.delete(transaction, catalog(name))
    admin, role_keys = catalog_role(name, CATALOG_ADMIN), entities_prefix(SecurableType.CATALOG_ROLE, name)
    namespaces = pack(iceberg_keys.Kind.NAMESPACE, name)
    others = [key for key, _ in transaction.scan(role_keys, limit=2) if key != entity_key(admin)]
    if others or transaction.scan(namespaces, limit=1):
        raise InvalidInput(f"Catalog '{name}' cannot be dropped, it is not empty")
    roles.remove(transaction, admin)
    for trace in TRACES:
        for key, _ in transaction.scan(pack(trace, name)):
            transaction.put(key, None)
    transaction.put(CATALOG_LOCATIONS, secrets.token_bytes(8))
    transaction.require_empty(role_keys, namespaces)


def _save_locations(transaction: Transaction[bytes], record: Record, rules: ManagementRules) -> None:
    """Check the locations of a catalog and write its record; of two overlapping catalogs only one is committed."""
    record["storageConfigInfo"] = checked(record, rules)
    if not rules.catalogs_may_overlap:
        transaction.get(CATALOG_LOCATIONS)
        check_overlap(record, records.list_all(transaction, SecurableType.CATALOG))
        transaction.put(CATALOG_LOCATIONS, secrets.token_bytes(8))
    transaction.put(entity_key(catalog(record["name"])), orjson.dumps(record))


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_secrets(inner) for name, inner in value.items() if name not in INPUT_ONLY}
    return value
