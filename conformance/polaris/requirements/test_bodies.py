"""Ordinary requests of every operation with one invalid or unusual field or parameter, or with a large body."""

from __future__ import annotations

from typing import Any

from conformance.common import bodies, invalid
from conformance.common.bodies import RequestCase
from conformance.common.fields import unusual, wrong_types
from conformance.polaris.operations import DOCUMENT, JSON_OPERATIONS, OPERATIONS, by_document, declared
from conformance.polaris.storage import AUTHENTICATIONS, CONNECTIONS
from conformance.polaris.support.bodies import BODIES, SET_BY_SERVERS, prepared
from conformance.polaris.support.ordinary import preparation
from specs.openapi import Schema

FOREIGN = ("namespace", "target-name")  # parameters that would name objects of others


def _values(schema: Schema) -> list[Any]:
    return [*wrong_types(schema), *unusual(schema)]


# Requests that a server may reject for its own reasons.
# Bodies with other connections and authentications repeat these fields, which the other catalog bodies test.
APART = ("name", "storageConfigInfo", "properties", *SET_BY_SERVERS)
ALIKE = {*CONNECTIONS, *AUTHENTICATIONS} - {"iceberg_rest"}
# Bodies of these name targets, grants or files that do not exist.
NAMING_OTHERS = (
    *("sendNotification", "updatePolicy", "attachPolicy", "detachPolicy"),
    *("addGrantToCatalogRole", "revokeGrantFromCatalogRole"),
)
# Its complete bodies replace the storage of a catalog whose default location lies in the old one.
MOVING = ("updateCatalog",)
EACH = {
    ".".join(filter(None, (name, what))): RequestCase(
        operation,
        prepared(operation, body),
        APART if what in ALIKE else (),
        what=what,
        unusual=_values,
        accepted=operation.id not in (*NAMING_OTHERS, *MOVING),
    )
    for name, operation in JSON_OPERATIONS.items()
    for what, body in BODIES[operation.id].items()
}
ORDINARY = {
    name: RequestCase(
        operation,
        preparation(operation),
        FOREIGN,
        lasting=operation.method == "GET",
        accepted=operation.id not in NAMING_OTHERS,
    )
    for name, operation in OPERATIONS.items()
}
WITH_PARAMETERS = {
    name: body
    for name, body in ORDINARY.items()
    if any(not known.required and known.name not in FOREIGN for known in body.operation.parameters)
}
NESTED = {name: body for name, body in ORDINARY.items() if "{namespace}/" in body.operation.path}
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(__name__, EACH)
test_unusual_parameters_are_no_failure = bodies.unusual_parameters_are_no_failure.declare(__name__, WITH_PARAMETERS)
test_large_bodies_are_no_failure = bodies.large_bodies_are_no_failure.declare(
    __name__, {name: ORDINARY[name] for name in JSON_OPERATIONS}
)
test_nested_namespaces_are_like_others = bodies.nested_namespaces_are_like_others.declare(__name__, NESTED)
test_invalid_fields_are_no_failure = invalid.invalid_fields_are_no_failure.declare(
    __name__,
    {name: ORDINARY[name] for name in JSON_OPERATIONS},
    level=declared,
    clause=by_document("invalid-no-failure"),
)
test_invalid_parameters_are_no_failure = invalid.invalid_parameters_are_no_failure.declare(
    __name__,
    invalid.with_invalid_parameters(WITH_PARAMETERS, DOCUMENT),
    level=declared,
    clause=by_document("invalid-no-failure"),
)
test_invalid_page_tokens_are_no_failure = invalid.invalid_page_tokens_are_no_failure.declare(
    __name__, invalid.with_page_tokens(WITH_PARAMETERS), level=declared, clause=by_document("invalid-no-failure")
)
