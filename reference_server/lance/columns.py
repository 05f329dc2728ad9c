"""AlterTableAddColumns, AlterTableAlterColumns, AlterTableDropColumns, UpdateTableSchemaMetadata."""

from __future__ import annotations

from typing import Any

from reference_server.errors import (
    InvalidInput,
    TableColumnNotFound,
    TableSchemaValidationError,
    Unsupported,
)
from reference_server.lance.arrow_json import type_from_json
from reference_server.lance.arrow_schema import check_new_name
from reference_server.lance.context import LanceContext
from reference_server.lance.settling import current_table
from reference_server.lance.sql import whole
from reference_server.lance.transactions import transaction_of

Answer = dict[str, Any]


async def alter_table_add_columns(context: LanceContext) -> Answer:
    """Add columns that SQL expressions compute from the others, in one version."""
    table = await current_table(context, context.table_id)
    columns = {column["name"]: _expression(column) for column in context.body["new_columns"]}
    if len(columns) < len(context.body["new_columns"]) or not columns:
        raise InvalidInput("Adding columns needs at least one, and each name once.")

    def add(dataset: Any) -> Answer:
        for name in columns:
            check_new_name(name)
            if name in dataset.schema.names:
                raise TableSchemaValidationError(f"The table has a column {name!r} already.")
        dataset.add_columns(columns)
        return _outcome(context, dataset)

    return await context.change(table, add)


async def alter_table_alter_columns(context: LanceContext) -> Answer:
    """Rename columns, change their types, or let them be null."""
    table = await current_table(context, context.table_id)
    alterations = [_alteration(entry) for entry in context.body["alterations"]]
    if not alterations or len({one["path"] for one in alterations}) < len(alterations):
        raise InvalidInput("Altering columns needs at least one alteration, and one for each column.")

    def alter(dataset: Any) -> Answer:
        for one in alterations:
            require_column(dataset, one["path"])
            if one.get("nullable") is False:
                _require_values(dataset, one["path"])
        dataset.alter_columns(*alterations)
        return _outcome(context, dataset)

    return await context.change(table, alter)


async def alter_table_drop_columns(context: LanceContext) -> Answer:
    """Drop columns, and the indices on them."""
    table = await current_table(context, context.table_id)
    names = context.body["columns"]

    def drop(dataset: Any) -> Answer:
        for name in names:
            require_column(dataset, name)
        if not names or set(dataset.schema.names) <= set(names):
            raise InvalidInput("Dropping columns needs at least one, and has to leave one.")
        dataset.drop_columns(names)
        return _outcome(context, dataset)

    return await context.change(table, drop)


async def update_table_schema_metadata(context: LanceContext) -> Answer:
    """Replace the metadata of a table's schema by the given ones."""
    table = await current_table(context, context.table_id)
    wanted: dict[str, str] = context.body
    await context.change(table, lambda dataset: dataset.update_schema_metadata(wanted, replace=True))
    return wanted


def require_column(dataset: Any, path: str) -> None:
    """Raise TableColumnNotFound when a dataset has no column at a path: names joined by dots."""
    fields = list(dataset.schema)
    for name in path.split("."):
        found = next((field for field in fields if field.name == name), None)
        if found is None:
            raise TableColumnNotFound(f"The table has no column {path!r}.")
        fields = [found.type.field(index) for index in range(found.type.num_fields)]


def _outcome(context: LanceContext, dataset: Any) -> Answer:
    return {"version": dataset.version, **transaction_of(context, dataset)}


def _require_values(dataset: Any, path: str) -> None:
    quoted = ".".join(f"`{name}`" for name in path.split("."))
    if dataset.count_rows(filter=f"{quoted} IS NULL"):
        raise TableSchemaValidationError(f"The column {path!r} has nulls, so it has to be nullable.")


def _expression(column: dict[str, Any]) -> str:
    if column.get("virtual_column") is not None:
        raise Unsupported("This server runs no functions of users: virtual columns are not supported.")
    expression: str | None = column.get("expression")
    if not expression:
        raise InvalidInput(f"The new column {column['name']!r} needs an expression.")
    return whole(expression)


def _alteration(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry as pylance takes it."""
    if entry.get("virtual_column") is not None:
        raise Unsupported("This server runs no functions of users: virtual columns are not supported.")
    alteration: dict[str, Any] = {"path": entry["path"]}
    if entry.get("rename") is not None:
        check_new_name(entry["rename"])
        alteration["name"] = entry["rename"]
    if entry.get("nullable") is not None:
        alteration["nullable"] = entry["nullable"]
    if entry.get("data_type") is not None:
        alteration["data_type"] = type_from_json(entry["data_type"])
    if len(alteration) == 1:
        raise InvalidInput(f"The alteration of {entry['path']!r} changes nothing.")
    return alteration
