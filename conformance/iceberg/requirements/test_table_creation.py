"""createTable: metadata of new tables, and invalid requests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import equal, keyed, lacks, only, same_items, text, unequal
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA, field, order, partition, schema, sort_field, spec
from conformance.iceberg.support.metadata import (
    VERSION_FIELDS,
    current_schema,
    current_snapshot,
    default_order,
    default_spec,
    field_ids,
    properties_of,
)
from conformance.iceberg.support.validity import mended

CREATE = ["createTable"]
# Column ids that no server would assign.
ODD = schema(field(17, "id", required=True), field(5, "name", "string"), field(90, "day", "date"))


PARTS = ("name", "required", "type", "element", "element-required", "key", "value", "value-required", "doc")


def shape(type: Any) -> Any:
    """Return a type without its ids, which the server assigns, and without fields that a server may add."""
    if not isinstance(type, dict):
        return type
    fields = [
        {key: shape(value) for key, value in member.items() if key in PARTS} | {"doc": member.get("doc")}
        for member in type.get("fields", ())
    ]
    return {key: shape(value) for key, value in type.items() if key in PARTS} | {"fields": fields}


@must("iceberg.table.create.schema", operations=CREATE, clause="create-table-schema")
@given(wanted=st.sampled_from([SCHEMA, NESTED_SCHEMA, ODD]))
def test_schema_is_that_of_the_request(catalog: IcebergCatalog, wanted: dict[str, Any]) -> None:
    """A new table has the requested fields, including nested ones, in order, with types and documentation."""
    metadata = catalog.metadata(catalog.new_table(schema=wanted))
    equal(shape(current_schema(metadata)), shape(wanted), "the current schema but for its ids")


@should("iceberg.table.create.ids", operations=CREATE, clause="create-table-ids")
def test_server_gives_ids(catalog: IcebergCatalog) -> None:
    """createTable assigns column ids from 1 level by level, schema id 0 and partition field ids from 1000."""
    fields = [*NESTED_SCHEMA["fields"], field(50, "day", "date")]
    wanted = schema(*({**column, "id": 100 + column["id"]} for column in fields))
    body: dict[str, Any] = {"schema": wanted, "partition_spec": spec(partition(150, "day"))}
    metadata = catalog.metadata(catalog.new_table(**body))
    same_items(field_ids(current_schema(metadata)), range(1, 11), "the ids of all columns and nested fields")
    equal([column["id"] for column in current_schema(metadata)["fields"]], [1, 2, 3, 4, 5], "the ids of the columns")
    equal(metadata["current-schema-id"], 0, "the current-schema-id")
    equal([part["field-id"] for part in default_spec(metadata)["fields"]], [1000], "the ids of the partition fields")


@should("iceberg.table.create.without_ids", operations=CREATE, clause="create-table-ids")
def test_ids_that_the_server_gives_may_be_absent(catalog: IcebergCatalog) -> None:
    """createTable accepts a partition spec without spec-id and a sort order without order-id."""
    body: dict[str, Any] = {
        "partition_spec": {"fields": [partition(3, "day")]},
        "write_order": {"fields": [sort_field(1)]},
    }
    metadata = catalog.metadata(catalog.new_table(**body))
    only(default_spec(metadata)["fields"], "the fields of the default partition spec")
    only(default_order(metadata)["fields"], "the fields of the default sort order")


@must("iceberg.table.create.remapped", operations=CREATE, clause="create-table-remap")
def test_references_follow_the_columns(catalog: IcebergCatalog) -> None:
    """Partition, sort and identifier fields of a new table refer to the same columns as in the request."""
    wanted = {**ODD, "identifier-field-ids": [17]}
    body: dict[str, Any] = {
        "schema": wanted,
        "partition_spec": spec(partition(90, "month", "month")),
        "write_order": order(sort_field(5, direction="desc")),
    }
    metadata = catalog.metadata(catalog.new_table(**body))
    columns = keyed(current_schema(metadata)["fields"], "name")
    sources = [part["source-id"] for part in default_spec(metadata)["fields"]]
    equal(sources, [columns["day"]["id"]], "the columns of the partition spec")
    sources = [part["source-id"] for part in default_order(metadata)["fields"]]
    equal(sources, [columns["name"]["id"]], "the columns of the sort order")
    identifiers = current_schema(metadata).get("identifier-field-ids")
    equal(identifiers, [columns["id"]["id"]], "the identifier-field-ids of the schema")


@must("iceberg.table.create.unpartitioned", operations=CREATE, clause="create-table-unpartitioned")
@given(explicit=st.booleans())
def test_neither_partitioned_nor_sorted(catalog: IcebergCatalog, explicit: bool) -> None:
    """A table created without a spec and an order, or with empty ones, is unpartitioned and has sort order 0."""
    empty: dict[str, Any] = {"partition_spec": spec(), "write_order": order()} if explicit else {}
    metadata = catalog.metadata(catalog.new_table(**empty))
    equal(default_spec(metadata)["fields"], [], "the fields of the default partition spec")
    equal(metadata["default-sort-order-id"], 0, "the default-sort-order-id")
    equal(default_order(metadata)["fields"], [], "the fields of the default sort order")
    equal(current_snapshot(metadata), None, "the current snapshot")


@must("iceberg.table.create.location", operations=CREATE, clause="create-table-location")
def test_new_table_has_a_location(catalog: IcebergCatalog) -> None:
    """Every new table has its own location."""
    first, second = catalog.metadata(catalog.new_table("a")), catalog.metadata(catalog.new_table("b"))
    location = text(first["location"], "the location of the table").rstrip("/")
    unequal(second["location"].rstrip("/"), location, "the location of another table")


VERSIONS = {str(version): version for version in VERSION_FIELDS}


@should(
    "iceberg.table.create.format_version.{}", operations=CREATE, clause="create-table-format-version", each=VERSIONS
)
def test_format_version(catalog: IcebergCatalog, case: int) -> None:
    """The property format-version={} creates a table of that version and is not stored as a property."""
    id = catalog.table_id()
    catalog.create_table(id, schema=SCHEMA, properties={"format-version": str(case), "kept": "1"})
    metadata = catalog.metadata(id)
    equal(metadata["format-version"], case, "the format-version")
    lacks(properties_of(metadata), ["format-version"], "the properties of the table")
    equal(properties_of(metadata).get("kept"), "1", 'the property "kept"')


@should(
    "iceberg.table.create.format_unknown",
    operations=CREATE,
    clause="create-table-format-unknown",
    kind="error",
)
@given(version=st.sampled_from(["99", "0", "-1", "two", ""]))
def test_unknown_format_version(catalog: IcebergCatalog, version: str) -> None:
    """createTable with an unknown format-version returns 400."""
    body: dict[str, Any] = {"schema": SCHEMA, "properties": {"format-version": version}}
    catalog.create_table(catalog.table_id(), expect=400, **body)
    catalog.control(catalog.new_table)


@must("iceberg.table.create.uuid", operations=CREATE, clause="create-table-uuid")
def test_uuids_differ(catalog: IcebergCatalog) -> None:
    """Every new table has its own UUID, even under the name of a dropped table."""
    first = catalog.metadata(catalog.new_table("a"))["table-uuid"]
    second = catalog.metadata(catalog.new_table("b"))["table-uuid"]
    catalog.drop_table(catalog.table_id("a"))
    third = catalog.metadata(catalog.new_table("a"))["table-uuid"]
    unequal(second, first, "the table-uuid of another table")
    for former in (first, second):
        unequal(third, former, "the table-uuid of the table with the name of a dropped one")


# Rejections


BAD_SCHEMAS: dict[str, Any] = {
    "doubled_name": schema(field(1, "a"), field(2, "a")),
    "doubled_id": schema(field(1, "a"), field(1, "b")),
    "unknown_type": schema(field(1, "a", "integer64")),
    "unknown_identifier": {**SCHEMA, "identifier-field-ids": [99]},
    "optional_identifier": {**SCHEMA, "identifier-field-ids": [2]},
    "bad_decimal": schema(field(1, "a", "decimal(40,2)")),
}


@must(
    "iceberg.table.create.bad_schema.{}",
    operations=CREATE,
    clause="create-table-bad-schema",
    kind="error",
    each=BAD_SCHEMAS,
)
def test_bad_schema(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """createTable with an invalid schema ({}) returns 400 without a table, or stores its columns in a valid schema."""
    id = catalog.table_id()
    if catalog.create_table(id, schema=case, expect=(200, 400)).succeeded:
        mended(catalog.metadata(id), case)
        return
    catalog.load_table(id, expect=404)
    catalog.control(catalog.new_table)


BAD_LAYOUTS: dict[str, Any] = {
    "spec_column": {"partition_spec": spec(partition(99, "p"))},
    "spec_transform": {"partition_spec": spec(partition(2, "p", "month"))},
    "spec_doubled_name": {"partition_spec": spec(partition(1, "p"), partition(3, "p"))},
    "order_column": {"write_order": order(sort_field(99))},
    "order_transform": {"write_order": order(sort_field(2, "day"))},
}


@must(
    "iceberg.table.create.bad_layout.{}",
    operations=CREATE,
    clause="create-table-bad-spec",
    kind="error",
    each=BAD_LAYOUTS,
)
def test_bad_layout(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """createTable with a spec or sort order that does not fit the schema ({}) returns 400 and creates no table."""
    _refuses_layout(catalog, case)


UNKNOWN: dict[str, Any] = {"spec_unknown_transform": {"partition_spec": spec(partition(2, "p", "bucket[0]"))}}


@should(
    "iceberg.table.create.bad_layout.{}",
    operations=CREATE,
    clause="create-table-unknown-transform",
    kind="error",
    each=UNKNOWN,
)
def test_unknown_transform(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """createTable with an unknown transform ({}) returns 400 and creates no table."""
    _refuses_layout(catalog, case)


def _refuses_layout(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    id = catalog.table_id()
    catalog.create_table(id, schema=SCHEMA, expect=400, **case)
    catalog.load_table(id, expect=404)
    catalog.control(catalog.new_table)


NEWER: dict[str, Any] = {
    "timestamp_ns": field(1, "a", "timestamp_ns"),
    "variant": field(1, "a", "variant"),
    "default": field(1, "a", "int", initial_default=5),
}


@must("iceberg.table.create.newer_type.{}", operations=CREATE, clause="metadata-v3-types", kind="error", each=NEWER)
def test_newer_types(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """createTable of format version 2 with a part of version 3 ({}) returns 400, or stores a valid schema."""
    id, body = catalog.table_id(), {"properties": {"format-version": "2"}}
    catalog.control(lambda: catalog.new_table("twin", schema=schema(field(1, "a")), **body))
    if catalog.create_table(id, schema=schema(case), expect=(200, 400), **body).succeeded:
        mended(catalog.metadata(id), schema(case))


BAD_BODIES: dict[str, Any] = {
    "no_schema": {"schema": None},
    "no_name": {"name": None},
    "schema_text": {"schema": "long"},
    "properties_list": {"properties": ["a"]},
}


@must("iceberg.table.create.bad_body.{}", operations=CREATE, clause="bad-body", kind="error", each=BAD_BODIES)
def test_bad_body(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """createTable with a body that violates its schema ({}) returns 400."""
    body: dict[str, Any] = {"name": catalog.table_id()[-1], "schema": SCHEMA, **case}
    content = {key: value for key, value in body.items() if value is not None}
    catalog.send("createTable", catalog.namespace_path(catalog.home), content, expect=400)
    catalog.control(catalog.new_table)
