"""The judge of something that goes around a few states: a name that is taken and freed, a table that is renamed.

It is exact: it follows every order of the operations that the answers allow, and there is a contradiction when none is
left. Of moves that nobody can tell apart the one that ends first comes first, and nothing is done before an
answer asks for it, so that few orders have to be followed.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.history import OK, REFUSED, UNKNOWN, Event, Problem

MOST_ORDERS = 2000
EXISTS, MISSING = "exists", "missing"
FORGOTTEN = "forgotten"  # done in its time, or not: the outcome of what is left out of an explanation
ELSEWHERE = (EXISTS, MISSING)
"""Results of a refused move that say: it was not in the state that the move starts from."""


@dataclass(frozen=True, slots=True)
class Order:
    """Where an order of the operations has led: the state, since when, and which moves it has used.

    `done` are the moves under way that have been made, `spent` counts those without an answer by their state.
    """

    state: int
    since: float
    done: frozenset[int]
    spent: tuple[int, ...]

    def beats(self, other: Order) -> bool:
        """True when whatever the other order can still explain, this one can too."""
        return self.since >= other.since and all(one <= most for one, most in zip(self.spent, other.spent, strict=True))


class TooManyOrders(Exception):
    """So many orders are possible that they cannot be followed."""


def judge_cycle(states: Sequence[str]) -> Callable[[Collection[Event]], Iterator[Problem]]:
    """Return the judge of something that goes around these states, starting at the first.

    The value of an event is the number of the state that it starts from; it ends in the next one. The result of a
    refused one can be one of ELSEWHERE. One contradiction is found for each object.
    """

    def judge(events: Collection[Event]) -> Iterator[Problem]:
        try:
            wrong = contradiction(events, len(states))
        except TooManyOrders:
            return
        if wrong is not None:
            yield Problem(_words(wrong, states), _core(events, wrong, len(states)))

    return judge


def _words(wrong: Event, states: Sequence[str]) -> str:
    state = states[wrong.value]
    if wrong.outcome == OK:
        return f"{wrong.action} was acknowledged, but after what others were told it cannot have been {state}"
    return f"{wrong.action} was refused, but after what others were told it was {state} all the time"


def contradiction(events: Iterable[Event], states: int) -> Event | None:
    """Return the first operation whose answer no order explains, None when there is none.

    Raises TooManyOrders.
    """
    told = [event for event in events if event.outcome != REFUSED or event.result in ELSEWHERE]
    told.sort(key=lambda event: (event.end, event.start))
    lost = [sorted(one.start for one in told if one.outcome == UNKNOWN and one.value == at) for at in range(states)]
    follower = _Follower(told, lost, [_places(told, OK, states), _places(told, FORGOTTEN, states)])
    orders = {Order(0, -math.inf, frozenset(), (0,) * states)}
    for place, event in enumerate(told):
        if event.outcome == UNKNOWN:
            break  # all that is left has no end
        orders = _fewer(one for order in orders for one in follower.explain(order, place))
        if not orders:
            return event
    return None


def _places(told: Sequence[Event], outcome: str, states: int) -> list[list[int]]:
    """Return, for each state, where the moves from it with an outcome stand in a history."""
    return [
        [at for at, one in enumerate(told) if one.outcome == outcome and one.value == state] for state in range(states)
    ]


class _Follower:
    """Follows orders through a history.

    `lost` are the starts of moves without an answer, `made` the places of those that were made and of those that
    may have been, all by the state that they start from. Places are in the order in which operations ended.
    """

    def __init__(
        self, told: Sequence[Event], lost: Sequence[Sequence[float]], made: Sequence[Sequence[Sequence[int]]]
    ) -> None:
        self._told, self._lost, self._made = told, lost, made
        self._states = len(lost)

    def explain(self, order: Order, place: int) -> Iterator[Order]:
        """Yield the orders in which an operation, which is over now, has its place, after a given order."""
        event = self._told[place]
        now = event.end
        if event.outcome == FORGOTTEN:
            yield replace(order, done=order.done - {place})
        elif event.outcome == OK:
            if place in order.done:
                yield replace(order, done=order.done - {place})
                return
            for there in self._ways(order, event.value, now, place):
                yield self._moved(there, now, there.done)
        elif order.state != event.value or order.since >= event.start:
            yield order
        else:
            yield from self._steps(order, now, place)

    def _ways(self, order: Order, goal: int, now: float, place: int) -> Iterator[Order]:
        """Yield the orders that are in a state now."""
        if order.state == goal:
            yield order
            return
        for one in self._steps(order, now, place):
            yield from self._ways(one, goal, now, place)

    def _steps(self, order: Order, now: float, place: int) -> Iterator[Order]:
        """Yield an order with one more move: of each sort the one that is due first, or one without an answer."""
        state = order.state
        for places in self._made:
            due = self._due(order, places[state], now, place)
            if due is not None:
                yield self._moved(order, now, order.done | {due})
        spent = order.spent[state]
        if spent < len(self._lost[state]) and self._lost[state][spent] <= now:
            used = tuple(one + (at == state) for at, one in enumerate(order.spent))
            yield replace(self._moved(order, now, order.done), spent=used)

    def _due(self, order: Order, places: Sequence[int], now: float, place: int) -> int | None:
        later = itertools.islice(places, bisect_right(places, place), None)
        return next((one for one in later if self._told[one].start <= now and one not in order.done), None)

    def _moved(self, order: Order, now: float, done: frozenset[int]) -> Order:
        return replace(order, state=(order.state + 1) % self._states, since=now, done=done)


def _fewer(orders: Iterable[Order]) -> set[Order]:
    """Leave out orders that others beat. Raises TooManyOrders."""
    groups: dict[tuple[int, frozenset[int]], list[Order]] = {}
    for order in orders:
        group = groups.setdefault((order.state, order.done), [])
        if any(one.beats(order) for one in group):
            continue
        group[:] = [one for one in group if not order.beats(one)]
        group.append(order)
        if len(group) > MOST_ORDERS:
            raise TooManyOrders
    return {order for group in groups.values() for order in group}


# What is shown


def _core(events: Iterable[Event], wrong: Event, states: int) -> tuple[Event, ...]:
    """Return the answers without any of which there would be no contradiction, by their start.

    An answer is left out by forgetting whether the operation was done.
    """
    lost = [event for event in events if event.outcome == UNKNOWN]
    kept = [event for event in events if event.start <= wrong.end and event.outcome != UNKNOWN]
    kept.sort(key=lambda event: event.end)
    forgotten: list[Event] = []
    size = max(1, len(kept) // 2)
    while size:
        start = 0
        while start < len(kept):
            without = kept[start : start + size]
            rest = [*kept[:start], *kept[start + size :]]
            weaker = [*forgotten, *(replace(event, outcome=FORGOTTEN) for event in without if event.outcome == OK)]
            if wrong not in without and _contradicts([*rest, *weaker, *lost], states):
                kept, forgotten = rest, weaker
            else:
                start += size
        size //= 2
    return tuple(sorted(kept, key=lambda event: event.start))


def _contradicts(events: Collection[Event], states: int) -> bool:
    try:
        return contradiction(events, states) is not None
    except TooManyOrders:
        return False
