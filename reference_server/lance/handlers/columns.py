"""AlterTableAddColumns, AlterTableAlterColumns, AlterTableDropColumns, UpdateTableSchemaMetadata."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from reference_server.errors import InvalidInput, Unsupported
from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_json import type_from_json, type_to_json
from reference_server.lance.data.arrow_schema import check_field_names, check_new_name
from reference_server.lance.data.paths import fields_within, find_field, quoted
from reference_server.lance.data.sql import whole
from reference_server.lance.data.sql_limits import check_lengths
from reference_server.lance.errors import TableSchemaValidationError
from reference_server.lance.handlers.backfills import computed_field
from reference_server.lance.handlers.transactions import transaction_of

if TYPE_CHECKING:
    import pyarrow as pa

Answer = dict[str, Any]


async def alter_table_add_columns(context: LanceContext) -> Answer:
    """Add columns that SQL expressions compute from other columns, in one version.

    Computed columns start without values and keep their expressions, which backfills evaluate.
    """
    table = await chosen_table(context)
    entries = context.body["new_columns"]
    bound = {entry["name"] for entry in entries if context.rules.computed_columns and entry.get("computed") is not None}
    columns = await context.read_sql(_expressions, entries, bound)
    if len(columns) < len(entries) or not columns:
        raise InvalidInput("Adding columns needs at least one column, and each name only once.")
    if bound and bound != columns.keys():
        raise Unsupported("Lance adds values and computed columns in separate versions: send a request for each.")

    def add(dataset: Any) -> Answer:
        for name in columns:
            check_new_name(name)
            if name in dataset.schema.names:
                raise TableSchemaValidationError(f"The table has a column {name!r} already.")
        dataset.add_columns(_computed(dataset, columns) if bound else columns)
        return _outcome(context, dataset)

    return await context.change(table, add)


async def alter_table_alter_columns(context: LanceContext) -> Answer:
    """Rename columns, change their types, or make them nullable."""
    table = await chosen_table(context)
    alterations = [_alteration(entry) for entry in context.body["alterations"]]
    if not alterations or len({alteration["path"] for alteration in alterations}) < len(alterations):
        raise InvalidInput("Altering columns needs at least one alteration, and one for each column.")

    def alter(dataset: Any) -> Answer:
        for alteration in alterations:
            _fit(alteration, find_field(dataset.schema, alteration["path"]))
            if alteration.get("nullable") is False:
                _require_values(dataset, alteration["path"])
        _check_renames(
            dataset, {alteration["path"]: alteration["name"] for alteration in alterations if "name" in alteration}
        )
        dataset.alter_columns(*alterations)
        return _outcome(context, dataset)

    return await context.change(table, alter)


async def alter_table_drop_columns(context: LanceContext) -> Answer:
    """Drop columns and their indices."""
    table = await chosen_table(context)
    names = context.body["columns"]

    def drop(dataset: Any) -> Answer:
        for name in names:
            find_field(dataset.schema, name)
        if not names or set(dataset.schema.names) <= set(names):
            raise InvalidInput("Dropping columns needs at least one column, and at least one must remain.")
        dataset.drop_columns(names)
        return _outcome(context, dataset)

    return await context.change(table, drop)


async def update_table_schema_metadata(context: LanceContext) -> Answer:
    """Replace the metadata of a table's schema."""
    table = await chosen_table(context)
    wanted: dict[str, str] = context.body
    await context.change(table, lambda dataset: dataset.update_schema_metadata(wanted, replace=True))
    return wanted


def _check_renames(dataset: Any, names: dict[str, str]) -> None:
    """Raise TableSchemaValidationError for a second field of the same name in a struct; Lance notices it too late."""
    for parent in {path.rpartition(".")[0] for path in names}:
        fields = fields_within(find_field(dataset.schema, parent).type) if parent else list(dataset.schema)
        prefix = f"{parent}." if parent else ""
        check_field_names(names.get(prefix + field.name, field.name) for field in fields)


def _fit(alteration: dict[str, Any], field: pa.Field) -> None:
    """Replace the JSON type of an alteration by an Arrow type; the field's own type changes nothing.

    The JSON form loses units, time zones and dictionaries, so it would not convert back to the field's type.
    """
    described = alteration.pop("data_type", None)
    if described is None:
        return
    now = type_to_json(field.type)
    if described == now or type_to_json(wanted := type_from_json(described)) == now:
        alteration.setdefault("name", field.name)
    else:
        alteration["data_type"] = wanted


def _outcome(context: LanceContext, dataset: Any) -> Answer:
    return {"version": dataset.version, **transaction_of(context, dataset)}


def _require_values(dataset: Any, path: str) -> None:
    if dataset.count_rows(filter=f"{quoted(path)} IS NULL"):
        raise TableSchemaValidationError(f"The column {path!r} has nulls, so it has to be nullable.")


def _computed(dataset: Any, columns: dict[str, str]) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    return pa.schema([computed_field(dataset, name, expression) for name, expression in columns.items()])


def _expressions(columns: list[dict[str, Any]], bound: Collection[str]) -> dict[str, str]:
    """Return the expression of each column, by its name; `bound` are the computed columns."""
    field = dict.fromkeys(bound, "computed")
    check_lengths([column.get(field.get(column["name"], "expression")) or "" for column in columns])
    return {column["name"]: _expression(column, field.get(column["name"], "expression")) for column in columns}


def _expression(column: dict[str, Any], field: str) -> str:
    if column.get("virtual_column") is not None:
        raise Unsupported("This server runs no functions of users: virtual columns are not supported.")
    if field == "computed" and column.get("expression") is not None:
        raise InvalidInput(f"The new column {column['name']!r} has an expression and is computed; give one.")
    expression: str | None = column.get(field)
    if not expression:
        raise InvalidInput(f"The new column {column['name']!r} needs an expression.")
    return whole(expression)


def _alteration(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry in pylance's form, except for its type, which is still JSON."""
    if entry.get("virtual_column") is not None:
        raise Unsupported("This server runs no functions of users: virtual columns are not supported.")
    alteration: dict[str, Any] = {"path": entry["path"]}
    if entry.get("rename") is not None:
        check_new_name(entry["rename"])
        alteration["name"] = entry["rename"]
    if entry.get("nullable") is not None:
        alteration["nullable"] = entry["nullable"]
    if entry.get("data_type") is not None:
        alteration["data_type"] = entry["data_type"]
    if len(alteration) == 1:
        raise InvalidInput(f"The alteration of {entry['path']!r} changes nothing.")
    return alteration
