"""Template about operations on objects that do not exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.requirement import must
from conformance.common.template import template
from conformance.http.answers import Answer
from conformance.http.client import Expected
from specs.openapi import snake_case

NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class Absent:
    """Kind of a missing object: its id, the error in words, and the check of the error.

    `statuses` are the accepted statuses, 404 unless the document allows others.
    """

    id: Callable[[Any], Any]
    words: str
    check: Callable[[Answer], object]
    statuses: Callable[[Any], Expected] = lambda _: NOT_FOUND


def _nothing(_: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Missing:
    """Operation on a missing object. `action` begins the statement: "Dropping a table".

    `fields` are further arguments of the operation. `twin` sends the same request for an existing object, if a server
    may reject the request for another reason.
    """

    operation: str
    clause: str
    action: str
    absent: Absent
    fields: Callable[[Any], Mapping[str, Any]] = _nothing
    twin: Callable[[Any], object] = _nothing

    @property
    def operations(self) -> list[str]:
        """The operation as the subject of a requirement."""
        return [self.operation]

    @property
    def statement(self) -> str:
        """The statement of the requirement."""
        return f"{self.action} that does not exist returns 404 {self.absent.words}."


@template("{}", must, kind="error", reads=True)
def missing_is_refused(catalog: Catalog, case: Missing) -> None:
    """An operation on an object that does not exist returns 404."""
    catalog.control(lambda: case.twin(catalog))
    call = getattr(catalog, snake_case(case.operation))
    case.absent.check(call(case.absent.id(catalog), **case.fields(catalog), expect=case.absent.statuses(catalog)))
