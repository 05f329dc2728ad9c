"""The judge of an object that goes around a few states: a name that is taken and freed, a table that is renamed.

It is exact: it follows every order of the operations that the answers allow, and reports a contradiction when none is
left. Of identical moves the one that ends first comes first, and a move is made only when an answer requires it, so
that there are few orders to follow.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from conformance.history.events import EXISTS, MISSING, OK, REFUSED, UNKNOWN, Contradiction, Event
from conformance.history.orders import TooManyOrders, first_unexplained, smallest

FORGOTTEN = "forgotten"  # executed in its time, or not: the outcome of an answer that is left out
ELSEWHERE = (EXISTS, MISSING)
"""Results of a rejected move which say that the object was not in the state that the move starts from."""


@dataclass(frozen=True, slots=True)
class Order:
    """The state after some order of the operations: the state itself, since when, and the moves used.

    `done` are the moves under way that have been made, `spent` counts those without an answer by their state.
    """

    state: int
    since: float
    done: frozenset[int]
    spent: tuple[int, ...]

    @property
    def group(self) -> Hashable:
        """The key of the orders that are compared with each other."""
        return self.state, self.done

    def beats(self, other: Order) -> bool:
        """True when this order can explain everything that the other can."""
        return self.since >= other.since and all(
            count <= most for count, most in zip(self.spent, other.spent, strict=True)
        )


def judge_cycle(events: Collection[Event], limit: int, *, states: Sequence[str]) -> Iterator[Contradiction]:
    """Judge an object that goes around these states, starting at the first.

    The value of an event is the number of the state that it starts from; it ends in the next one. The result of a
    rejected move can be one of ELSEWHERE. At most one contradiction is reported per object. Raises TooManyOrders where
    `limit` orders are not enough to decide.
    """
    wrong = _unexplained(events, len(states), limit)
    if wrong is not None:
        yield Contradiction(_words(wrong, states), _core(events, wrong, len(states), limit))


def _words(wrong: Event, states: Sequence[str]) -> str:
    state = states[wrong.value]
    if wrong.outcome == OK:
        return f"{wrong.action} was acknowledged, but by the other answers the object cannot have been {state}"
    return f"{wrong.action} was rejected, but by the other answers the object was {state} all the time"


def _unexplained(events: Iterable[Event], states: int, limit: int) -> Event | None:
    """Return the first operation whose answer no order explains, None without one."""
    history = [event for event in events if event.outcome != REFUSED or event.result in ELSEWHERE]
    history.sort(key=lambda event: (event.outcome == UNKNOWN, event.end, event.start))
    lost = [
        sorted(event.start for event in history if event.outcome == UNKNOWN and event.value == at)
        for at in range(states)
    ]
    follower = _Follower(history, lost, [_places(history, OK, states), _places(history, FORGOTTEN, states)])
    return first_unexplained(history, Order(0, -math.inf, frozenset(), (0,) * states), follower.explain, limit)


def _places(history: Sequence[Event], outcome: str, states: int) -> list[list[int]]:
    """Return, for each state, the indexes of the moves from it with this outcome."""
    return [
        [place for place, event in enumerate(history) if event.outcome == outcome and event.value == state]
        for state in range(states)
    ]


class _Follower:
    """Follows orders through a history.

    `lost` are the starts of moves without an answer, `made` the indexes of acknowledged moves and of forgotten ones,
    all by the state that they start from. Indexes follow the order in which operations ended.
    """

    def __init__(
        self, history: Sequence[Event], lost: Sequence[Sequence[float]], made: Sequence[Sequence[Sequence[int]]]
    ) -> None:
        self._history, self._lost, self._made = history, lost, made
        self._states = len(lost)

    def explain(self, order: Order, place: int) -> Iterator[Order]:
        """Yield the orders that result when a given order is extended by an operation that has ended."""
        event = self._history[place]
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
        """Yield the orders that reach a state by now."""
        if order.state == goal:
            yield order
            return
        for following in self._steps(order, now, place):
            yield from self._ways(following, goal, now, place)

    def _steps(self, order: Order, now: float, place: int) -> Iterator[Order]:
        """Yield an order with one more move: of each sort the one that ends first, or one without an answer."""
        state = order.state
        for places in self._made:
            due = self._due(order, places[state], now, place)
            if due is not None:
                yield self._moved(order, now, order.done | {due})
        spent = order.spent[state]
        if spent < len(self._lost[state]) and self._lost[state][spent] <= now:
            used = tuple(count + (at == state) for at, count in enumerate(order.spent))
            yield replace(self._moved(order, now, order.done), spent=used)

    def _due(self, order: Order, places: Sequence[int], now: float, place: int) -> int | None:
        later = itertools.islice(places, bisect_right(places, place), None)
        return next((move for move in later if self._history[move].start <= now and move not in order.done), None)

    def _moved(self, order: Order, now: float, done: frozenset[int]) -> Order:
        return replace(order, state=(order.state + 1) % self._states, since=now, done=done)


# What is shown


def _core(events: Iterable[Event], wrong: Event, states: int, limit: int) -> tuple[Event, ...]:
    """Return a smallest set of answers that still contradict each other, by their start.

    An answer is left out by forgetting whether the operation was executed.
    """
    lost = [event for event in events if event.outcome == UNKNOWN]
    answered = [event for event in events if event.start <= wrong.end and event.outcome != UNKNOWN]
    answered.sort(key=lambda event: event.end)

    def still_wrong(kept: list[Event]) -> bool:
        known = set(map(id, kept))
        forgotten = [
            replace(event, outcome=FORGOTTEN) for event in answered if id(event) not in known and event.outcome == OK
        ]
        return id(wrong) in known and _contradicts([*kept, *forgotten, *lost], states, limit)

    return tuple(sorted(smallest(answered, still_wrong), key=lambda event: event.start))


def _contradicts(events: Collection[Event], states: int, limit: int) -> bool:
    try:
        return _unexplained(events, states, limit) is not None
    except TooManyOrders:
        return False
