"""AlterTableAddColumns, AlterTableAlterColumns, AlterTableDropColumns, UpdateTableSchemaMetadata."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from conformance.author.checks import above, contains, equal, holds, lacks, number, same_items, shows
from conformance.author.requirement import given, must, should
from conformance.author.strategies import COLUMN_NAMES
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.checks import table_is_missing
from conformance.lance.support.columns import (
    ADD,
    ALTER,
    CHANGES,
    COLUMNS,
    DROP,
    KEPT,
    METADATA,
    check_no_column,
    field,
    fields,
    metadata,
)
from conformance.lance.support.extra_column import KINDS_OF_DATA
from conformance.lance.support.ordinary import accepts
from conformance.lance.worlds import all_but

PEOPLE = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "name": ["Ann", None, "Cy"],
        "age": pa.array([30, 41, 52], pa.int64()),
        "home": [{"city": "Bonn", "zip": 1}, {"city": "Ulm", "zip": 2}, {"city": "Jena", "zip": 3}],
    }
)


def people(catalog: LanceCatalog) -> Names:
    """Create a table of three rows with a nullable, a nested and two numeric columns."""
    return catalog.new_table_of(PEOPLE)


def column(catalog: LanceCatalog, id: Names, name: str) -> list[Any]:
    """Return the values of a column in the order of the ids."""
    return [row[name] for row in by_id(catalog.rows(id, columns={"column_names": ["id", name]}))]


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in the order of their ids."""
    return sorted(rows, key=lambda row: number(row["id"], "the id of a row"))


def columns_are(catalog: LanceCatalog, id: Names, names: list[str]) -> None:
    """Check that DescribeTable returns exactly these columns, in this order."""
    equal(list(fields(catalog, id)), names, COLUMNS)


def columns_at(catalog: LanceCatalog, id: Names, version: int) -> list[str]:
    """Return the columns of the rows of a version."""
    rows = catalog.rows(id, version=version)
    holds(rows, "the earlier version has rows")
    return list(rows[0])


# AlterTableAddColumns

EXPRESSIONS: dict[str, tuple[str, list[Any]]] = {
    "number": ("age * 2", [60, 82, 104]),
    "several": ("id + age", [31, 43, 55]),
    "text": ("upper(name)", ["ANN", None, "CY"]),
    "constant": ("7", [7, 7, 7]),
    "default": ("coalesce(name, 'nobody')", ["Ann", "nobody", "Cy"]),
    "nested": ("home.zip + 1", [2, 3, 4]),
}


@must("lance.column.add.{}", operations=ADD, clause="add-columns", each=EXPRESSIONS)
def test_add_column(catalog: LanceCatalog, case: tuple[str, list[Any]]) -> None:
    """AlterTableAddColumns fills the new column with the value of its expression in every row ({})."""
    id = people(catalog)
    expression, values = case
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": expression}])
    equal(column(catalog, id, "new"), values, "the values of new")


@must("lance.column.add.together", operations=ADD, clause="add-columns")
def test_add_columns_in_one_version(catalog: LanceCatalog) -> None:
    """AlterTableAddColumns adds several columns in one version and returns that version."""
    id = people(catalog)
    before = catalog.version(id)
    new = [{"name": "a", "expression": "id"}, {"name": "b", "expression": "age + 1"}]
    version = catalog.alter_table_add_columns(id, new_columns=new)["version"]
    above(version, before, "the version of the answer")
    equal(catalog.version(id), version, "the version of the table")
    for name, values in {"a": [1, 2, 3], "b": [31, 42, 53]}.items():
        equal(column(catalog, id, name), values, f"the values of {name}")


