"""The operations of the Lance Namespace, for requirements that hold for each of them."""

from __future__ import annotations

from specs.openapi import JSON_TYPE, Operation
from specs.profiles import every_operation

OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in every_operation("lance")}


def has_json_body(operation: Operation) -> bool:
    """True when the operation takes a JSON body."""
    return operation.request is not None and JSON_TYPE in operation.request.content


JSON_OPERATIONS = {name: operation for name, operation in OPERATIONS.items() if has_json_body(operation)}


def subject(operation: Operation) -> list[str]:
    """Return the operation as the subject of a requirement."""
    return [operation.id]
