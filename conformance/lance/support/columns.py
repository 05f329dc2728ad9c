"""Column changes, and the columns and schema metadata of a table as DescribeTable returns them."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, holds, keyed
from conformance.http.answers import Answer
from conformance.lance.catalog import INVALID_INPUT, LanceCatalog, Names
from conformance.lance.support.extra_column import EXTRA
from conformance.lance.worlds import DATA

ADD = ["AlterTableAddColumns"]
ALTER = ["AlterTableAlterColumns"]
DROP = ["AlterTableDropColumns"]
METADATA = ["UpdateTableSchemaMetadata"]
COLUMNS = "the columns of the table"
KEPT = {"type": "int64"}
NEW = {"name": "new", "expression": "1"}
RENAMED = {"path": "age", "data_type": KEPT, "rename": "years"}
CHANGES: dict[str, Any] = {
    "add": (ADD, lambda catalog, id, **rest: catalog.alter_table_add_columns(id, new_columns=[NEW], **rest)),
    "alter": (ALTER, lambda catalog, id, **rest: catalog.alter_table_alter_columns(id, alterations=[RENAMED], **rest)),
    "drop": (DROP, lambda catalog, id, **rest: catalog.alter_table_drop_columns(id, columns=["age"], **rest)),
    "metadata": (METADATA, lambda catalog, id, **rest: catalog.update_table_schema_metadata(id, {"a": "1"}, **rest)),
}


def check_no_column(refused: Answer) -> None:
    """Check the error for a missing column: 404 with code 12, or 400 with the code of invalid input."""
    equal(refused.code, 12 if refused.status == 404 else INVALID_INPUT, "the code of the error")


def fields(catalog: LanceCatalog, id: Names, **on: Any) -> dict[str, Any]:
    """Return the fields of a table's schema by name; `on` may name a branch."""
    return keyed(schema_of(catalog, id, **on)["fields"], "name")


def schema_of(catalog: LanceCatalog, id: Names, **on: Any) -> Any:
    """Return the schema of a table without the column that the current world adds; `on` may name a branch.

    Raises Violation when DescribeTable returns none.
    """
    schema = catalog.describe_table(id, **on, _query={"load_detailed_metadata": True})["schema"]
    holds(schema, "DescribeTable tells the schema of the table")
    if catalog.target.surroundings.value(DATA):
        return {**schema, "fields": [field for field in schema["fields"] if field["name"] != EXTRA]}
    return schema


def metadata(catalog: LanceCatalog, id: Names) -> dict[str, str]:
    """Return the metadata of a table's schema."""
    entries: dict[str, str] = schema_of(catalog, id).get("metadata") or {}
    return entries


def field_metadata(catalog: LanceCatalog, id: Names, name: str) -> dict[str, str]:
    """Return the metadata of one field of a table's schema."""
    entries: dict[str, str] = field(catalog, id, name).get("metadata") or {}
    return entries


def field(catalog: LanceCatalog, id: Names, name: str) -> Any:
    """Return one field of a table's schema. Raises Violation when the schema lacks it."""
    declared = fields(catalog, id)
    contains(declared, [name], COLUMNS)
    return declared[name]
