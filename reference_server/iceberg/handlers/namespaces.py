"""createNamespace, loadNamespaceMetadata, namespaceExists, dropNamespace, updateProperties."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.names import check_namespace
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import Unprocessable


async def create_namespace(context: IcebergContext) -> Reply:
    """Create a namespace in an existing one."""
    path = tuple(context.body["namespace"])
    properties = context.body.get("properties") or {}
    check_namespace(path)

    async def build(change: WarehouseChange) -> Reply:
        change.require_no_namespace(path)
        all_properties = context.services.locations.namespace_properties(change, path, properties)
        change.add_namespace(path, all_properties)
        return json_reply({"namespace": path, "properties": all_properties})

    return await commit(context, build)


async def load_namespace_metadata(context: IcebergContext) -> dict[str, Any]:
    """Return the properties of a namespace."""
    context.reusable = True
    return {"namespace": context.namespace, "properties": context.catalog.properties(context.namespace)}


async def namespace_exists(context: IcebergContext) -> None:
    """Return nothing. Raises NamespaceNotFound."""
    context.reusable = True
    context.catalog.require_namespace(context.namespace)


async def drop_namespace(context: IcebergContext) -> Reply:
    """Drop an empty namespace."""
    path = context.namespace

    async def build(change: WarehouseChange) -> Reply:
        change.remove_namespace(path)
        return Reply(204)

    return await commit(context, build)


async def update_properties(context: IcebergContext) -> Reply:
    """Set and remove properties of a namespace. Raises Unprocessable for a property that is both set and removed."""
    path = context.namespace
    updates: dict[str, str] = context.body.get("updates") or {}
    removals: list[str] = list(dict.fromkeys(context.body.get("removals") or ()))

    async def build(change: WarehouseChange) -> Reply:
        properties = change.properties(path)
        both = [name for name in removals if name in updates]
        if both:
            raise Unprocessable(f"Properties are both set and removed: {', '.join(both):.300}.")
        removed = [name for name in removals if name in properties]
        missing = [name for name in removals if name not in properties]
        if updates or removed:
            remaining = {name: value for name, value in properties.items() if name not in removed}
            change.set_properties(path, {**remaining, **updates})
            context.services.locations.check_properties(change, path, updates)
        return json_reply({"updated": list(updates), "removed": removed, "missing": missing})

    return await commit(context, build)
