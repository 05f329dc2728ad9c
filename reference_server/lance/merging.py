"""MergeInsertIntoTable."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput, TableColumnNotFound, TableSchemaValidationError
from reference_server.lance.arrow_body import check_stream_type, read_stream
from reference_server.lance.context import LanceContext
from reference_server.lance.settling import current_table, settle

if TYPE_CHECKING:
    import pyarrow as pa

Answer = dict[str, Any]
TIMEOUT = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


async def merge_insert_into_table(context: LanceContext) -> Answer:
    """Update the rows that match, insert those that do not, delete those that the source lacks."""
    check_stream_type(context.request)
    keys = context.request.query.get("on", [])
    if not keys or not all(keys):
        raise InvalidInput("Merging needs a column to match rows by: on=COLUMN.")
    timeout = _timeout(context.query("timeout"))
    table = await current_table(context, context.table_id)
    data = await context.run(read_stream, context.request.body)
    if not table.created:
        version = await context.run(context.data.write, table.location, data, "create")
        await settle(context, context.id, table)
        return _answer({"num_inserted_rows": data.num_rows}, version)

    def merge(dataset: Any) -> Answer:
        for key in keys:
            _require_key(dataset, data, key)
        return _merge(context, dataset, data, keys, timeout)

    try:
        return await context.change(table, merge)
    except TableSchemaValidationError as error:  # the error list gives merging no code for it
        raise InvalidInput(error.message) from None


def _merge(context: LanceContext, dataset: Any, data: pa.Table, keys: list[str], timeout: timedelta | None) -> Answer:
    builder = dataset.merge_insert(keys)
    clauses = 0
    update, condition = context.query("when_matched_update_all"), context.query("when_matched_update_all_filt")
    if update:
        builder, clauses = builder.when_matched_update_all(condition), clauses + 1
    if context.query("when_not_matched_insert_all"):
        builder, clauses = builder.when_not_matched_insert_all(), clauses + 1
    delete = context.query("when_not_matched_by_source_delete")
    if delete:
        expression = context.query("when_not_matched_by_source_delete_filt")
        builder, clauses = builder.when_not_matched_by_source_delete(expression), clauses + 1
    if not clauses:
        return _answer({}, dataset.version)
    if timeout is not None:
        builder = builder.retry_timeout(timeout)
    if context.query("use_index") is not None:
        builder = builder.use_index(context.query("use_index"))
    return _answer(builder.execute(data), dataset.version)


def _require_key(dataset: Any, data: pa.Table, key: str) -> None:
    for names in (dataset.schema.names, data.schema.names):
        if key not in names:
            raise TableColumnNotFound(f"There is no column {key!r} to match rows by.")


def _timeout(text: str | None) -> timedelta | None:
    """Return a duration such as 500ms, 30s or 5m. Raises InvalidInput for anything else."""
    if text is None:
        return None
    found = TIMEOUT.fullmatch(text)
    if not found:
        raise InvalidInput(f"The timeout {text!r} is no duration; write it as 500ms, 30s or 5m.")
    return timedelta(seconds=float(found[1]) * SECONDS[found[2]])


def _answer(counts: dict[str, int], version: int) -> Answer:
    names = ("num_updated_rows", "num_inserted_rows", "num_deleted_rows")
    return {**{name: counts.get(name, 0) for name in names}, "version": version}
