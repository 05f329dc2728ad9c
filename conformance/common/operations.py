"""The operations of an API, as cases of requirements that each of them must meet."""

from __future__ import annotations

from collections.abc import Mapping

from specs.openapi import JSON_TYPE, Operation
from specs.profiles import every_operation


def operations_of(api: str) -> dict[str, Operation]:
    """Return the operations of all revisions of an API by their Python names."""
    return {operation.name: operation for operation in every_operation(api)}


def has_json_body(operation: Operation) -> bool:
    """True when the operation accepts a JSON body."""
    return operation.request is not None and JSON_TYPE in operation.request.content


def with_json_body(operations: Mapping[str, Operation]) -> dict[str, Operation]:
    """Return the operations that accept a JSON body."""
    return {name: operation for name, operation in operations.items() if has_json_body(operation)}
