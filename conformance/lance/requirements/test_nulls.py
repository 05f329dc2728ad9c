"""Null values for the optional fields of every JSON body."""

from __future__ import annotations

from conformance.author.requirement import should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS
from conformance.lance.support.ordinary import view_body
from conformance.target.minimal import minimal_value
from conformance.values.outcomes import Unoffered
from specs.lance.identifiers import join_parts
from specs.openapi import JSON_TYPE, Document, Operation
from specs.profiles import newest_operations


def optional_fields(document: Document, operation: Operation) -> list[str]:
    """Return the optional fields of an operation's JSON body."""
    schema = document.resolve(operation.request.content[JSON_TYPE]) if operation.request else {}
    return [name for name in schema.get("properties", {}) if name not in schema.get("required", ())]


OPERATIONS = {
    operation.name: operation
    for profile, operation in newest_operations("lance").values()
    if operation.name in JSON_OPERATIONS and optional_fields(profile.document(), operation)
}
FULL = {"CreateMaterializedView": view_body()}  # a body of which the schema does not say enough
FITTING = {200, 201, 202, 204, 404, 409}  # statuses that do not reject the body


@should("lance.body.null.{}", clause="null-is-absent", each=OPERATIONS, reads=True)
def test_null_is_absent(catalog: LanceCatalog, case: Operation) -> None:
    """{} with null for every optional field returns the same status as without these fields."""
    document = catalog.client.document
    operation = document.operation(case.id)
    schema = operation.request.content[JSON_TYPE] if operation.request else {}
    body = FULL.get(case.id) or minimal_value(document, schema, catalog.target.missing_name)
    nulls = dict.fromkeys(optional_fields(document, operation))
    missing = catalog.missing_namespace()
    # Two names, since a server may create the object of the first request.
    path, other = ({"id": join_parts((*missing, name))} for name in ("t", "u"))
    without = catalog.client.call(case.id, path=path, json=body, expect=None)
    if without.status not in FITTING:
        raise Unoffered(f"the server refuses the request for other reasons than a null: {without.status}")
    catalog.client.call(case.id, path=other, json={**nulls, **body}, expect=without.status)
