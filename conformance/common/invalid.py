"""Templates about invalid requests: a mistake of the client is rejected or ignored, and is no error of the server.

Documents declare 400 for such mistakes. That a server returns just this status is the subject of other requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from conformance.author.catalog import Catalog
from conformance.author.requirement import must
from conformance.common.bodies import RequestCase, check_plain, fails
from conformance.common.fields import WORD, below_minimum, defects, field_of, types_of
from conformance.common.ordinary import PARAMETERS, Ordinary, with_parameter, with_statuses
from conformance.common.template import template
from conformance.http.answers import Answer
from conformance.values.outcomes import Unoffered, Violation
from specs.openapi import Document, Operation, Parameter, Schema

TOKENS = ("never-issued", "%00", "-1", "x" * 2000)
OF_PAGES = "pagetoken"  # the name of a page token, without underscores and in lower case
ANY_TEXT = {"string", "array"}  # types of parameters that every text fits
MOST_SHOWN = 20  # letters of a value, in words
Invalid = tuple[str, Callable[[], Answer]]  # a defect in words, and what sends the request with it


@template("invalid.field.{}", must, clause="invalid-no-failure", kind="error", reads=True)
def invalid_fields_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} returns no 5xx for a body with a field of the wrong type."""
    good = case.prepare(catalog, "t")
    _none_is_a_failure(catalog, case, _fields(catalog, case, good))


@template("invalid.parameter.{}", must, clause="invalid-no-failure", kind="error", reads=True)
def invalid_parameters_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} returns no 5xx for a query parameter or a header that does not fit its schema."""
    good = case.prepare(catalog, "t")
    document = catalog.client.document
    wrong = invalid_parameters(document, document.operation(case.operation.id), case.leave)
    if not wrong:
        raise Unoffered(f"in this revision {case.operation.id} has no parameter that could be invalid")
    _none_is_a_failure(catalog, case, _with_parameters(catalog, case, good, wrong))


@template("invalid.page_token.{}", must, clause="invalid-no-failure", kind="error", reads=True)
def invalid_page_tokens_are_no_failure(catalog: Catalog, case: RequestCase) -> None:
    """{} returns no 5xx for a page token that the server did not issue."""
    good = case.prepare(catalog, "t")
    known = catalog.client.document.operation(case.operation.id).parameters
    wrong = [(parameter, text) for parameter in known if is_page_token(parameter) for text in TOKENS]
    if not wrong:
        raise Unoffered(f"in this revision {case.operation.id} has no pages")
    _none_is_a_failure(catalog, case, _with_parameters(catalog, case, good, wrong))


def is_page_token(parameter: Parameter) -> bool:
    """True for the parameter that names the page of a listing."""
    return parameter.name.replace("_", "").lower() == OF_PAGES


def invalid_parameters(document: Document, operation: Operation, leave: Iterable[str]) -> list[tuple[Parameter, str]]:
    """Return the optional parameters of an operation, each with texts that do not fit its schema."""
    return [
        (parameter, text)
        for parameter in operation.parameters
        if parameter.location in PARAMETERS and not parameter.required and parameter.name not in leave
        for text in _unfit(document.resolve(parameter.schema))
    ]


def with_invalid_parameters(cases: Mapping[str, RequestCase], document: Document) -> dict[str, RequestCase]:
    """Return the cases whose operation has a parameter that a text may not fit."""
    return {name: case for name, case in cases.items() if invalid_parameters(document, case.operation, case.leave)}


def with_page_tokens(cases: Mapping[str, RequestCase]) -> dict[str, RequestCase]:
    """Return the cases whose operation lists pages."""
    return {name: case for name, case in cases.items() if any(map(is_page_token, case.operation.parameters))}


def _unfit(schema: Schema) -> list[str]:
    """Return texts that do not fit the schema of a parameter."""
    kinds = types_of(schema) - {"null"}
    narrow = "enum" in schema or schema.get("minLength", 0) > len(WORD) or (kinds and not kinds & ANY_TEXT)
    return [*([WORD] if narrow else []), *map(str, below_minimum(schema))]


def _fields(catalog: Catalog, case: RequestCase, good: Ordinary) -> Iterator[Invalid]:
    """Yield the body once for each of its fields, with the first wrong value in it."""
    document = catalog.client.document
    operation = document.operation(case.operation.id)
    tried = set()
    for defect, body in defects(document, operation, good.body, case.wrong, case.leave):
        if field_of(defect) not in tried:
            tried.add(field_of(defect))
            yield defect, partial(good.with_content(body).send, catalog, operation.id)


def _with_parameters(
    catalog: Catalog, case: RequestCase, good: Ordinary, wrong: Iterable[tuple[Parameter, str]]
) -> Iterator[Invalid]:
    for parameter, text in wrong:
        request = with_parameter(good, parameter, text)
        yield f"{parameter.name} {text[:MOST_SHOWN]}", partial(request.send, catalog, case.operation.id)


def _none_is_a_failure(catalog: Catalog, case: RequestCase, requests: Iterable[Invalid]) -> None:
    """Check that no request with a defect returns 5xx. Raises Blocked if the valid request is rejected, too."""
    client = catalog.client
    prepared = list(client.steps)
    failed: list[tuple[str, Answer]] = []
    needed = prepared
    with client.unusual():
        for defect, send in requests:
            answer = send()
            if fails(catalog, answer):
                needed = needed if failed else [*prepared, client.steps[-1]]
                failed.append((defect, answer))
    if failed:
        check_plain(catalog, case, "tplain")
        client.steps = needed
        shown = with_statuses(failed)
        text = f"{case.id} returns a server error for an invalid request (expected 4xx): {shown}"
        raise Violation(text, request="invalid", feature=shown)
