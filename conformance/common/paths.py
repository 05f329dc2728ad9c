"""Templates about paths and methods that the document does not declare."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from conformance.author.catalog import Catalog
from conformance.author.requirement import should
from conformance.common.template import template
from conformance.http.gate import NO_WRITES, SAFE
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Skipped, Violation
from specs.openapi import Document, Operation

DROPPING = "DELETE"
METHODS = ("GET", "POST", "PUT", "PATCH", DROPPING)
NO_METHOD = (404, 405, 501)
NO_PATH = (404, 405)
BELOW = "/lakeproof"
PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Asked:
    """Operation with a function that builds a request of it on an existing object, given the catalog.

    `methods` are the methods that may be sent to its path: none that could drop objects of others.
    """

    operation: Operation
    request: Callable[[Any], Exchange]
    methods: Sequence[str] = METHODS

    @property
    def id(self) -> str:
        """The operationId."""
        return self.operation.id


def _request(catalog: Catalog, case: Asked) -> Exchange:
    """Build a request of the operation, on a missing object where the server creates none, or the run found none.

    Raises Unoffered when the server does not offer the operation.
    """
    catalog.client.require(case.id)
    with suppress(*catalog.no_object):
        return case.request(catalog)
    names = catalog.client.document.operation(case.id).path_names
    return catalog.client.prepare(case.id, path=dict.fromkeys(names, catalog.target.missing_name))


@template("request.other_method.{}", should, clause="methods", kind="error", reads=True)
def other_methods_are_refused(catalog: Catalog, case: Asked) -> None:
    """On the path of {}, an undeclared method returns 404, 501, or 405 with the declared method in Allow."""
    request = _request(catalog, case)
    document = catalog.client.document
    path = document.operation(case.id).path
    here = {operation.method for operation in document.operations.values() if operation.path == path}
    known = SAFE if catalog.target.read_only else case.methods
    others = [method for method in case.methods if method in known and method not in here]
    if not others:
        raise Skipped(NO_WRITES)
    for method in others:
        answer = _ask(catalog, replace(request, operation="", method=method))
        if answer.status not in NO_METHOD:
            raise Violation(f"{method}: expected 404, 405 or 501, got {answer.status}", statuses=NO_METHOD)
        if answer.status == 405 and case.operation.method not in answer.response_headers.get("Allow", "").upper():
            raise Violation(f"{case.operation.method} is missing from Allow in a 405", aspect="header", place="Allow")


@template("request.below.{}", should, clause="paths", kind="error", reads=True)
def nothing_lies_below(catalog: Catalog, case: Asked) -> None:
    """An undeclared path below that of {} returns 404 or 405."""
    request = _request(catalog, case)
    url = urlsplit(request.url)
    below = url._replace(path=url.path + _below(catalog.client.document, case.id))
    answer = _ask(catalog, replace(request, operation="", url=below.geturl()))
    if answer.status not in NO_PATH:
        raise Violation(f"a path of no operation: expected 404 or 405, got {answer.status}", statuses=NO_PATH)


def _below(document: Document, operation: str) -> str:
    """Return a path below that of an operation that no operation declares."""
    known = {PARAMETER.sub("{}", declared.path) for declared in document.operations.values()}
    below = PARAMETER.sub("{}", document.operation(operation).path) + "/{}"
    return BELOW * (2 if below in known else 1)


def _ask(catalog: Catalog, request: Exchange) -> Exchange:
    catalog.client.reach_subject()
    answer: Exchange = catalog.client.send(request)
    catalog.client.touch(answer, "status")
    return answer
