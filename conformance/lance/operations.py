"""Operations of the Lance Namespace, for requirements that hold for each of them."""

from __future__ import annotations

from conformance.common.operations import operations_of, with_json_body
from specs.openapi import JSON_TYPE, Operation
from specs.profiles import newest_profile

OPERATIONS = operations_of("lance")
JSON_OPERATIONS = with_json_body(OPERATIONS)
READING = ("Describe", "List", "Count", "Query", "Explain", "Analyze", "Get")


DOCUMENT = newest_profile("lance").document()
BRANCH = "branch"


def branch_in_query(operation: Operation) -> bool:
    """Return whether an operation takes its branch from the query."""
    return any(parameter.name == BRANCH for parameter in operation.query_parameters())


def _branch_in_body(operation: Operation) -> bool:
    schema = operation.request.content.get(JSON_TYPE, {}) if operation.request else {}
    return BRANCH in DOCUMENT.resolve(schema).get("properties", {})


BRANCHED = {
    name: operation
    for name, operation in OPERATIONS.items()
    if operation.id in DOCUMENT.operations and (branch_in_query(operation) or _branch_in_body(operation))
}
ON_BRANCHES = tuple(operation.id for operation in BRANCHED.values())


def reads(operation: Operation) -> bool:
    """True for an operation that changes nothing."""
    return operation.id.startswith(READING) or operation.id.endswith("Exists")