@must("lance.column.add.others", operations=ADD, clause="add-columns")
@given(count=st.integers(1, 3))
def test_added_columns_leave_the_others(catalog: LanceCatalog, count: int) -> None:
    """AlterTableAddColumns leaves the other columns and earlier versions unchanged."""
    id = people(catalog)
    before = catalog.version(id)
    new = [{"name": f"new_{index}", "expression": "id"} for index in range(count)]
    catalog.alter_table_add_columns(id, new_columns=new)
    rows = catalog.rows(id, columns={"column_names": PEOPLE.column_names})
    same_items(rows, PEOPLE.to_pylist(), "the rows without the new columns")
    same_items(columns_at(catalog, id, before), PEOPLE.column_names, "the columns of the earlier version")


BAD_COLUMNS: dict[str, list[dict[str, Any]]] = {
    "syntax": [{"name": "new", "expression": "((("}],
    "missing_column": [{"name": "new", "expression": "nowhere + 1"}],
    "type": [{"name": "new", "expression": "home + 1"}],
    "placeholder": [{"name": "new", "expression": "id + ?"}],
    "no_expression": [{"name": "new"}],
    "twice": [{"name": "new", "expression": "id"}, {"name": "new", "expression": "age"}],
}


@must("lance.column.add.refused.{}", operations=ADD, clause="add-columns-invalid", kind="error", each=BAD_COLUMNS)
def test_add_bad_column(catalog: LanceCatalog, case: list[dict[str, Any]]) -> None:
    """AlterTableAddColumns with a column that cannot be computed ({}) returns 400 and adds no column."""
    accepts(catalog, "AlterTableAddColumns")
    id = people(catalog)
    catalog.alter_table_add_columns(id, new_columns=case, expect=400)
    columns_are(catalog, id, PEOPLE.column_names)


@should("lance.column.add.leftover", operations=ADD, clause="add-columns-invalid", kind="error")
def test_add_column_with_leftover(catalog: LanceCatalog) -> None:
    """AlterTableAddColumns rejects an expression followed by trailing text with 400 instead of truncating it."""
    id = people(catalog)
    catalog.alter_table_add_columns(id, new_columns=[{"name": "new", "expression": "id + 1, age"}], expect=400)
    lacks(fields(catalog, id), ["new"], COLUMNS)


@must("lance.column.add.taken", operations=ADD, clause="add-columns-taken", kind="error")
def test_add_column_that_exists(catalog: LanceCatalog) -> None:
    """AlterTableAddColumns with the name of an existing column returns 400 or 409 and changes no column."""
    accepts(catalog, "AlterTableAddColumns")
    id = people(catalog)
    new = [{"name": "fine", "expression": "id"}, {"name": "age", "expression": "0"}]
    catalog.alter_table_add_columns(id, new_columns=new, expect=(400, 409))
    equal(column(catalog, id, "age"), [30, 41, 52], "the values of age")
    lacks(fields(catalog, id), ["fine"], COLUMNS)


@should("lance.column.add.taken_code", operations=ADD, clause="add-columns-schema", kind="error")
def test_code_of_column_that_exists(catalog: LanceCatalog) -> None:
    """AlterTableAddColumns with the name of an existing column returns 400 with code 20."""
    new = [{"name": "age", "expression": "0"}]
    refused = catalog.alter_table_add_columns(people(catalog), new_columns=new, expect=400)
    equal(refused.code, 20, "the code of the error")


NO_NAMES = {"empty": "", "row_id": "_rowid"}


@should("lance.column.add.name.{}", operations=ADD, clause="column-names", kind="hostile", each=NO_NAMES)
def test_add_column_without_a_name(catalog: LanceCatalog, case: str) -> None:
    """AlterTableAddColumns with an invalid column name ({}) returns 400 and leaves the table readable."""
    id = people(catalog)
    catalog.alter_table_add_columns(id, new_columns=[{"name": case, "expression": "id"}], expect=400)
    equal(len(catalog.rows(id)), 3, "the number of rows")


