"""Paths and methods without an operation."""

from __future__ import annotations

from dataclasses import replace
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
from conformance.values.outcomes import Unoffered
from specs.openapi import Operation


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


# Of each path one operation: a namespace, a table, a listing, and what lies below a table.
ELSEWHERE = {
    name: OPERATIONS[name]
    for name in (
        "describe_namespace",
        "list_namespaces",
        "describe_table",
        "list_all_tables",
        "query_table",
        "list_table_tags",
    )
}
NO_METHOD = 405


@should("lance.request.method_code.{}", clause="errors-everywhere", kind="error", each=ELSEWHERE)
def test_error_of_another_method(suite: Suite, case: Operation) -> None:
    """A request on the path of {} with an undeclared method has an error body with a code, if it returns 405."""
    suite.client.require(case.id)
    client = suite.client
    path = dict.fromkeys(case.path_names, suite.target.missing_name)
    request = replace(client.prepare(case.id, path=path), operation="", method="PUT")
    client.reach_subject()
    answer = client.send(request)
    client.touch(answer, "status")
    if answer.status != NO_METHOD:
        raise Unoffered("the server does not return 405 for a method that it does not have")
    number(Answer(answer, client.touch, client.document.errors).code, "the code of the error")
