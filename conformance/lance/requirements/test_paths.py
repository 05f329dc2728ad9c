"""Paths and methods without an operation."""

from __future__ import annotations

from functools import partial

from conformance.author.checks import number
from conformance.author.requirement import should
from conformance.author.suite import Suite
from conformance.common import paths
from conformance.common.paths import Asked
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.ordinary import ordinary
from conformance.values.exchange import Exchange


def _request(catalog: LanceCatalog, operation: str) -> Exchange:
    return ordinary(catalog, operation).exchange(catalog, operation)


ASKED = {name: Asked(operation, partial(_request, operation=operation.id)) for name, operation in OPERATIONS.items()}
test_other_methods_are_refused = paths.other_methods_are_refused.declare(__name__, ASKED)
test_nothing_lies_below = paths.nothing_lies_below.declare(__name__, ASKED)


@should("lance.request.nowhere", operations=["DescribeTable"], clause="errors-everywhere", kind="error", reads=True)
def test_error_of_a_path_that_is_none(suite: Suite) -> None:
    """A request to a path without an operation returns an error body with a code."""
    suite.client.reach_subject()
    client = suite.client
    nowhere = client.get_raw("/v1/table/lakeproof/asks/where/nothing/is")
    number(Answer(nowhere, client.touch, client.document.errors).code, "the code of the error")