@should("lance.column.add.name.{}", operations=ADD, clause="column-names", kind="hostile", each=COLUMN_NAMES)
def test_add_column_with_odd_name(catalog: LanceCatalog, case: str) -> None:
    """AlterTableAddColumns with an unusual column name ({}) adds the column under exactly that name."""
    id = people(catalog)
    catalog.alter_table_add_columns(id, new_columns=[{"name": case, "expression": "id"}])
    contains(fields(catalog, id), [case], COLUMNS)
    equal([row[case] for row in by_id(catalog.rows(id))], [1, 2, 3], "the values of the new column")


# AlterTableAlterColumns


@must("lance.column.alter.version", operations=ALTER, clause="alter-columns-rename")
def test_altering_makes_a_version(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns applies several alterations in one version, returns it and keeps earlier versions."""
    id = people(catalog)
    before = catalog.version(id)
    alterations = [
        {"path": "age", "data_type": KEPT, "rename": "years"},
        {"path": "id", "data_type": KEPT, "rename": "key"},
    ]
    version = catalog.alter_table_alter_columns(id, alterations=alterations)["version"]
    above(version, before, "the version of the answer")
    equal(catalog.version(id), version, "the version of the table")
    contains(fields(catalog, id), ["years", "key"], COLUMNS)
    contains(columns_at(catalog, id, before), ["age", "id"], "the columns of the earlier version")


@should("lance.column.alter.nested", operations=ALTER, clause="alter-columns-path")
def test_rename_nested_column(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns with a dotted path renames a field of a struct."""
    id = people(catalog)
    catalog.alter_table_alter_columns(id, alterations=[{"path": "home.zip", "data_type": KEPT, "rename": "code"}])
    equal(column(catalog, id, "home")[:1], [{"city": "Bonn", "code": 1}], "the first value of home")


@must("lance.column.alter.type", operations=ALTER, clause="alter-columns-type")
def test_change_type(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns to a type that fits the values changes the type or returns 400, and keeps the values."""
    id = people(catalog)
    alterations = [{"path": "age", "data_type": {"type": "int32"}}]
    answer = catalog.alter_table_alter_columns(id, alterations=alterations, expect=(200, 400))
    type = "int32" if answer.succeeded else "int64"
    equal(field(catalog, id, "age")["type"]["type"], type, "the type of the column age")
    equal(column(catalog, id, "age"), [30, 41, 52], "the values of age")


@must("lance.column.alter.nullable", operations=ALTER, clause="alter-columns-nullable")
def test_make_column_nullable(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns with nullable=true makes a non-nullable column nullable."""
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("n", pa.int64(), nullable=False)])
    id = catalog.new_table_of(pa.table({"id": [1], "n": [2]}, schema=schema))
    equal(field(catalog, id, "n")["nullable"], False, "nullable of the column n as it was created")
    catalog.alter_table_alter_columns(id, alterations=[{"path": "n", "data_type": KEPT, "nullable": True}])
    equal(field(catalog, id, "n")["nullable"], True, "nullable of the altered column n")


