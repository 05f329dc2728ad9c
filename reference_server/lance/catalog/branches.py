"""The branch of a table that a request selects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference_server.errors import CatalogError, TableNotFound
from reference_server.lance.catalog.branch_names import LONGEST, MAIN, location_of
from reference_server.lance.catalog.entries import Table
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.refs import listed


async def chosen_table(context: LanceContext) -> Table:
    """Return the entry of the requested table, with the location of the branch that the request selects.

    Raises NamespaceNotFound, and TableNotFound for an unknown table or branch.
    """
    return await on_branch(context, await current_table(context, context.table_id), context.branch)


async def on_branch(
    context: LanceContext, table: Table, branch: str | None, error: type[CatalogError] = TableNotFound
) -> Table:
    """Return an entry with the location of a branch; None and `main` are the table itself.

    Raises `error` for an unknown branch: like the official server, the table of that name is not found.
    """
    if branch in (None, MAIN):
        return table
    if branch not in await branches_of(context, table):
        raise error(f"The table has no branch {branch[:LONGEST]!r}.")
    return replace(table, location=location_of(table.location, branch))


async def branches_of(context: LanceContext, table: Table) -> dict[str, dict[str, Any]]:
    """Return the branches of a table by name, as Lance describes them; a table without data has none."""
    return await context.read(table, lambda dataset: listed(dataset.branches)) if table.created else {}
