"""The search of orders: follow every order of the operations that the answers allow, up to a limit.

Operations are explained in the order in which they ended. A candidate is the state after one order of the ended
operations; the judge of a kind returns the candidates that follow when the next operation is explained, and which ones
can be dropped because another explains at least as much.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Protocol, Self, TypeVar

from conformance.history.events import UNKNOWN, Event

MOST_ORDERS = 5000
T = TypeVar("T")


class Candidate(Protocol):
    """The state after one order of the operations."""

    @property
    def group(self) -> Hashable:
        """The key of the candidates that are compared with each other."""

    def beats(self, other: Self) -> bool:
        """True when this candidate can explain everything that the other can."""


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

    `events` are sorted by their end, those without an answer last. `explain` returns the candidates that follow when
    the event at an index is explained. Raises TooManyOrders when more than `limit` candidates are left.
    """
    candidates = {start}
    for place, event in enumerate(events):
        if event.outcome == UNKNOWN:
            break  # the rest has no end, so no answer depends on it
        candidates = _best(
            (following for candidate in candidates for following in explain(candidate, place)), limit, place
        )
        if not candidates:
            return event
    return None


def _best(candidates: Iterable[C], limit: int, explained: int) -> set[C]:
    """Drop candidates that others beat. Raises TooManyOrders."""
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
    """Drop items, halves first, while `still_wrong` holds for the rest."""
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