@should("lance.column.alter.not_null", operations=ALTER, clause="alter-columns-nullable", kind="error")
def test_column_with_nulls_stays_nullable(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns with nullable=false on a column with nulls returns 400 and keeps the values."""
    id = people(catalog)
    alteration = {"path": "name", "data_type": {"type": "utf8"}, "nullable": False}
    catalog.alter_table_alter_columns(id, alterations=[alteration], expect=400)
    equal(column(catalog, id, "name"), ["Ann", None, "Cy"], "the values of name")


@must("lance.column.alter.column_missing", operations=ALTER, clause="query-column", kind="error")
def test_alter_missing_column(catalog: LanceCatalog) -> None:
    """AlterTableAlterColumns of a missing column returns 404 with code 12 or 400 with code 13 and alters nothing."""
    accepts(catalog, "AlterTableAlterColumns")
    id = people(catalog)
    alterations = [
        {"path": "age", "data_type": KEPT, "rename": "years"},
        {"path": "nowhere", "data_type": KEPT, "rename": "x"},
    ]
    check_no_column(catalog.alter_table_alter_columns(id, alterations=alterations, expect=(400, 404)))
    contains(fields(catalog, id), ["age"], COLUMNS)


BAD_ALTERATIONS: dict[str, list[dict[str, Any]]] = {
    "taken": [{"path": "age", "data_type": KEPT, "rename": "id"}],
    "taken_within": [{"path": "home.zip", "data_type": KEPT, "rename": "city"}],
    "same_name_twice": [
        {"path": "age", "data_type": KEPT, "rename": "x"},
        {"path": "id", "data_type": KEPT, "rename": "x"},
    ],
    "impossible_type": [{"path": "home", "data_type": {"type": "int64"}}],
    "unknown_type": [{"path": "age", "data_type": {"type": "nonsense"}}],
    "no_type": [{"path": "age", "data_type": {}}],
    "length_below_0": [{"path": "age", "data_type": {"type": "fixed_size_binary", "length": -1}}],
}


@must(
    "lance.column.alter.refused.{}",
    operations=ALTER,
    clause="alter-columns-invalid",
    kind="error",
    each=BAD_ALTERATIONS,
)
def test_bad_alteration(catalog: LanceCatalog, case: list[dict[str, Any]]) -> None:
    """AlterTableAlterColumns with an invalid alteration ({}) returns 400 and alters nothing."""
    accepts(catalog, "AlterTableAlterColumns")
    id = people(catalog)
    catalog.alter_table_alter_columns(id, alterations=case, expect=400)
    columns_are(catalog, id, PEOPLE.column_names)
    same_items(catalog.rows(id), PEOPLE.to_pylist(), "the rows of the table")


# AlterTableDropColumns


@must("lance.column.drop.gone", operations=DROP, clause="drop-columns")
def test_drop_columns(catalog: LanceCatalog) -> None:
    """AlterTableDropColumns drops the columns, keeps the others and earlier versions, and returns the new version."""
    id = people(catalog)
    before = catalog.version(id)
    version = catalog.alter_table_drop_columns(id, columns=["name", "home"])["version"]
    equal(version, catalog.version(id), "the version of the answer")
    above(version, before, "the version of the answer")
    same_items(catalog.rows(id), PEOPLE.select(["id", "age"]).to_pylist(), "the rows of the table")
    contains(columns_at(catalog, id, before), ["name"], "the columns of the earlier version")


@must("lance.column.drop.column_missing", operations=DROP, clause="query-column", kind="error")
def test_drop_missing_column(catalog: LanceCatalog) -> None:
    """AlterTableDropColumns of a missing column returns 404 with code 12 or 400 with code 13 and drops nothing."""
    accepts(catalog, "AlterTableDropColumns")
    id = people(catalog)
    check_no_column(catalog.alter_table_drop_columns(id, columns=["age", "nowhere"], expect=(400, 404)))
    contains(fields(catalog, id), ["age"], COLUMNS)


@should(
    "lance.column.drop.refused.all",
    operations=DROP,
    clause="drop-columns-invalid",
    kind="error",
    world=all_but(data=KINDS_OF_DATA),
)
def test_drop_every_column(catalog: LanceCatalog) -> None:
    """AlterTableDropColumns of every column returns 400 and drops nothing."""
    id = people(catalog)
    catalog.alter_table_drop_columns(id, columns=PEOPLE.column_names, expect=400)
    columns_are(catalog, id, PEOPLE.column_names)


# UpdateTableSchemaMetadata


VALUES: dict[str, dict[str, str]] = {
    "one": {"owner": "me"},
    "several": {"a": "1", "b": "2", "c": ""},
    "unicode": {"größe": "✓ ünïcode"},
    "words_of_requests": {"id": "x", "identity": "y", "context": "z"},
    "none": {},
}


FORMER = {"former": "yes"}


def _metadata_are(actual: dict[str, str], sent: dict[str, str], what: str) -> None:
    """Check that metadata have the entries sent and none of FORMER; a server may add its own."""
    shows(actual, sent, what)
    lacks(actual, set(FORMER) - set(sent), what)


@must("lance.metadata.update.{}", operations=METADATA, clause="schema-metadata", each=VALUES)
def test_set_metadata(catalog: LanceCatalog, case: dict[str, str]) -> None:
    """UpdateTableSchemaMetadata stores the metadata of the request ({}) and returns them."""
    id = people(catalog)
    catalog.update_table_schema_metadata(id, FORMER)
    _metadata_are(catalog.update_table_schema_metadata(id, case).json, case, "the metadata of the answer")
    _metadata_are(metadata(catalog, id), case, "the metadata of the schema")


@must("lance.metadata.update.rows", operations=METADATA, clause="schema-metadata")
def test_metadata_leave_the_rows(catalog: LanceCatalog) -> None:
    """UpdateTableSchemaMetadata leaves rows and columns unchanged."""
    id = people(catalog)
    catalog.update_table_schema_metadata(id, {"a": "1"})
    same_items(catalog.rows(id), PEOPLE.to_pylist(), "the rows of the table")


NO_TEXTS: dict[str, Any] = {"number": {"a": 1}, "null": {"a": None}, "list": ["a"], "nested": {"a": {"b": "c"}}}


@must("lance.metadata.update.type.{}", operations=METADATA, clause="request-schemas", kind="error", each=NO_TEXTS)
def test_metadata_are_texts(catalog: LanceCatalog, case: Any) -> None:
    """UpdateTableSchemaMetadata with a body that is not a map of strings ({}) returns 400 and changes nothing."""
    id = people(catalog)
    catalog.control(lambda: catalog.update_table_schema_metadata(id, FORMER))
    catalog.update_table_schema_metadata(id, case, expect=400)
    shows(metadata(catalog, id), FORMER, "the metadata of the schema")
    lacks(metadata(catalog, id), ["a"], "the metadata of the schema")


# All operations


EMPTY: dict[str, Any] = {
    "add": (ADD, lambda catalog, id, **rest: catalog.alter_table_add_columns(id, new_columns=[], **rest)),
    "alter": (ALTER, lambda catalog, id, **rest: catalog.alter_table_alter_columns(id, alterations=[], **rest)),
    "drop": (DROP, lambda catalog, id, **rest: catalog.alter_table_drop_columns(id, columns=[], **rest)),
}


@must("lance.column.{}.nothing", operations=lambda case: case[0], clause="columns-none-named", each=EMPTY)
def test_empty_list_changes_nothing(catalog: LanceCatalog, case: Any) -> None:
    """A request to {} an empty list of columns returns 400 or changes nothing."""
    id = people(catalog)
    case[1](catalog, id, expect=(200, 400))
    columns_are(catalog, id, PEOPLE.column_names)


@should(
    "lance.column.{}.refused.none",
    operations=lambda case: case[0],
    clause="columns-none-refused",
    kind="error",
    each=EMPTY,
)
def test_empty_list_is_refused(catalog: LanceCatalog, case: Any) -> None:
    """A request to {} an empty list of columns returns 400."""
    case[1](catalog, people(catalog), expect=400)


@must("lance.column.{}.missing", operations=lambda case: case[0], clause="table-not-found", kind="error", each=CHANGES)
def test_change_missing_table(catalog: LanceCatalog, case: Any) -> None:
    """A change of columns or schema metadata ({}) of a missing table returns 404 with code 4, or 12 for a column."""
    refused = case[1](catalog, catalog.table_id("missing"), expect=404)
    table_is_missing(refused, *case[0])


@should(
    "lance.column.{}.declared",
    operations=lambda case: case[0],
    clause="declared-has-no-columns",
    kind="error",
    each=CHANGES,
)
def test_change_declared_table(catalog: LanceCatalog, case: Any) -> None:
    """A change of columns or schema metadata ({}) of a declared-only table returns 400 or 404."""
    id = catalog.new_declared_table()
    case[1](catalog, id, expect=(400, 404))
    equal(catalog.is_only_declared(id), True, "is_only_declared of the table")
