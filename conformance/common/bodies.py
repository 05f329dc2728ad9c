"""Ordinary requests in which one field of the body, or one parameter, after another is wrong or unusual."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from conformance.author.requirement import should
from conformance.common.fields import Wrong, defects, json_schema, texts, unusual, with_each, wrong_types
from conformance.common.ordinary import PARAMETERS, Ordinary, is_success, refuses_each, with_parameter, with_statuses
from conformance.common.template import template
from conformance.http.client import Answer
from conformance.values.outcomes import Violation
from specs.openapi import Operation

FAILURE = 500
PADDING = {"from_the_future": "x" * 2_200_000}  # frameworks cut bodies off at two mebibytes


@dataclass(frozen=True, slots=True)
class Body:
    """A body of an operation: `prepare` takes the catalog and a name, makes what the request is about, and returns it.

    `leave` are names of fields that stay as they are, `wrong` are the values that are to be refused in another, and
    `unusual` those that are to be no failure. `what` tells the body from others of the operation. `lasting` says that
    what the request is about takes it again afterwards.
    """

    operation: Operation
    prepare: Callable[[Any, str], Ordinary]
    leave: Collection[str] = ()
    wrong: Wrong = wrong_types
    what: str = ""
    unusual: Wrong = unusual
    lasting: bool = False

    @property
    def operations(self) -> list[str]:
        """The operation as the subject of a requirement."""
        return [self.operation.id]

    @property
    def id(self) -> str:
        """The operation's name, and what tells the body from others of it."""
        return f"{self.operation.id} with {self.what}" if self.what else self.operation.id


@template("body.field_types.{}", should, clause="field-types", kind="error")
def fields_of_wrong_type(catalog: Any, case: Body) -> None:
    """{} refuses a body in which any declared field has another type with 400, and does nothing."""
    good = case.prepare(catalog, "t")
    document = catalog.client.document
    broken = defects(document, document.operation(case.operation.id), good.body, case.wrong, case.leave)
    wrong = ((defect, good.with_content(body)) for defect, body in broken)
    refuses_each(catalog, case.operation.id, wrong, good, lambda _, answer: answer.status == 400, "400")


@template("body.unusual.{}", should, clause="unusual-values", kind="error")
def unusual_values_are_no_failure(catalog: Any, case: Body) -> None:
    """{} is done or refused with 4xx, whichever field is absent, null, empty, unknown or an extreme number."""
    document = catalog.client.document
    schema = json_schema(document.operation(case.operation.id))

    def requests(good: Ordinary) -> Iterator[tuple[str, Ordinary]]:
        for defect, body in with_each(document, schema, good.body, case.unusual, case.leave):
            yield defect, good.with_content(body)

    _none_fails(catalog, case, requests)


@template("parameter.unusual.{}", should, clause="unusual-parameters", kind="error")
def unusual_parameters_are_no_failure(catalog: Any, case: Body) -> None:
    """{} is done or refused with 4xx, whatever its query or its headers say where nothing need be said."""
    known = catalog.client.document.operation(case.operation.id).parameters
    unusual = [
        (parameter, text)
        for parameter in known
        if parameter.location in PARAMETERS and not parameter.required and parameter.name not in case.leave
        for text in texts(catalog.client.document.resolve(parameter.schema))
    ]

    def requests(good: Ordinary) -> Iterator[tuple[str, Ordinary]]:
        for parameter, text in unusual:
            yield f"{parameter.name} {text}", with_parameter(good, parameter, text)

    _none_fails(catalog, case, requests)


def _none_fails(catalog: Any, case: Body, requests: Callable[[Ordinary], Iterator[tuple[str, Ordinary]]]) -> None:
    """Check that the server fails on none of the requests that are made of an ordinary one, each told in words."""
    failed: list[tuple[str, Answer]] = []
    sent = 0
    while True:
        good = case.prepare(catalog, f"t{sent}")
        for defect, request in islice(requests(good), sent, None):
            sent += 1
            with catalog.client.unusual():
                answer = request.send(catalog, case.operation.id)
            if _fails(catalog, answer):
                failed.append((defect, answer))
            if is_success(answer) and not case.lasting:
                break  # what the request is about may have changed
        else:
            break
    if failed:
        raise Violation(f"{case.id} fails on its client's mistakes: {with_statuses(failed)}")


@template("body.padded.{}", should, clause="large-bodies", kind="error")
def large_bodies_are_no_failure(catalog: Any, case: Body) -> None:
    """{} is done or refused with 4xx where its body has more than two megabytes."""
    good = case.prepare(catalog, "t")
    with catalog.client.unusual():
        answer = good.with_content({**good.body, **PADDING}).send(catalog, case.operation.id)
    if _fails(catalog, answer):
        raise Violation(f"{case.id} fails with {answer.status} on a large body")


def _fails(catalog: Any, answer: Answer) -> bool:
    """True for the answer of a server that failed, the last one, unless that is how it refuses an operation."""
    return answer.status >= FAILURE and not catalog.client.refuses(catalog.client.steps[-1])
