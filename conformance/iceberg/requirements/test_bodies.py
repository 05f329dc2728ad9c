"""Bodies of every operation in which one field after another is wrong or unusual."""

from __future__ import annotations

from typing import Any

from conformance.common import bodies
from conformance.common.bodies import Body
from conformance.common.fields import wrong_types
from conformance.iceberg.operations import JSON_OPERATIONS, OPERATIONS
from conformance.iceberg.support.ordinary import COMMITS, PREPARATIONS
from specs.openapi import Schema

# What names something: a server that makes a text of everything would make what is not the run's own. Renamings have
# nothing else.
NAMES = ("name", "namespace", "identifier", "source", "destination", "location", "metadata-location")


def _wrong(schema: Schema) -> list[Any]:
    """Return the wrong values of a field; a server may take a number in a map of texts for a text."""
    return [value for value in wrong_types(schema) if not isinstance(value, dict)]


BODIES = {
    name: Body(operation, PREPARATIONS[operation.id], NAMES, _wrong)
    for name, operation in JSON_OPERATIONS.items()
    if operation.id in PREPARATIONS
} | {
    f"update_table.{what}": Body(OPERATIONS["update_table"], prepare, NAMES, _wrong, what.replace("_", " "))
    for what, prepare in COMMITS.items()
}
test_fields_of_wrong_type = bodies.fields_of_wrong_type.declare(__name__, BODIES)
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(__name__, BODIES)
