"""Requests of every operation with one unusual field or parameter, and with large bodies."""

from __future__ import annotations

from typing import Any

from conformance.common import bodies, invalid
from conformance.common.bodies import RequestCase
from conformance.common.fields import unusual, wrong_types
from conformance.lance.operations import DOCUMENT, JSON_OPERATIONS, OPERATIONS, reads
from conformance.lance.support.fuller import FULLER
from conformance.lance.support.ordinary import preparation
from specs.apis import find_api
from specs.openapi import Operation, Schema
from specs.profiles import Profile

# Fields that name objects (another value could change objects of others), and client code, which is never sent.
LEFT = ("id", "location", "new_table_name", "new_namespace_id", "virtual_column")


def _values(schema: Schema) -> list[Any]:
    return [*wrong_types(schema), *unusual(schema)]


BODIES = {
    name: RequestCase(operation, preparation(operation), LEFT, lasting=reads(operation))
    for name, operation in JSON_OPERATIONS.items()
}
WITH_FIELDS = {name: body for name, body in BODIES.items() if name != "update_table_schema_metadata"} | {
    name: RequestCase(
        operation,
        prepare,
        LEFT,
        what=name.rpartition(".")[2],
        part=part,
        unusual=_values,
        lasting=reads(operation),
    )
    for name, (id, part, prepare) in FULLER.items()
    for operation in OPERATIONS.values()
    if operation.id == id
}


def _stays(operation: Operation) -> tuple[str, ...]:
    """Return the parameters that keep their value: with another delimiter an id would name another object."""
    return () if "/transaction/" in operation.path else ("delimiter",)


def _varies(operation: Operation) -> bool:
    """True for an operation with a parameter that may have another value."""
    return any(not known.required and known.name not in _stays(operation) for known in operation.parameters)


def _since(operation: Operation) -> str:
    """Return the first revision in which an operation has a parameter that may have another value, "" for all."""
    revisions = find_api("lance").revisions
    declared = {revision: Profile("lance", revision).document().operations for revision in revisions}
    varying = [name for name, known in declared.items() if operation.id in known and _varies(known[operation.id])]
    return "" if varying[0] == revisions[0] else varying[0]


WITH_PARAMETERS = {
    name: RequestCase(
        operation, preparation(operation), _stays(operation), lasting=reads(operation), since=_since(operation)
    )
    for name, operation in OPERATIONS.items()
    if _varies(operation)
}
test_unusual_parameters_are_no_failure = bodies.unusual_parameters_are_no_failure.declare(__name__, WITH_PARAMETERS)
test_large_bodies_are_no_failure = bodies.large_bodies_are_no_failure.declare(__name__, BODIES)
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(__name__, WITH_FIELDS)
test_invalid_parameters_are_no_failure = invalid.invalid_parameters_are_no_failure.declare(
    __name__, invalid.with_invalid_parameters(WITH_PARAMETERS, DOCUMENT)
)
test_invalid_page_tokens_are_no_failure = invalid.invalid_page_tokens_are_no_failure.declare(
    __name__, invalid.with_page_tokens(WITH_PARAMETERS)
)
