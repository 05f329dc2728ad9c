"""DescribeTable, TableExists, DropTable, DeregisterTable, RenameTable."""

from __future__ import annotations

from typing import Any

from reference_server.lance.catalog.entries import Table
from reference_server.lance.catalog.names import check_names
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.errors import TableVersionNotFound
from reference_server.lance.handlers.namespaces import delete_data

Answer = dict[str, Any]


async def describe_table(context: LanceContext) -> Answer:
    """Return location and properties of a table; details only on request."""
    path = context.table_id
    table = await current_table(context, path)
    uri = context.data.uri(table.location)
    answer: Answer = {"location": uri, "properties": table.properties, "is_only_declared": not table.created}
    answer.update(managed(context))
    if context.argument("with_table_uri"):
        answer["table_uri"] = uri
    if table.created and context.argument("version") is None:
        context.reusable = context.catalog.locations.follows(path[:-1])
    return {**answer, **await _dataset(context, table)}


async def _dataset(context: LanceContext, table: Table) -> Answer:
    """Return the details of a table from its data. Raises TableVersionNotFound."""
    version = context.argument("version")
    if not table.created:
        if version is not None:
            raise TableVersionNotFound(f"The table has no data yet, so no version {version}.")
        return {}
    if context.argument("load_detailed_metadata"):
        context.keep_while_unchanged(table, version)
        details = await context.run(context.data.describe, table.location, version)
        return {"table": context.id[-1], "namespace": context.id[:-1], **details}
    if version is not None:
        await context.run(context.data.check_version, table.location, version)
    return {}


async def table_exists(context: LanceContext) -> None:
    """Return nothing. Raises the errors of DescribeTable."""
    await describe_table(context)


def managed(context: LanceContext) -> Answer:
    """Return the field that tells clients to commit versions through the catalog, if they have to."""
    return {"managed_versioning": True} if context.catalog.locations.managed else {}


async def drop_table(context: LanceContext) -> Answer:
    """Drop a table with its data."""
    with context.catalog.locations.unfinished() as note:
        table = await context.catalog.drop_table(context.table_id, note)
        await delete_data(context, [table])
    return _gone(context, table)


async def deregister_table(context: LanceContext) -> Answer:
    """Remove a table from the catalog; its data stay in place."""
    return _gone(context, await context.catalog.remove_table(context.table_id))


async def rename_table(context: LanceContext) -> Answer:
    """Rename a table, into another namespace if one is given. The data stay in place."""
    target = context.body.get("new_namespace_id")
    namespace = context.id[:-1] if target is None else tuple(target)
    renamed = (*namespace, context.body["new_table_name"])
    check_names(renamed, context.catalog.locations.forbidden)
    await context.catalog.rename_table(context.table_id, renamed)
    return {}


def _gone(context: LanceContext, table: Table) -> Answer:
    return {"id": context.id, "location": context.data.uri(table.location), "properties": table.properties}
