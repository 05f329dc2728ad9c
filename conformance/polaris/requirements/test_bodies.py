"""Bodies of every operation in which one field after another is wrong or unusual."""

from __future__ import annotations

from typing import Any

from conformance.common import bodies
from conformance.common.bodies import Body
from conformance.common.fields import unusual, wrong_types
from conformance.polaris.operations import JSON_OPERATIONS
from conformance.polaris.support.bodies import BODIES, prepared
from specs.openapi import Schema


def _values(schema: Schema) -> list[Any]:
    return [*wrong_types(schema), *unusual(schema)]


EACH = {
    ".".join(filter(None, (name, what))): Body(operation, prepared(operation, body), what=what, unusual=_values)
    for name, operation in JSON_OPERATIONS.items()
    for what, body in BODIES[operation.id].items()
}
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(__name__, EACH)
