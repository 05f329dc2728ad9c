"""InsertIntoTable, CountTableRows, UpdateTable, DeleteFromTable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.catalog.recovery import note_data
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_body import check_stream_type, read_stream
from reference_server.lance.data.assignments import assign
from reference_server.lance.data.paths import find_values
from reference_server.lance.data.sql import whole
from reference_server.lance.data.sql_limits import check_lengths
from reference_server.lance.data.table_data import translated
from reference_server.lance.errors import TableSchemaValidationError, TableVersionNotFound
from reference_server.lance.handlers.transactions import transaction_of
from reference_server.lance.remote_client import is_remote_client

Answer = dict[str, Any]


async def insert_into_table(context: LanceContext) -> Answer:
    """Append rows, or replace all rows. A declared table gets its first data."""
    mode = context.choice("mode", "Append", "Overwrite")
    check_stream_type(context.request)
    table = await chosen_table(context)

    def insert() -> Answer:
        data = read_stream(context.request.body)
        written = context.data.write(table.location, data, mode.lower(), existing=table.created)
        with translated():
            made = transaction_of(context, written)
        return {"num_inserted_rows": data.num_rows, "version": written.version, **made}

    async with context.changing(table):
        answer = await context.run_on_rows(insert)
    if not table.created:
        await note_data(context, context.id, table)
    return answer


async def count_table_rows(context: LanceContext) -> int:
    """Count the rows of a version that match a predicate; a declared table has none."""
    table = await chosen_table(context)
    version = context.argument("version")
    if not table.created:
        if version is not None:
            raise TableVersionNotFound(f"The table has no data yet, so no version {version}.")
        return 0
    context.keep_while_unchanged(table, version)
    return await context.run_on_rows(context.data.count_rows, table.location, version, await _predicate(context))


async def update_table(context: LanceContext) -> Answer:
    """Set columns of matching rows to the values of SQL expressions."""
    table = await chosen_table(context)
    updates = await context.read_sql(_updates, context)
    if not updates or len(updates) < len(context.body["updates"]):
        raise InvalidInput("An update needs at least one column and its expression, and each column once.")
    where = await _predicate(context)

    def update(dataset: Any) -> Answer:
        for column in updates:
            find_values(dataset.schema, column)
        count, updated = assign(dataset, updates, where)
        return {"updated_rows": count, "version": updated.version, **transaction_of(context, updated)}

    try:
        answer = await context.change(table, update)
    except TableSchemaValidationError as error:  # the error list has no code of it for updates
        raise InvalidInput(error.message) from None
    return {**answer, "properties": await _stored_properties(context)}


async def _stored_properties(context: LanceContext) -> dict[str, str]:
    """Add the properties of the request to those of the table, and return all of them."""
    table = context.catalog.table(context.id)
    properties = {**table.properties, **context.properties()}
    if properties != table.properties:
        await context.catalog.replace_table(context.id, table, replace(table, properties=properties))
    return properties


async def delete_from_table(context: LanceContext) -> Answer:
    """Delete the rows that match a predicate."""
    table = await chosen_table(context)
    predicate = await context.read_sql(whole, context.body["predicate"])

    def delete(dataset: Any) -> Answer:
        deleted = dataset.delete(predicate)
        counts = deleted if is_remote_client(context.request) else {}
        return {"version": dataset.version, **counts, **transaction_of(context, dataset)}

    return await context.change(table, delete)


def _updates(context: LanceContext) -> dict[str, str]:
    """Return the columns to set, each with its expression."""
    check_lengths([expression for _, expression in context.body["updates"]])
    return {column: whole(expression) for column, expression in context.body["updates"]}


async def _predicate(context: LanceContext) -> str | None:
    text = context.argument("predicate")
    return None if text is None else await context.read_sql(whole, text)
