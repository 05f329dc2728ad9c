"""InsertIntoTable, CountTableRows, UpdateTable, DeleteFromTable."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput, TableVersionNotFound
from reference_server.lance.arrow_body import check_stream_type, read_stream
from reference_server.lance.columns import require_column
from reference_server.lance.context import LanceContext
from reference_server.lance.settling import current_table, settle

Answer = dict[str, Any]


async def insert_into_table(context: LanceContext) -> Answer:
    """Add rows, or replace all rows. A table that was only declared gets its data here."""
    mode = context.choice("mode", "Append", "Overwrite")
    check_stream_type(context.request)
    table = await current_table(context, context.table_id)
    data = await context.run(read_stream, context.request.body)
    async with context.alone(context.id):
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


async def update_table(context: LanceContext) -> Answer:
    """Set columns of the rows that match a predicate to what SQL expressions make of them."""
    table = await current_table(context, context.table_id)
    updates = dict(context.body["updates"])
    if not updates:
        raise InvalidInput("An update needs at least one column and its expression.")

    def update(dataset: Any) -> Answer:
        for column in updates:
            require_column(dataset, column)
        outcome = dataset.update(updates, where=context.body.get("predicate"))
        return {"updated_rows": outcome["num_rows_updated"], "version": dataset.version}

    return {**await context.change(table, update), "properties": table.properties}


async def delete_from_table(context: LanceContext) -> Answer:
    """Delete the rows that match a predicate."""
    table = await current_table(context, context.table_id)

    def delete(dataset: Any) -> Answer:
        dataset.delete(context.body["predicate"])
        return {"version": dataset.version}

    return await context.change(table, delete)
