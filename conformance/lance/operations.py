"""Operations of the Lance Namespace, for requirements that hold for each of them."""

from __future__ import annotations

from conformance.common.operations import operations_of, with_json_body
from specs.openapi import Operation

OPERATIONS = operations_of("lance")
JSON_OPERATIONS = with_json_body(OPERATIONS)
READING = ("Describe", "List", "Count", "Query", "Explain", "Analyze", "Get")


def reads(operation: Operation) -> bool:
    """True for an operation that changes nothing."""
    return operation.id.startswith(READING) or operation.id.endswith("Exists")
