"""Bodies of every operation in which one field after another is unusual, or that are large."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.common import bodies
from conformance.common.bodies import Body
from conformance.common.fields import unusual, wrong_types
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import JSON_OPERATIONS, OPERATIONS, reads
from conformance.lance.support.fuller import FULLER
from conformance.lance.support.ordinary import Ordinary, ordinary
from specs.openapi import Schema

# What names something: a careless server would make of it what is not the run's own. Code of clients is never sent.
LEFT = ("id", "location", "new_table_name", "new_namespace_id", "virtual_column")


def _prepare(catalog: LanceCatalog, name: str, operation: str) -> Ordinary:
    return ordinary(catalog, operation, name)


def _values(schema: Schema) -> list[Any]:
    return [*wrong_types(schema), *unusual(schema)]


BODIES = {
    name: Body(operation, partial(_prepare, operation=operation.id), LEFT, lasting=reads(operation))
    for name, operation in JSON_OPERATIONS.items()
}
WITH_FIELDS = {name: body for name, body in BODIES.items() if name != "update_table_schema_metadata"} | {
    name: Body(operation, prepare, LEFT, what=name.rpartition(".")[2], unusual=_values, lasting=reads(operation))
    for name, (id, prepare) in FULLER.items()
    for operation in OPERATIONS.values()
    if operation.id == id
}
test_large_bodies_are_no_failure = bodies.large_bodies_are_no_failure.declare(__name__, BODIES)
test_unusual_values_are_no_failure = bodies.unusual_values_are_no_failure.declare(__name__, WITH_FIELDS)
