"""Calls about what is not there: whatever they ask for, they are refused in one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import must
from conformance.common.template import template
from conformance.http.client import Answer, Expected
from specs.openapi import snake_case

NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Absent:
    """Something that is not there: an id of it, what a refusal says, in words, and the check that it does.

    `statuses` are those of a refusal, for what some servers may refuse in another way.
    """

    id: Callable[[Any], Any]
    words: str
    check: Callable[[Answer], object]
    statuses: Callable[[Any], Expected] = lambda _: NOT_FOUND


def _nothing(_: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Missing:
    """A call about what is absent. `deed` begins the statement: "Dropping a table"; `fields` are further arguments.

    `twin` does the same to what is there, for calls that a server may refuse for another reason.
    """

    operation: str
    clause: str
    deed: str
    absent: Absent
    fields: Callable[[Any], Mapping[str, Any]] = _nothing
    twin: Callable[[Any], object] = _nothing

    @property
    def operations(self) -> list[str]:
        """The operation as the subject of a requirement."""
        return [self.operation]

    @property
    def statement(self) -> str:
        """What is required."""
        return f"{self.deed} that does not exist is refused with 404 {self.absent.words}."


@template("{}", must, kind="error")
def missing_is_refused(catalog: Any, case: Missing) -> None:
    """A call about what does not exist is refused with 404."""
    catalog.control(lambda: case.twin(catalog))
    call = getattr(catalog, snake_case(case.operation))
    case.absent.check(call(case.absent.id(catalog), **case.fields(catalog), expect=case.absent.statuses(catalog)))
