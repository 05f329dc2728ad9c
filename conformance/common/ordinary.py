"""Ordinary requests: of each operation one about something that was made for it, which servers accept.

A requirement about a defect of requests puts it into such a request, and sees the request accepted without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

from conformance.http.client import Answer
from conformance.values.outcomes import Blocked, Unoffered, Violation
from specs.openapi import Parameter
from specs.problems import Problem

PARAMETERS = {"query": "query", "header": "headers"}  # by their location: where a request has them


@dataclass(frozen=True, slots=True)
class Unprepared:
    """Stands for what prepares a request of an operation where nothing does: only what needs it ends as an error."""

    operation: str

    def __call__(self, _catalog: Any, _name: str) -> NoReturn:
        """Raise Problem: the kit lacks a part."""
        raise Problem(
            f"Nothing prepares an ordinary request of {self.operation}.",
            "Add what does to `PREPARATIONS`, in support/ordinary.py of its API.",
        )


class Ordinary(Protocol):
    """A request of an operation: a dataclass."""

    @property
    def body(self) -> Any:
        """The JSON body, None without one."""

    @property
    def query(self) -> Mapping[str, Any]:
        """The parameters of the query."""

    @property
    def headers(self) -> Mapping[str, str | None]:
        """The headers that the request has of its own."""

    def with_content(self, body: Any) -> Ordinary:
        """Return the request with another JSON body."""

    def send(self, catalog: Any, operation: str) -> Answer:
        """Send it, whatever the answer."""


def with_parameter(request: Any, parameter: Parameter, text: str) -> Any:
    """Return an ordinary request with a parameter of its query or its headers."""
    place = PARAMETERS[parameter.location]
    return replace(request, **{place: {**getattr(request, place), parameter.name: text}})


def is_success(answer: Answer) -> bool:
    """True when an answer says that all was done."""
    return 200 <= answer.status < 300


def accepted(catalog: Any, operation: str, request: Ordinary) -> Answer:
    """Send a request that has no defect. Raises Blocked where it is refused, Unoffered where the operation is."""
    answer = request.send(catalog, operation)
    if is_success(answer):
        return answer
    if catalog.client.refuses(catalog.client.steps[-1]):
        raise Unoffered(f"the server does not have {operation}")
    raise Blocked(f"{operation} answers {answer.status} to a request without a defect", operation)


def refuses_each(
    catalog: Any,
    operation: str,
    wrong: Iterable[tuple[str, Ordinary]],
    good: Ordinary,
    is_refused: Callable[[str, Answer], bool],
    refusal: str,
) -> None:
    """Check that each request, of which the defect is told in words, is refused, and that none of them did anything.

    `is_refused` takes these words and the answer, `refusal` says how a request should be refused. `good` is the request
    without a defect, which is accepted then. Raises Blocked where it is not, and Violation for what was not refused.
    """
    with catalog.client.unusual():
        answers = [(defect, request.send(catalog, operation)) for defect, request in wrong]
    taken = [(defect, answer) for defect, answer in answers if not is_refused(defect, answer)]
    if not any(is_success(answer) for _, answer in taken):
        accepted(catalog, operation, good)
    if taken:
        shown = with_statuses(taken)
        raise Violation(f"{operation} should refuse these with {refusal}, but answers {shown}")
    catalog.client.reached.update(f"{operation} {answer.status}" for _, answer in answers)


def with_statuses(answers: Sequence[tuple[str, Answer]]) -> str:
    """Return what was wrong with requests and how each was answered. A finding shows the first of the answers."""
    statuses = [(defect, answer.status) for defect, answer in reversed(answers)]  # what is looked at last is shown
    return ", ".join(f"{defect} with {status}" for defect, status in reversed(statuses))
