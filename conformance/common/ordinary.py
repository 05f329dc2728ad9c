"""Ordinary requests: for each operation a valid request on objects that were created for it.

A requirement about a defect adds the defect to an ordinary request, and checks that the server accepts the request
without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

from conformance.author.catalog import Catalog
from conformance.http.answers import Answer
from conformance.values.outcomes import Blocked, Unoffered, Violation
from specs.openapi import Parameter
from specs.problems import Problem

PARAMETERS = {"query": "query", "header": "headers"}  # location of a parameter -> field of a request


@dataclass(frozen=True, slots=True)
class Unprepared:
    """Placeholder for a missing preparation: only requirements that call it end as errors."""

    operation: str

    def __call__(self, _catalog: Any, _name: str) -> NoReturn:
        """Raise Problem: the kit has no ordinary request of the operation."""
        raise Problem(
            f"Nothing prepares an ordinary request of {self.operation}.",
            "Add what does to `PREPARATIONS`, in support/ordinary.py of its API.",
        )


class Ordinary(Protocol):
    """Ordinary request of an operation, a dataclass of each API."""

    @property
    def body(self) -> Any:
        """The JSON body, None for a request without one."""

    @property
    def query(self) -> Mapping[str, Any]:
        """The query parameters."""

    @property
    def headers(self) -> Mapping[str, str | None]:
        """The headers that the request adds to those of the client."""

    def with_content(self, body: Any) -> Ordinary:
        """Return the request with another JSON body."""

    def send(self, catalog: Any, operation: str) -> Answer:
        """Send the request and accept any status."""


def with_header(request: Any, name: str, value: str | None) -> Any:
    """Return the request with a header, or for None without the client's own header of this name."""
    return replace(request, headers={**request.headers, name: value})


def with_parameter(request: Any, parameter: Parameter, text: str) -> Any:
    """Return the request with a query parameter or a header added."""
    place = PARAMETERS[parameter.location]
    return replace(request, **{place: {**getattr(request, place), parameter.name: text}})


def accepted(catalog: Catalog, operation: str, request: Ordinary) -> Answer:
    """Send a valid request. Raises Blocked when it is rejected, Unoffered when the operation is not supported."""
    answer = request.send(catalog, operation)
    if answer.succeeded:
        return answer
    if catalog.client.refuses(catalog.client.steps[-1]):
        raise Unoffered(f"the server does not offer {operation}", operation)
    raise Blocked(f"{operation} answers {answer.status} to a request without a defect", operation)


def refuses_each(
    catalog: Catalog,
    operation: str,
    wrong: Iterable[tuple[str, Ordinary]],
    good: Ordinary,
    is_refused: Callable[[str, Answer], bool],
    refusal: str,
    control: Callable[[Any, str, Any], object] = accepted,
) -> None:
    """Check that the server rejects each of the `wrong` requests, and that none of them had an effect.

    Each request comes with its defect in words, which `is_refused` takes together with the answer. `refusal` names the
    expected status. `good` is the request without a defect, which the server must accept afterwards: `control` sends
    it, and raises Blocked when the server does not. Raises Violation for requests that were not rejected.
    """
    client = catalog.client
    answers: list[tuple[str, Answer]] = []
    needed = prepared = list(client.steps)
    with client.unusual():
        for defect, request in wrong:
            answers.append((defect, request.send(catalog, operation)))
            if needed is prepared and not is_refused(*answers[-1]):
                needed = [*prepared, client.steps[-1]]
    taken = [(defect, answer) for defect, answer in answers if not is_refused(defect, answer)]
    if not any(answer.succeeded for _, answer in taken):
        control(catalog, operation, good)
    if taken:
        shown = with_statuses(taken)
        text = f"{operation} accepts or fails on invalid requests (expected {refusal}): {shown}"
        client.steps = needed  # of all requests, those that show the first finding
        raise Violation(text, request="invalid", feature=shown)
    client.reached.update(f"{operation} {answer.status}" for _, answer in answers)


def with_statuses(answers: Sequence[tuple[str, Answer]]) -> str:
    """List defects with the statuses that they got. The finding shows the first of the answers."""
    statuses = [(defect, answer.status) for defect, answer in reversed(answers)]  # the last one read is shown
    return ", ".join(f"{defect} with {status}" for defect, status in reversed(statuses))
