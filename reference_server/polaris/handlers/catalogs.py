"""listCatalogs, createCatalog, getCatalog, updateCatalog, deleteCatalog."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import catalogs, records
from reference_server.polaris.entities.records import Record
from reference_server.polaris.securables import SecurableType, catalog


async def list_catalogs(context: ManagementContext) -> dict[str, Any]:
    """Return all catalogs."""
    context.reusable = True
    return {"catalogs": records.list_all(context.polaris.storage, SecurableType.CATALOG)}


async def create_catalog(context: ManagementContext) -> Reply:
    """Create a catalog, with a role that manages it."""
    wanted, rules = context.body["catalog"], context.polaris.rules
    record = await context.commit(lambda transaction: catalogs.create(transaction, wanted, rules))
    return json_reply(record, 201)


async def get_catalog(context: ManagementContext) -> Record:
    """Return a catalog."""
    context.reusable = True
    return records.load(context.polaris.storage, catalog(context.path["catalogName"]))


async def update_catalog(context: ManagementContext) -> Record:
    """Change the properties or the storage of a catalog of the expected version."""
    name, wanted, rules = context.path["catalogName"], context.body, context.polaris.rules
    return await context.commit(lambda transaction: catalogs.change(transaction, name, wanted, rules))


async def delete_catalog(context: ManagementContext) -> None:
    """Drop an empty catalog."""
    await context.commit(lambda transaction: catalogs.drop(transaction, context.path["catalogName"]))
