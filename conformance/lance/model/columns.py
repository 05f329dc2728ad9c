"""Columns and metadata of tables: the commands that change them, and the views that show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.author.checks import equal
from conformance.common.model.rows import Command, ModelState, ModelView, Refusal, Symbols, Thing, two
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.lance.model.contents import OF_A_VERSION, VERSIONS, latest, restore, told
from conformance.lance.model.kinds import COLUMNS, FIRST, FIRST_COLUMNS, LATEST, METADATA, NO_METADATA, LanceRun
from conformance.lance.support.columns import KEPT, fields, schema_of
from conformance.lance.support.views import DETAILED

TABLES, WITH_METADATA = two(COLUMNS), two(METADATA)
KEY, COLUMN = "k", "id"
NO_COLUMN = (400, 404)  # statuses for a column that does not exist


def _add(run: LanceRun, on: Symbols, name: Any, expect: Expected) -> Answer:
    table, new = run.name(on[0]), [{"name": name, "expression": "id + 1"}]
    return told(table, run.catalog.alter_table_add_columns(table.id, new_columns=new, expect=expect))


def _rename(run: LanceRun, on: Symbols, names: Any, expect: Expected) -> Answer:
    table, (before, after) = run.name(on[0]), names
    alterations = [{"path": before, "data_type": KEPT, "rename": after}]
    return told(table, run.catalog.alter_table_alter_columns(table.id, alterations=alterations, expect=expect))


def _drop(run: LanceRun, on: Symbols, name: Any, expect: Expected) -> Answer:
    table = run.name(on[0])
    return told(table, run.catalog.alter_table_drop_columns(table.id, columns=[name], expect=expect))


def _columns(state: ModelState, on: Symbols) -> dict[str, Any]:
    return dict(state.fields((COLUMNS, on))["columns"])


def _with_columns(change: Callable[[dict[str, Any], Any], dict[str, Any]]) -> Callable[..., ModelState]:
    """Return the effect of a change of columns."""
    return lambda state, on, value: state.put(
        (COLUMNS, on), columns=tuple(sorted(change(_columns(state, on), value).items()))
    )


def _renamed(columns: dict[str, Any], new: Any) -> dict[str, Any]:
    return {new[1] if name == new[0] else name: values for name, values in columns.items()}


def _thing(on: Symbols) -> list[Thing]:
    return [(COLUMNS, on)]


COMMANDS: Sequence[Command] = [
    Command(
        "add_column",
        "AlterTableAddColumns",
        "add-columns",
        TABLES,
        _add,
        _with_columns(lambda columns, name: {**columns, name: tuple(id + 1 for id in columns[COLUMN])}),
        values={"n": "n", "more": "more"},
        refusals=[
            Refusal(
                "taken",
                "with the name of an existing column",
                (400, 409),
                "add-columns-taken",
                lambda state, on, name: name in _columns(state, on),
            )
        ],
        names=_thing,
    ),
    Command(
        "rename_column",
        "AlterTableAlterColumns",
        "alter-columns-rename",
        TABLES,
        _rename,
        _with_columns(_renamed),
        values={"n to m": ("n", "m"), "m to k": ("m", "k"), "n to id": ("n", "id")},
        refusals=[
            Refusal(
                "column_missing",
                "of a missing column",
                NO_COLUMN,
                "query-column",
                lambda state, on, names: names[0] not in _columns(state, on),
            ),
            Refusal(
                "taken",
                "to the name of an existing column",
                (400,),
                "alter-columns-invalid",
                lambda state, on, names: names[1] in _columns(state, on),
            ),
        ],
        names=_thing,
    ),
    Command(
        "drop_column",
        "AlterTableDropColumns",
        "drop-columns",
        TABLES,
        _drop,
        _with_columns(lambda columns, gone: {name: values for name, values in columns.items() if name != gone}),
        values={"n": "n", "more": "more"},
        refusals=[
            Refusal(
                "column_missing",
                "of a missing column",
                NO_COLUMN,
                "query-column",
                lambda state, on, name: name not in _columns(state, on),
            )
        ],
        names=_thing,
    ),
    Command(
        "restore_columns",
        "RestoreTable",
        "restore-table",
        TABLES,
        restore,
        _with_columns(lambda _, __: dict(FIRST_COLUMNS)),
        values=VERSIONS,
        refusals=[OF_A_VERSION],
        names=_thing,
    ),
]


def _names(state: ModelState, on: Symbols) -> list[str]:
    return sorted(_columns(state, on))


def _values(state: ModelState, on: Symbols) -> dict[str, Any]:
    return {name: list(values) for name, values in _columns(state, on).items()}


def _described(run: LanceRun, on: Symbols) -> Any:
    return sorted(fields(run.catalog, run.name(on[0]).id))


def _described_first(run: LanceRun, on: Symbols) -> Any:
    """Return FIRST if the first version has the schema that it had as the latest one, whatever is in it."""
    table = run.name(on[0])
    described = run.catalog.describe_table(table.id, version=table.first, _query=DETAILED)
    equal(described["schema"], table.schema, "the schema of the first version")
    return FIRST


def _returned(run: LanceRun, on: Symbols, **at: Any) -> Any:
    """Return the values of each column, in the order of the values."""
    rows = run.catalog.rows(run.name(on[0]).id, **at)
    return {name: sorted((row[name] for row in rows), key=repr) for name in (rows[0] if rows else ())}


def _returned_first(run: LanceRun, on: Symbols) -> Any:
    return _returned(run, on, version=run.name(on[0]).first)


VIEWS: Sequence[ModelView] = [
    ModelView("DescribeTable", [COLUMNS], TABLES, _names, _described, "of columns"),
    ModelView("QueryTable", [COLUMNS], TABLES, _values, _returned, "of columns"),
    ModelView(
        "DescribeTable",
        [COLUMNS],
        TABLES[:1],
        lambda _, __: FIRST,
        _described_first,
        "of the columns of a first version",
    ),
    ModelView(
        "QueryTable",
        [COLUMNS],
        TABLES[:1],
        lambda _, __: {name: list(values) for name, values in FIRST_COLUMNS},
        _returned_first,
        "of the columns of a first version",
    ),
    ModelView("ListTableVersions", [COLUMNS], TABLES[:1], lambda _, __: LATEST, latest, "after changes of columns"),
]


# Metadata


def _set_metadata(run: LanceRun, on: Symbols, metadata: Any, expect: Expected) -> Answer:
    return run.catalog.update_table_schema_metadata(run.name(on[0]).id, metadata, expect=expect)


def _set_of_column(run: LanceRun, on: Symbols, value: Any, expect: Expected) -> Answer:
    updates = [{"path": COLUMN, "metadata": {KEY: value}}]
    return run.catalog.update_field_metadata(run.name(on[0]).id, updates=updates, expect=expect)


def _held(state: ModelState, on: Symbols) -> dict[str, Any]:
    return {**state.fields((METADATA, on))}


def _about_metadata(on: Symbols) -> list[Thing]:
    return [(METADATA, on)]


METADATA_COMMANDS: Sequence[Command] = [
    Command(
        "set_metadata",
        "UpdateTableSchemaMetadata",
        "schema-metadata-replaces",
        WITH_METADATA,
        _set_metadata,
        lambda state, on, metadata: state.put((METADATA, on), **{**_held(state, on), "schema": metadata}),
        values={"a": {"a": "1"}, "b": {"b": "2"}},
        names=_about_metadata,
    ),
    Command(
        "set_metadata_of_column",
        "UpdateFieldMetadata",
        "field-metadata",
        WITH_METADATA,
        _set_of_column,
        lambda state, on, value: state.put((METADATA, on), **{**_held(state, on), "column": {KEY: value}}),
        values={"one": "one", "other": "other"},
        names=_about_metadata,
    ),
]


def _metadata(run: LanceRun, on: Symbols, **at: Any) -> Any:
    """Return the metadata of a schema and of its column, without what the server has there of its own."""
    schema = schema_of(run.catalog, run.name(on[0]).id, **at)
    column: Any = next((field for field in schema["fields"] if field["name"] == COLUMN), {})
    return {
        "schema": {key: value for key, value in (schema.get("metadata") or {}).items() if key in ("a", "b")},
        "column": {key: value for key, value in (column.get("metadata") or {}).items() if key == KEY},
    }


def _metadata_first(run: LanceRun, on: Symbols) -> Any:
    return _metadata(run, on, version=run.name(on[0]).first)


METADATA_VIEWS: Sequence[ModelView] = [
    ModelView("DescribeTable", [METADATA], WITH_METADATA, _held, _metadata, "of metadata"),
    ModelView(
        "DescribeTable",
        [METADATA],
        WITH_METADATA[:1],
        lambda _, __: NO_METADATA,
        _metadata_first,
        "of the metadata of a first version",
    ),
    ModelView(
        "ListTableVersions", [METADATA], WITH_METADATA[:1], lambda _, __: LATEST, latest, "after changes of metadata"
    ),
]
