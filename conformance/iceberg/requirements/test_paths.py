"""Unknown paths, and methods that a path does not support."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import orjson

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.common import paths
from conformance.common.paths import DROPPING, METHODS, Asked
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import OBJECTS
from conformance.iceberg.operations import OPERATIONS
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Unoffered, Violation
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

PLACES = ("get_config", "list_namespaces", "load_table")  # paths without a name, and with names of both kinds
NO_METHOD = 405


@should(
    "iceberg.request.no_method.{}",
    clause="methods-body",
    kind="error",
    each={name: ASKED[name] for name in PLACES},
)
def test_body_of_a_refused_method(catalog: IcebergCatalog, case: Asked) -> None:
    """A 405 on the path of {} has no body, or the JSON error body of the catalog with code 405."""
    catalog.client.require(case.id)
    request = replace(case.request(catalog), operation="", method="PATCH")
    catalog.client.reach_subject()
    refused = catalog.client.send(request)
    catalog.client.touch(refused, "status")
    if refused.status != NO_METHOD:
        raise Unoffered(f"the server refuses the method with {refused.status}")
    if not refused.response_body:
        return
    catalog.client.touch(refused, "body:")
    try:
        error = orjson.loads(refused.response_body)["error"]
        stated = {name: error.get(name) for name in ("message", "type", "code")}
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        raise Violation("the body of a 405 is no error of the catalog", aspect="body") from None
    equal(stated["code"], NO_METHOD, "the code of the error")
    equal([name for name, value in stated.items() if value is None], [], "the fields that the error lacks")
