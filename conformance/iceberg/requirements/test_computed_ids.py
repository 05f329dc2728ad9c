"""Ids that the server computes, whatever a request says of them."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.content import VIEW_SCHEMA, WIDER, view_body
from conformance.iceberg.support.metadata import by_id, current_version
from conformance.iceberg.support.updates import add_schema

UNASSIGNED = 17  # what no server gives the first schema of a view


@must("iceberg.last_column.omitted", operations=["updateTable"], clause="update-add-schema-column-id")
def test_highest_column_id_is_computed(catalog: IcebergCatalog) -> None:
    """add-schema without last-column-id is accepted and sets last-column-id to the highest column id."""
    id = catalog.new_table()
    plain = IcebergClient(catalog.client, catalog.separator)  # without the fields that IcebergCatalog adds
    stated = catalog.first_id("schema")
    plain.update_table(id, [add_schema(WIDER if stated is None else {**WIDER, "schema-id": stated})])
    equal(catalog.metadata(id)["last-column-id"], 4, "the last-column-id")


@must("iceberg.view_schema.other_id", operations=["createView"], clause="create-view-schema-id")
def test_schema_id_of_the_request_is_replaced(catalog: IcebergCatalog) -> None:
    """The version of a new view refers to an existing schema, also if its schema-id in the request is another one."""
    body: dict[str, Any] = view_body(catalog.home)
    body["view-version"]["schema-id"] = UNASSIGNED
    metadata = catalog.view_metadata(catalog.new_view(**body))
    schema = by_id(metadata["schemas"], "schema-id", current_version(metadata)["schema-id"])
    names = [column["name"] for column in schema["fields"]]
    equal(names, [column["name"] for column in VIEW_SCHEMA["fields"]], "the columns of the version's schema")
