"""Unknown paths, and methods that a path does not support."""

from __future__ import annotations

from functools import partial

from conformance.common import paths
from conformance.common.paths import DROPPING, METHODS, Asked
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import OBJECTS
from conformance.iceberg.operations import OPERATIONS
from conformance.values.exchange import Exchange
from specs.openapi import Operation


def _request(catalog: IcebergCatalog, operation: Operation) -> Exchange:
    """Return a request without a body for an existing table or view, if its path names one."""
    name = catalog.target.missing_name
    if "{view}" in operation.path:
        name = catalog.new_view()[-1]
    elif "{table}" in operation.path:
        name = catalog.new_table()[-1]
    return catalog.client.prepare(operation.id, path=catalog.any_path(operation, name))


def _asked(operation: Operation) -> Asked:
    """Return the methods to try on an operation's path: DELETE only where the path names an object of the run."""
    methods = METHODS if any(f"{{{name}}}" in operation.path for name in OBJECTS) else set(METHODS) - {DROPPING}
    return Asked(operation, partial(_request, operation=operation), sorted(methods))


ASKED = {name: _asked(operation) for name, operation in OPERATIONS.items()}
test_other_methods_are_refused = paths.other_methods_are_refused.declare(__name__, ASKED)
test_nothing_lies_below = paths.nothing_lies_below.declare(__name__, ASKED)
