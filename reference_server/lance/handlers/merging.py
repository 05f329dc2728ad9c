"""MergeInsertIntoTable."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.catalog.entries import Table
from reference_server.lance.catalog.recovery import note_data
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_body import check_stream_type, read_stream
from reference_server.lance.data.sql import whole
from reference_server.lance.errors import TableColumnNotFound, TableSchemaValidationError
from reference_server.lance.handlers.transactions import transaction_of

if TYPE_CHECKING:
    import pyarrow as pa

Answer = dict[str, Any]
TIMEOUT = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h|d)")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST = 86400.0  # in seconds; no client waits longer
UPDATE, INSERT, DELETE = "when_matched_update_all", "when_not_matched_insert_all", "when_not_matched_by_source_delete"
FILTER = "_filt"


async def merge_insert_into_table(context: LanceContext) -> Answer:
    """Update matching rows, insert others, and delete rows that are missing in the source."""
    check_stream_type(context.request)
    keys = _keys(context)
    timeout = parse_timeout(context.query("timeout"))
    table = await chosen_table(context)
    try:
        data = await context.run_on_rows(read_stream, context.request.body)
        _require_keys(keys, data.schema.names)
        if not table.created:
            return await _create(context, table, data)
        return await context.change(table, lambda dataset: _merge(context, dataset, data, keys, timeout))
    except TableSchemaValidationError as error:  # the error list has no code of it for merging
        raise InvalidInput(error.message) from None


async def _create(context: LanceContext, table: Table, data: pa.Table) -> Answer:
    """Create the data of a declared table from the rows: no rows can match."""
    async with context.changing(table):
        dataset = await context.run_on_rows(context.data.write, table.location, data, "create")
    await note_data(context, context.id, table)
    return _answer({"num_inserted_rows": data.num_rows}, dataset.version)


def _merge(context: LanceContext, dataset: Any, data: pa.Table, keys: list[str], timeout: timedelta | None) -> Answer:
    _require_keys(keys, dataset.schema.names)
    if not any(context.query(clause) for clause in (UPDATE, INSERT, DELETE)):
        return _answer({}, dataset.version)
    builder = dataset.merge_insert(keys)
    if context.query(UPDATE):
        builder = builder.when_matched_update_all(_condition(context, UPDATE))
    if context.query(INSERT):
        builder = builder.when_not_matched_insert_all()
    if context.query(DELETE):
        builder = builder.when_not_matched_by_source_delete(_condition(context, DELETE))
    if timeout is not None:
        builder = builder.retry_timeout(timeout)
    indexed = bool(context.query("use_index")) and not any(data[key].null_count for key in keys)
    builder = builder.use_index(indexed)  # through an index, rows whose key is null would be lost
    return {**_answer(builder.execute(data), dataset.version), **transaction_of(context, dataset)}


def _condition(context: LanceContext, clause: str) -> str | None:
    condition: str | None = context.query(clause + FILTER)
    return None if condition is None else whole(condition)


def _keys(context: LanceContext) -> list[str]:
    keys: list[str] = context.request.query.get("on", [])
    if not keys or not all(keys):
        raise InvalidInput("Merging needs a column to match rows by: on=COLUMN.")
    return list(dict.fromkeys(keys))


def _require_keys(keys: list[str], names: list[str]) -> None:
    for key in keys:
        if key not in names:
            raise TableColumnNotFound(f"There is no column {key!r} to match rows by.")


def parse_timeout(text: str | None) -> timedelta | None:
    """Return a duration such as 500ms, 30s or 5m. Raises InvalidInput for anything else."""
    if text is None:
        return None
    match = TIMEOUT.fullmatch(text)
    if not match:
        raise InvalidInput(f"The timeout {text!r} is not a duration; write it as 500ms, 30s or 5m.")
    return timedelta(seconds=min(float(match[1]) * SECONDS[match[2]], LONGEST))


def _answer(counts: dict[str, int], version: int) -> Answer:
    names = ("num_updated_rows", "num_inserted_rows", "num_deleted_rows")
    return {**{name: counts.get(name, 0) for name in names}, "version": version}
