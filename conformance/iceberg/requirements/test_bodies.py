"""Requests of every operation with one wrong or unusual field or parameter at a time, and with large bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.common import bodies, invalid
from conformance.common.bodies import RequestCase
from conformance.common.fields import unusual, wrong_types
from conformance.iceberg.operations import DOCUMENT, JSON_OPERATIONS, OPERATIONS
from conformance.iceberg.support.ordinary import COMMITS, ISSUED, OTHERS, PREPARATIONS, SCAN, preparation
from specs.openapi import Operation, Schema

# Fields with names: a server that converts any value to a string would create objects without the run's prefix.
NAMES = ("/name", "/namespace", "location", "metadata-location")
FOREIGN = ("parent", "warehouse")  # parameters that name objects outside of the run
READING = ("GET", "HEAD")
LASTING = (
    "planTableScan",
    "reportMetrics",
    "fetchScanTasks",
    "replaceView",
)  # operations that their object accepts repeatedly
FIELD = ("id", "name", "type", "required", "doc")  # the fields of a schema's field
AGAIN = ("schema", "defaults")  # commits that a table accepts repeatedly
# Fields that further requests of an operation share with its first one: they are tested only there.
COMMON = {
    "planTableScan": tuple(f"/{name}" for name in SCAN if name != "filter"),
    "reportMetrics": ("/table-name", "/snapshot-id", "/metadata"),
    "defaults": ("action", "requirements", "schema-id", "identifier-field-ids", "last-column-id", *FIELD),
}


def _wrong(schema: Schema) -> list[Any]:
    """Return wrong values of a field, without maps: a server may accept a number in a map of strings."""
    return [value for value in wrong_types(schema) if not isinstance(value, dict)]


def _values(schema: Schema) -> list[Any]:
    return [*wrong_types(schema), *unusual(schema)]


def _body(operation: Operation) -> RequestCase:
    """Return the body of an operation's valid request."""
    lasting = operation.method in READING or operation.id in LASTING
    accepted = operation.id not in ISSUED
    return RequestCase(
        operation, preparation(operation), (*NAMES, *FOREIGN), _wrong, lasting=lasting, accepted=accepted
    )


RENAMES = ("rename_table", "rename_view")
BY_ID = {operation.id: operation for operation in OPERATIONS.values()}
BODIES = (
    {name: _body(operation) for name, operation in JSON_OPERATIONS.items() if operation.id in PREPARATIONS}
    | {
        f"update_table.{what}": RequestCase(
            OPERATIONS["update_table"],
            prepare,
            (*NAMES, *COMMON.get(what, ())),
            _wrong,
            what.replace("_", " "),
            lasting=what in AGAIN,
        )
        for what, prepare in COMMITS.items()
    }
    | {
        name: RequestCase(BY_ID[id], prepare, (*NAMES, *COMMON[id]), _wrong, name.rpartition(".")[2], lasting=True)
        for name, (id, prepare) in OTHERS.items()
    }
    | {name: replace(_body(OPERATIONS[name]), leave=("/destination",)) for name in RENAMES}
)
UNSIGNED = {name: operation for name, operation in JSON_OPERATIONS.items() if operation.id != "signRequest"}
WITH_PARAMETERS = {
    name: _body(operation)
    for name, operation in OPERATIONS.items()
    if any(not known.required and known.name not in FOREIGN for known in operation.parameters)
    and (operation.request is None or name in UNSIGNED)
}
test_fields_of_wrong_type = bodies.fields_of_wrong_type.declare(__name__, BODIES)
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(
    __name__, BODIES | {"fetch_scan_tasks": replace(_body(OPERATIONS["fetch_scan_tasks"]), unusual=_values)}
)
test_unusual_parameters_are_no_failure = bodies.unusual_parameters_are_no_failure.declare(__name__, WITH_PARAMETERS)
test_large_bodies_are_no_failure = bodies.large_bodies_are_no_failure.declare(
    __name__, {name: _body(operation) for name, operation in UNSIGNED.items()}
)
test_invalid_fields_are_no_failure = invalid.invalid_fields_are_no_failure.declare(__name__, BODIES)
test_invalid_parameters_are_no_failure = invalid.invalid_parameters_are_no_failure.declare(
    __name__, invalid.with_invalid_parameters(WITH_PARAMETERS, DOCUMENT)
)
test_invalid_page_tokens_are_no_failure = invalid.invalid_page_tokens_are_no_failure.declare(
    __name__, invalid.with_page_tokens(WITH_PARAMETERS)
)
