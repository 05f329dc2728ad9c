"""registerTable and unregisterTable: add and remove tables of the catalog without touching their files."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.entity_tags import ETAG
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import check_name
from reference_server.iceberg.catalog.results import commit_result, table_result
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.handlers.credentials import with_access


async def register_table(context: IcebergContext) -> Reply:
    """Register the table of a metadata file; `overwrite` replaces an existing table of the same name."""
    body = context.body
    path = (*context.namespace, body["name"])
    check_name(body["name"])

    async def build(change: WarehouseChange) -> Reply:
        change.require_namespace(path[:-1])
        overwriting = body.get("overwrite") and change.find(Kind.TABLE, path) is not None
        if not overwriting:
            change.require_free(Kind.TABLE, path)
        file = await context.table_file(body["metadata-location"])
        context.services.locations.place_registered(change, Kind.TABLE, path, file.metadata)
        write = change.replace if overwriting else change.add
        write(Kind.TABLE, path, file.location)
        return table_result(file, {})

    async with context.alone([path], await context.table_location(body["metadata-location"])):
        return with_access(context, await commit(context, build), path)


async def unregister_table(context: IcebergContext) -> Reply:
    """Remove a table from the catalog and return its metadata; all its files stay."""
    path = context.object_path("table")

    async def build(change: WarehouseChange) -> Reply:
        file = await context.table_file(change.remove(Kind.TABLE, path))
        reply = commit_result(file)
        del reply.headers[ETAG]
        return reply

    async with context.alone([path]):
        return await commit(context, build)
