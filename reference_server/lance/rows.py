"""InsertIntoTable and CountTableRows."""

from __future__ import annotations

from typing import Any

from reference_server.errors import TableVersionNotFound
from reference_server.lance.arrow_body import check_stream_type, read_stream
from reference_server.lance.context import LanceContext
from reference_server.lance.declared import current_table, settle

Answer = dict[str, Any]


async def insert_into_table(context: LanceContext) -> Answer:
    """Add rows, or replace all rows. A table that was only declared gets its data here."""
    mode = context.choice("mode", "Append", "Overwrite")
    check_stream_type(context.request)
    table = await current_table(context, context.table_id)
    data = await context.run(read_stream, context.request.body)
    version = await context.run(context.data.write, table.location, data, mode.lower())
    await settle(context, context.id, table)
    return {"num_inserted_rows": data.num_rows, "version": version}


async def count_table_rows(context: LanceContext) -> int:
    """Count the rows of a version that match a predicate; a declared table has none yet."""
    table = await current_table(context, context.table_id)
    version = context.argument("version")
    if not table.created:
        if version is not None:
            raise TableVersionNotFound(f"The table has no data yet, so no version {version}.")
        return 0
    return await context.run(context.data.count_rows, table.location, version, context.argument("predicate"))
