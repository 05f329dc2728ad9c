"""Paths and methods that no operation has: whoever asks there is refused, and nothing is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from conformance.author.requirement import should
from conformance.common.template import template
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation
from specs.openapi import Document, Operation

DROPPING = "DELETE"
METHODS = ("GET", "POST", "PUT", "PATCH", DROPPING)
NO_METHOD = (404, 405, 501)
NO_PATH = (404, 405)
BELOW = "/lakeproof"
PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation, and what makes a request of it about something that is there; it takes the catalog.

    `methods` are those that may be asked there: none that could drop what the run did not make.
    """

    operation: Operation
    request: Callable[[Any], Exchange]
    methods: Sequence[str] = METHODS

    @property
    def id(self) -> str:
        """The operation's name."""
        return self.operation.id


def _request(catalog: Any, case: Asked) -> Exchange:
    """Return a request of the operation. Raises Unoffered where the server refuses whatever is asked at its path."""
    if case.id in catalog.client.refused:
        catalog.client.require(case.id)
    return case.request(catalog)


@template("request.other_method.{}", should, clause="methods", kind="error")
def other_methods_are_refused(catalog: Any, case: Asked) -> None:
    """{} is not done by another method: 405 tells the methods that there are, 404 and 501 fit as well."""
    request = _request(catalog, case)
    document = catalog.client.document
    path = document.operation(case.id).path
    here = {operation.method for operation in document.operations.values() if operation.path == path}
    for method in case.methods:
        if method not in here:
            answer = _ask(catalog, replace(request, operation="", method=method))
            if answer.status not in NO_METHOD:
                raise Violation(f"{method} should be refused with 404, 405 or 501, but got {answer.status}")
            if answer.status == 405 and case.operation.method not in answer.response_headers.get("Allow", "").upper():
                raise Violation(f"the 405 should allow {case.operation.method}")


@template("request.below.{}", should, clause="paths", kind="error")
def nothing_lies_below(catalog: Any, case: Asked) -> None:
    """A path below that of {} leads nowhere: 404, or 405."""
    request = _request(catalog, case)
    url = urlsplit(request.url)
    below = url._replace(path=url.path + _below(catalog.client.document, case.id))
    answer = _ask(catalog, replace(request, operation="", url=below.geturl()))
    if answer.status not in NO_PATH:
        raise Violation(f"a path that no operation has should be refused with 404, but got {answer.status}")


def _below(document: Document, operation: str) -> str:
    """Return a path below that of an operation, so deep that no operation has it."""
    known = {PARAMETER.sub("{}", declared.path) for declared in document.operations.values()}
    below = PARAMETER.sub("{}", document.operation(operation).path) + "/{}"
    return BELOW * (2 if below in known else 1)


def _ask(catalog: Any, request: Exchange) -> Exchange:
    catalog.client.reach_subject()
    answer: Exchange = catalog.client.send(request)
    catalog.client.touch(answer, "status")
    return answer
