"""Targets of policies in requests, and the effective policies of a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from reference_server.errors import InvalidInput, NamespaceNotFound, TableNotFound
from reference_server.iceberg.catalog.catalog import WarehouseCatalog
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, show
from reference_server.polaris.catalog.policy_mappings import CATALOG, Attachment, policies_on
from reference_server.polaris.catalog.policy_types import INHERITABLE
from reference_server.storage import Readable

NAMESPACE, TABLE_LIKE = "namespace", "table-like"


def attachment_of(target: Mapping[str, Any]) -> Attachment:
    """Return the target in a body. Raises InvalidInput for a path that does not fit its type."""
    kind, path = target["type"], tuple(target.get("path") or ())
    if kind == CATALOG:
        if path:
            raise InvalidInput("The target of type catalog has no path")
        return Attachment(CATALOG, ())
    if len(path) < (2 if kind == TABLE_LIKE else 1) or not all(path):
        raise InvalidInput(f"The target of type {kind} needs a path to it")
    return Attachment(Kind.NAMESPACE if kind == NAMESPACE else Kind.TABLE, path)


def existing(catalog: WarehouseCatalog, target: Attachment) -> Attachment:
    """Return a target that exists. Raises NotFound, also for a generic table: policies are for Iceberg tables."""
    kind, path = target
    if kind == Kind.NAMESPACE and catalog.find(Kind.NAMESPACE, path) is None:
        raise NamespaceNotFound(f"Namespace does not exist: {show(path):.300}")
    if kind == Kind.TABLE and catalog.find(Kind.TABLE, path) is None:
        catalog.require_namespace(path[:-1])
        raise TableNotFound(f"Table does not exist: {show(path):.300}")
    return target


def holding(store: Readable[bytes], catalog: WarehouseCatalog, target: Attachment) -> list[dict[str, Any]]:
    """Return the effective policies of a target, each with its namespace and whether it is inherited."""
    nearest: dict[str, tuple[Path, bool]] = {}
    for level in _levels(target):
        own = level == target
        for policy_type, policy in policies_on(store, catalog.warehouse, level).items():
            if own or policy_type in INHERITABLE:
                nearest[policy_type] = (policy, not own)
    return [
        {**orjson.loads(text), "namespace": policy[:-1], "inherited": inherited}
        for policy, inherited in nearest.values()
        if (text := catalog.find(Kind.POLICY, policy)) is not None
    ]


def _levels(target: Attachment) -> list[Attachment]:
    """Return the catalog, the namespaces and the table of a target, from the outside in."""
    namespaces = target.path if target.kind == Kind.NAMESPACE else target.path[:-1]
    inner = [Attachment(Kind.NAMESPACE, namespaces[:depth]) for depth in range(1, len(namespaces) + 1)]
    return [Attachment(CATALOG, ()), *inner, *([target] if target.kind == Kind.TABLE else [])]
