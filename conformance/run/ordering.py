"""The order of requirements: offers first, races and checks over all answers last, needs before dependents."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

from conformance.values.requirement import Requirement

FIRST = ".offered."
LATE = {"race": 2, "wire": 3}  # races may disturb other requirements, and wire requirements check all answers
Rank = tuple[int, int]


def ranks(requirements: Iterable[Requirement]) -> dict[str, Rank]:
    """Return the sort keys of requirements: the part of the run, and the depth of their needs in it.

    A requirement is never in an earlier part than its needs. Needs that are not selected are ignored. Raises ValueError
    for requirements that need each other.
    """
    known = {requirement.id: requirement for requirement in requirements}
    needs = {
        requirement.id: [needed for needed in requirement.needs if needed in known] for requirement in known.values()
    }
    ranked: dict[str, Rank] = {}
    for name in _needs_first(needs):
        before = [ranked[needed] for needed in needs[name]]
        part = max([_part(known[name]), *(part for part, _ in before)])
        ranked[name] = part, max((depth + 1 for other, depth in before if other == part), default=0)
    return ranked


def _needs_first(needs: dict[str, list[str]]) -> list[str]:
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        circle = ", ".join(reversed(error.args[1]))
        raise ValueError(f"these requirements need each other: {circle}") from None


def _part(requirement: Requirement) -> int:
    return 0 if FIRST in requirement.id else LATE.get(requirement.kind, 1)
