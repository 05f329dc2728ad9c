"""listGenericTables, createGenericTable, loadGenericTable, dropGenericTable: tables in formats other than Iceberg.

The catalog stores their description and no files. They share names with tables and views.
"""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.delegation import VENDED
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, check_name, show
from reference_server.iceberg.handlers.listings import list_objects
from reference_server.polaris.catalog.vending import credentials_for
from reference_server.polaris.context import CatalogContext

HEADER = "Polaris-Generic-Table-Access-Delegation"
BASE_LOCATION = "base-location"
FIELDS = ("name", "format", BASE_LOCATION, "doc", "properties")
Table = dict[str, Any]


async def list_generic_tables(context: CatalogContext) -> dict[str, Any]:
    """List the generic tables of a namespace."""
    return await list_objects(context, Kind.GENERIC_TABLE)


async def create_generic_table(context: CatalogContext) -> Reply:
    """Create a generic table."""
    path = (*context.namespace, context.body["name"])
    check_name(path[-1])
    table = {name: context.body[name] for name in FIELDS if context.body.get(name) is not None}

    async def build(change: WarehouseChange) -> Reply:
        change.require_free(Kind.GENERIC_TABLE, path)
        if table.get(BASE_LOCATION):
            metadata = {"location": table[BASE_LOCATION]}
            context.services.locations.place(change, Kind.GENERIC_TABLE, path, metadata)
        change.add(Kind.GENERIC_TABLE, path, orjson.dumps(table).decode())
        return json_reply(_shown(context, path, table))

    return await commit(context, build)


async def load_generic_table(context: CatalogContext) -> dict[str, Any]:
    """Return a generic table."""
    path = context.object_path("generic-table")
    table: Table = orjson.loads(context.catalog.location(Kind.GENERIC_TABLE, path))
    context.reusable = HEADER not in context.request.headers
    return _shown(context, path, table)


async def drop_generic_table(context: CatalogContext) -> Reply:
    """Drop a generic table; its files do not belong to the catalog."""
    path = context.object_path("generic-table")

    async def build(change: WarehouseChange) -> Reply:
        change.remove(Kind.GENERIC_TABLE, path)
        return Reply(204)

    async with context.alone([path]):
        return await commit(context, build)


def _shown(context: CatalogContext, path: Path, table: Table) -> dict[str, Any]:
    """Return a generic table, with credentials for its files if the request asks for them and there are any."""
    answer: dict[str, Any] = {"table": table}
    location = table.get(BASE_LOCATION)
    if location and context.request.headers.get(HEADER, "").strip().lower() == VENDED:
        config = credentials_for(context, location, show(path))
        if config:
            answer["storage-access-configs"] = [{"prefix": location, "config": config}]
    return answer
