"""getConfig: what a client has to know before anything else."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.catalog.idempotency import lifetime
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import WarehouseNotFound
from reference_server.iceberg.handlers.signing import SIGN, signs
from specs.iceberg.identifiers import SEPARATOR_OVERRIDE
from specs.identifiers import UNIT_SEPARATOR, encode_segment


async def get_config(context: IcebergContext) -> dict[str, Any]:
    """Return the settings for a warehouse, named by its name or its URI; without one those of the default."""
    context.reusable = True
    services = context.services
    overrides = {SEPARATOR_OVERRIDE: encode_segment(UNIT_SEPARATOR)}
    requested = context.query("warehouse")
    warehouse = _warehouse(context, requested) if requested else services.default_warehouse
    if requested:
        overrides["prefix"] = warehouse.name
    answer: dict[str, Any] = {"defaults": {}, "overrides": overrides}
    handled = services.handled if signs(warehouse) else services.handled - {SIGN}
    answer["endpoints"] = [
        f"{operation.method} {operation.own_path}"
        for operation in services.document.operations.values()
        if operation.id in handled
    ]
    if keys_hold := lifetime(services.document):
        answer["idempotency-key-lifetime"] = keys_hold
    return answer


def _warehouse(context: IcebergContext, name_or_uri: str) -> Warehouse:
    for warehouse in context.services.warehouses.values():
        if name_or_uri in (warehouse.name, warehouse.uri):
            return warehouse
    raise WarehouseNotFound(f"Warehouse does not exist: {name_or_uri:.300}")
