"""Template about the life of an object: what operations show of it from its creation to its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from conformance.author.catalog import Catalog
from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.common.template import template
from conformance.values.worlds import Pins

GONE = "gone"
C = TypeVar("C")  # the catalog of an API
Shown = Mapping[str, Any]  # what operations show of an object, by their names


@dataclass(frozen=True, slots=True)
class Life(Generic[C]):
    """An object, in words, and its stages.

    `operations` create, change, show and end it. `make` creates one and returns its subject. `look` returns what the
    operations that the server offers show of a subject: at first `begun`, and after the action of each of the `stages`
    what stands beside it. `since` is the first revision that includes it, "" for all.
    """

    id: str
    clause: str
    operations: Sequence[str]
    make: Callable[[C], Any]
    look: Callable[[C, Any], Shown]
    begun: Shown
    stages: Sequence[tuple[Callable[[C, Any], object], Shown]]
    world: Pins = field(default_factory=dict)
    since: str = ""


@template("life.{}", must, twin=True)
def life(catalog: Catalog, case: Life[Any]) -> None:
    """The operations that show a {} agree on it after its creation, after each change and after its end."""
    subject = case.make(catalog)
    _check(case, case.look(catalog, subject), case.begun)
    for act, expected in case.stages:
        act(catalog, subject)
        _check(case, case.look(catalog, subject), expected)


def _check(case: Life[Any], seen: Shown, expected: Shown) -> None:
    for operation, shown in seen.items():
        equal(shown, expected[operation], f"the {case.id} by {operation}")
