"""The judge of a sum to which clients add positive amounts. It is exact, and searches orders.

The value of a write is its amount, the result of a read the sum. A sum below the finished additions, or above all
additions begun, is detected at once; otherwise the search decides which additions each read counts. Additions commute,
so one is made early only if a read under way then fits; of equal amounts the one that ends first is made first.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.history.events import OK, READ, REFUSED, UNKNOWN, Contradiction, Event
from conformance.history.orders import TooManyOrders, first_unexplained, smallest


@dataclass(frozen=True, slots=True)
class Position:
    """The state after one order of the operations: the sum, and the open operations that were counted early.

    `made` and `read` are indexes of operations that have not ended, `lost` counts the executed additions without an
    answer, for each amount.
    """

    total: Any
    made: frozenset[int]
    read: frozenset[int]
    lost: tuple[int, ...]

    @property
    def group(self) -> Hashable:
        """The key of the positions that are compared with each other."""
        return self.total, self.made

    def beats(self, other: Position) -> bool:
        """True when this position can explain everything that the other can."""
        return self.read >= other.read and all(count <= most for count, most in zip(self.lost, other.lost, strict=True))


def judge_sum(events: Collection[Event], limit: int) -> Iterator[Contradiction]:
    """Judge a sum that starts at 0. Raises TooManyOrders where `limit` orders are not enough to decide."""
    reads = [event for event in events if event.action == READ and event.result is not None]
    adds = [event for event in events if event.action != READ and event.outcome != REFUSED]
    outside = list(_outside(adds, reads))
    yield from outside
    if outside or not reads:
        return
    wrong = _unexplained(adds, reads, limit)
    if wrong is not None:
        others = [read for read in reads if read is not wrong and read.start <= wrong.end]
        kept = smallest(others, lambda rest: _contradicts(adds, [*rest, wrong], limit))
        message = f"the sum {wrong.result} fits no order of the additions and the other reads"
        yield Contradiction(message, tuple(sorted([*kept, wrong], key=lambda event: event.start)))


def _outside(adds: Collection[Event], reads: Collection[Event]) -> Iterator[Contradiction]:
    """Yield reads of less than the finished additions, or of more than those begun before the read ended."""
    for read in reads:
        done = [event for event in adds if event.outcome == OK and event.before(read)]
        begun = [event for event in adds if event.start <= read.end]
        least, most = (sum(event.value for event in chosen) for chosen in (done, begun))
        if not least <= read.result <= most:
            message = f"the counter is {read.result} after {least} was added, with {most - least} under way"
            yield Contradiction(message, (*done[-1:], read))


def _contradicts(adds: Collection[Event], reads: Collection[Event], limit: int) -> bool:
    try:
        return _unexplained(adds, reads, limit) is not None
    except TooManyOrders:
        return False


def _unexplained(adds: Collection[Event], reads: Collection[Event], limit: int) -> Event | None:
    history = sorted([*adds, *reads], key=lambda event: (event.outcome == UNKNOWN, event.end, event.start))
    search = _Search(history)
    return first_unexplained(history, search.start, search.explain, limit)


class _Search:
    """Explains the operations of a history; indexes follow the order in which operations ended."""

    def __init__(self, history: Sequence[Event]) -> None:
        self._history = history
        self._reads = [place for place, event in enumerate(history) if event.action == READ]
        adds = [place for place, event in enumerate(history) if event.action != READ]
        self._answered = self._by_amount([place for place in adds if history[place].outcome == OK])
        lost = self._by_amount([place for place in adds if history[place].outcome == UNKNOWN])
        self._lost = [(amount, sorted(history[place].start for place in places)) for amount, places in lost.items()]
        self.start = Position(0, frozenset(), frozenset(), (0,) * len(self._lost))

    def _by_amount(self, places: Sequence[int]) -> dict[Any, list[int]]:
        amounts: dict[Any, list[int]] = {}
        for place in places:
            amounts.setdefault(self._history[place].value, []).append(place)
        return amounts

    def explain(self, order: Position, place: int) -> Iterator[Position]:
        """Yield the positions in which an operation that has ended is made or explained."""
        event = self._history[place]
        if place in order.made:
            yield replace(order, made=order.made - {place})
            return
        for reached in self._reachable(order, place, self._open_reads(place)):
            if event.action != READ:
                yield replace(reached, total=reached.total + event.value)
            elif place in reached.read:
                yield replace(reached, read=reached.read - {place})

    def _open_reads(self, place: int) -> list[int]:
        now = self._history[place].end
        later = itertools.islice(self._reads, bisect_left(self._reads, place), None)
        return [read for read in later if self._history[read].start <= now]

    def _reachable(self, order: Position, place: int, open_reads: Sequence[int]) -> Iterator[Position]:
        """Yield the position, and those after additions under way that explain another read."""
        first = self._with_reads(order, open_reads)
        seen, left = {first}, [first]
        yield first
        while left:
            position = left.pop()
            if place in position.read:
                continue  # further additions can be made later
            highest = max((self._history[read].result for read in open_reads if read not in position.read), default=-1)
            for stepped in self._steps(position, place):
                following = self._with_reads(stepped, open_reads)
                if stepped.total <= highest and following not in seen:
                    seen.add(following)
                    left.append(following)
                    if following.read != stepped.read:
                        yield following

    def _with_reads(self, position: Position, open_reads: Sequence[int]) -> Position:
        """Return a position with the reads under way that fit its sum: explaining them now costs nothing."""
        fitting = {read for read in open_reads if self._history[read].result == position.total}
        return replace(position, read=position.read | fitting) if fitting - position.read else position

    def _steps(self, position: Position, place: int) -> Iterator[Position]:
        """Yield the position after one more addition: of each amount the next to end, or one without an answer."""
        now = self._history[place].end
        for amount, places in self._answered.items():
            later = itertools.islice(places, bisect_right(places, place), None)
            due = (add for add in later if add not in position.made and self._history[add].start <= now)
            if (add := next(due, None)) is not None:
                yield replace(position, total=position.total + amount, made=position.made | {add})
        for number, (amount, starts) in enumerate(self._lost):
            used = position.lost[number]
            if used < len(starts) and starts[used] <= now:
                lost = (*position.lost[:number], used + 1, *position.lost[number + 1 :])
                yield replace(position, total=position.total + amount, lost=lost)
