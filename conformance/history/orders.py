"""The search of orders: follow every order of the operations that the answers allow, up to a limit.

Operations are explained in the order in which they ended. A candidate is where one order of those that are over has
led; the judge of a kind says what candidates follow from one when the next operation is explained, and which can be
left out because another explains at least as much.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, Self, TypeVar

from conformance.history.events import UNKNOWN, Event

MOST_ORDERS = 5000
T = TypeVar("T")


class Candidate(Protocol):
    """Where an order of the operations has led."""

    @property
    def group(self) -> Hashable:
        """Candidates are compared within a group."""

    def beats(self, other: Self) -> bool:
        """True when whatever the other candidate can still explain, this one can too."""


C = TypeVar("C", bound=Candidate)


class TooManyOrders(Exception):
    """More candidates than the limit are left after `explained` operations."""

    def __init__(self, explained: int) -> None:
        super().__init__(explained)
        self.explained = explained


def first_unexplained(
    events: Sequence[Event], start: C, explain: Callable[[C, int], Iterable[C]], limit: int
) -> Event | None:
    """Return the first operation whose answer no order explains, None when some order explains all.

    `events` are sorted by their end, those without an answer last. `explain` returns the candidates in which the
    event at a place has its place. Raises TooManyOrders when more than `limit` candidates are left.
    """
    candidates = {start}
    for place, event in enumerate(events):
        if event.outcome == UNKNOWN:
            break  # the rest has no end, so nothing asks for it
        candidates = _best(
            (following for candidate in candidates for following in explain(candidate, place)), limit, place
        )
        if not candidates:
            return event
    return None


def _best(candidates: Iterable[C], limit: int, explained: int) -> set[C]:
    """Leave out candidates that others beat. Raises TooManyOrders."""
    groups: dict[Hashable, list[C]] = {}
    count = 0
    for candidate in candidates:
        group = groups.setdefault(candidate.group, [])
        if any(other.beats(candidate) for other in group):
            continue
        kept = [other for other in group if not candidate.beats(other)]
        count += len(kept) + 1 - len(group)
        group[:] = [*kept, candidate]
        if count > limit:
            raise TooManyOrders(explained)
    return {candidate for group in groups.values() for candidate in group}


def smallest(items: Sequence[T], still_wrong: Callable[[list[T]], bool]) -> list[T]:
    """Leave out items, halves first, as long as what is kept is still wrong."""
    kept = list(items)
    size = max(1, len(kept) // 2)
    while size:
        start = 0
        while start < len(kept):
            rest = [*kept[:start], *kept[start + size :]]
            if still_wrong(rest):
                kept = rest
            else:
                start += size
        size //= 2
    return kept
