"""Tables that were declared: did somebody put data there meanwhile?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from reference_server.errors import ConcurrentModification
from reference_server.lance.catalog import Path, Table
from reference_server.lance.context import LanceContext


async def current_table(context: LanceContext, path: Path) -> Table:
    """Return a table's entry as it is now. Raises NamespaceNotFound or TableNotFound."""
    return await settle(context, path, await context.catalog.table(path))


async def settle(context: LanceContext, path: Path, table: Table) -> Table:
    """Return the entry with `created` brought up to date.

    Clients that declare a table write its data straight to the location. What they wrote is looked
    for until it is there once, and then remembered.
    """
    if table.created or not context.data.exists(table.location):
        return table
    created = replace(table, created=True)
    with suppress(ConcurrentModification):
        await context.catalog.replace_table(path, table, created)
    return created
