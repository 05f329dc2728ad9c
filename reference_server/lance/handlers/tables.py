"""DescribeTable, TableExists, DropTable, DeregisterTable, RenameTable."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branch_names import MAIN
from reference_server.lance.catalog.branches import on_branch
from reference_server.lance.catalog.entries import Table
from reference_server.lance.catalog.names import check_names
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_json import schema_to_json
from reference_server.lance.errors import TableTagNotFound, TableVersionNotFound
from reference_server.lance.handlers.namespaces import delete_data
from reference_server.lance.handlers.tags import find_tag
from reference_server.lance.remote_client import is_remote_client, schema_of_lance

Answer = dict[str, Any]
DETAILS = "load_detailed_metadata"
LONGEST_SHOWN = 200


async def describe_table(context: LanceContext) -> Answer:
    """Return location and properties of a table; details only on request.

    Raises TableBranchNotFound, TableTagNotFound and TableVersionNotFound.
    """
    path = context.table_id
    table = await current_table(context, path)
    uri = context.data.uri(table.location)
    answer: Answer = {"location": uri, "properties": table.properties, **managed(context)}
    if context.rules.tells_declared or context.argument("check_declared") or context.argument(DETAILS):
        answer["is_only_declared"] = not table.created
    if context.argument("with_table_uri"):
        answer["table_uri"] = uri
    branch, version = await _place(context, table)
    if table.created and version is None and branch in (None, MAIN):
        context.reusable = context.catalog.locations.follows(path[:-1])
    return {**answer, **await _dataset(context, await on_branch(context, table, branch), version)}


async def _place(context: LanceContext, table: Table) -> tuple[str | None, int | None]:
    """Return the branch and the version that a request selects, directly or by a tag; None for the usual ones.

    Raises TableTagNotFound, and InvalidInput for a tag beside them.
    """
    branch, version, name = context.branch, context.argument("version"), context.argument("tag")
    if name is None:
        return branch, version
    if branch is not None or version is not None:
        raise InvalidInput("A tag selects branch and version: give a tag, or a branch and a version, not both.")
    if not table.created:
        raise TableTagNotFound(f"The table has no data yet, so no tag {name[:LONGEST_SHOWN]!r}.")
    tag = await context.read(table, lambda dataset: find_tag(dataset, name))
    return tag.get("branch"), tag["version"]


async def _dataset(context: LanceContext, table: Table, version: int | None) -> Answer:
    """Return the details of a table from its data. Raises TableVersionNotFound."""
    if not table.created:
        if version is not None:
            raise TableVersionNotFound(f"The table has no data yet, so no version {version}.")
        return {}
    remote = is_remote_client(context.request)
    if context.argument(DETAILS) or remote:
        context.keep_while_unchanged(table, version)
        form = schema_of_lance if remote else schema_to_json
        details = await context.run(context.data.describe, table.location, version, form)
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
    async with context.alone(context.table_id):
        with context.catalog.locations.unfinished() as note:
            table = await context.catalog.drop_table(context.table_id, note)
            await delete_data(context, [table])
    return _gone(context, table)


async def deregister_table(context: LanceContext) -> Answer:
    """Remove a table from the catalog; its data stay in place."""
    async with context.alone(context.table_id):
        table = await context.catalog.remove_table(context.table_id)
    return _gone(context, table)


async def rename_table(context: LanceContext) -> Answer:
    """Rename a table, into another namespace if one is given. The data stay in place."""
    target = context.body.get("new_namespace_id")
    namespace = context.id[:-1] if target is None else tuple(target)
    renamed = (*namespace, context.body["new_table_name"])
    check_names(renamed, context.catalog.locations.forbidden)
    async with context.alone(context.table_id):
        await context.catalog.rename_table(context.table_id, renamed)
    return {}


def _gone(context: LanceContext, table: Table) -> Answer:
    return {"id": context.id, "location": context.data.uri(table.location), "properties": table.properties}
