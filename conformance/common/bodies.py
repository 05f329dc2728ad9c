"""Templates that vary an ordinary request: invalid, unusual and large bodies, unusual parameters, nested namespaces."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.requirement import should
from conformance.common.fields import Wrong, defects, json_schema, texts, unusual, with_each, wrong_types
from conformance.common.ordinary import (
    PARAMETERS,
    Ordinary,
    accepted,
    refuses_each,
    with_parameter,
    with_statuses,
)
from conformance.common.template import template
from conformance.http.answers import Answer
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation
from specs.openapi import Operation

FAILURE = 500
FEW = 3  # rejected requests after which the valid one is sent: an operation that rejects all of them shows nothing
PADDING = {"from_the_future": "x" * 2_200_000}  # many frameworks truncate bodies at two mebibytes


@dataclass(frozen=True, slots=True)
class RequestCase:
    """Operation with a function that prepares a valid request of it.

    `prepare` takes the catalog and a name, creates the objects that the request needs and returns the request. The
    templates leave the fields in `leave` unchanged, expect 400 for the values of `wrong` and no 5xx for those of
    `unusual`. `what` distinguishes several bodies of one operation; `part` names the field of this body that another
    one lacks, if unusual values are to be in it alone. With `lasting` the request can be sent again without a new
    preparation. Without `accepted` the valid request names something that only the server issues: it may be rejected.
    `since` is the first revision in which the operation has what varies, "" for all.
    """

    operation: Operation
    prepare: Callable[[Any, str], Ordinary]
    leave: Collection[str] = ()
    wrong: Wrong = wrong_types
    what: str = ""
    part: str = ""
    unusual: Wrong = unusual
    lasting: bool = False
    accepted: bool = True
    since: str = ""

    @property
    def operations(self) -> list[str]:
        """The operation as the subject of a requirement."""
        return [self.operation.id]

    @property
    def id(self) -> str:
        """The operation and, if it has several bodies, the name of this one."""
        return f"{self.operation.id} with {self.what}" if self.what else self.operation.id


@template("body.field_types.{}", should, clause="field-types", kind="error", reads=True)
def fields_of_wrong_type(catalog: Catalog, case: RequestCase) -> None:
    """{} returns 400 and changes nothing when any declared field of its body has the wrong type."""
    good = case.prepare(catalog, "t")
    document = catalog.client.document
    broken = defects(document, document.operation(case.operation.id), good.body, case.wrong, case.leave)
    wrong = ((defect, good.with_content(body)) for defect, body in broken)
    refuses_each(catalog, case.operation.id, wrong, good, lambda _, answer: answer.status == 400, "400")


@template("body.unusual.{}", should, clause="unusual-values", kind="error", reads=True)
def unusual_values_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} succeeds or returns 4xx when a field is absent, null, empty, an unknown value or an extreme number."""
    document = catalog.client.document
    schema = json_schema(document.operation(case.operation.id))

    def requests(good: Ordinary) -> Iterator[tuple[str, Ordinary]]:
        for defect, body in with_each(document, schema, good.body, case.unusual, case.leave):
            if defect.startswith(case.part):
                yield defect, good.with_content(body)

    _none_fails(catalog, case, requests)


@template("parameter.unusual.{}", should, clause="unusual-parameters", kind="error", reads=True)
def unusual_parameters_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} succeeds or returns 4xx for unusual values of its optional query parameters and headers."""
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


def _none_fails(
    catalog: Catalog, case: RequestCase, requests: Callable[[Ordinary], Iterator[tuple[str, Ordinary]]]
) -> None:
    """Check that none of the requests built from a valid one returns 5xx. Each comes with its defect in words.

    Raises Blocked when the first FEW of them are rejected, or all, and the valid one too: then the operation was never
    reached.
    """
    client = catalog.client
    failed: list[tuple[str, Answer]] = []
    needed: list[Exchange] = []
    sent, reached = 0, False
    while True:
        start = len(client.steps)
        good = case.prepare(catalog, f"t{sent}")
        prepared = client.steps[start:]
        for defect, request in islice(requests(good), sent, None):
            sent += 1
            with client.unusual():
                answer = request.send(catalog, case.operation.id)
            if fails(catalog, answer):
                needed = needed or [*prepared, client.steps[-1]]
                failed.append((defect, answer))
            reached = reached or answer.succeeded
            if answer.succeeded and not case.lasting:
                break  # the request may have changed the objects that it names
            if sent == FEW and not (reached or failed):
                check_plain(catalog, case, f"t{sent}plain")
                reached = True
                break  # so may the valid one
        else:
            break
    if failed:
        shown = with_statuses(failed)
        client.steps = needed  # of hundreds of requests, those that show the first failure
        raise Violation(f"{case.id} returns a server error: {shown}", request="unusual", feature=shown)
    if not reached:
        check_plain(catalog, case, f"t{sent}plain")


def check_plain(catalog: Catalog, case: RequestCase, name: str) -> None:
    """Send the valid request of a case. Raises Blocked when it is rejected: other rejections prove nothing then."""
    if case.accepted:
        accepted(catalog, case.operation.id, case.prepare(catalog, name))


@template("body.padded.{}", should, clause="large-bodies", kind="error", reads=True)
def large_bodies_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} succeeds or returns 4xx for a body larger than 2 MiB."""
    good = case.prepare(catalog, "t")
    with catalog.client.unusual():
        answer = good.with_content({**good.body, **PADDING}).send(catalog, case.operation.id)
    if fails(catalog, answer):
        text = f"{case.id} returns {answer.status} for a large body"
        raise Violation(text, request="unusual", feature="large body")
    if not answer.succeeded:
        check_plain(catalog, case, "plain")


def fails(catalog: Catalog, answer: Answer) -> bool:
    """True when the last answer is 5xx, unless the server rejects unsupported operations in this way."""
    return answer.status >= FAILURE and not catalog.client.refuses(catalog.client.steps[-1])


@template("levels.nested.{}", should, clause="levels-alike")
def nested_namespaces_are_like_others(catalog: Catalog, case: RequestCase) -> None:
    """{} returns the same status in a nested namespace as in a top-level namespace."""
    with catalog.deeper():
        answer = case.prepare(catalog, "t").send(catalog, case.operation.id)
    nested = catalog.client.steps[-1]
    if not answer.succeeded:
        usual = case.prepare(catalog, "t").send(catalog, case.operation.id)
        catalog.client.check_status(nested, usual.status)
        if not usual.succeeded:
            check_plain(catalog, case, "plain")
