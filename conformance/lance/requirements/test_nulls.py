"""Null values for the optional fields of every JSON body."""

from __future__ import annotations

from conformance.author.requirement import should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS
from conformance.target.minimal import minimal_value
from conformance.values.outcomes import Unoffered
from specs.lance.identifiers import join_parts
from specs.openapi import JSON_TYPE, Operation
from specs.profiles import find_profile


def optional_fields(operation: Operation) -> list[str]:
    """Return the optional fields of an operation's JSON body."""
    schema = DOCUMENT.resolve(operation.request.content[JSON_TYPE]) if operation.request else {}
    return [name for name in schema.get("properties", {}) if name not in schema.get("required", ())]


DOCUMENT = find_profile("lance").document()
OPERATIONS = {name: operation for name, operation in JSON_OPERATIONS.items() if optional_fields(operation)}
FITTING = {200, 204, 404, 409}  # statuses that do not reject the body


@should("lance.body.null.{}", clause="null-is-absent", each=OPERATIONS, reads=True)
def test_null_is_absent(catalog: LanceCatalog, case: Operation) -> None:
    """{} with null for every optional field returns the same status as without these fields."""
    schema = case.request.content[JSON_TYPE] if case.request else {}
    body = minimal_value(catalog.client.document, schema, catalog.target.missing_name)
    nulls = dict.fromkeys(optional_fields(case))
    missing = catalog.missing_namespace()
    # Two names, since a server may create the object of the first request.
    path, other = ({"id": join_parts((*missing, name))} for name in ("t", "u"))
    without = catalog.client.call(case.id, path=path, json=body, expect=None)
    if without.status not in FITTING:
        raise Unoffered(f"the server refuses the request for other reasons than a null: {without.status}")
    catalog.client.call(case.id, path=other, json={**nulls, **body}, expect=without.status)
