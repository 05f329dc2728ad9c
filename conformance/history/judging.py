"""The judges by kind of object: pure functions from the events of an object to a judgement.

The first part of an object's key is its kind, which chooses the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from conformance.history.chains import judge_batch, judge_chain, judge_pair
from conformance.history.cycles import judge_cycle
from conformance.history.events import Contradiction, Event, Key, Undecided
from conformance.history.orders import MOST_ORDERS, TooManyOrders
from conformance.history.registers import judge_register
from conformance.history.sets import judge_set
from conformance.history.sums import judge_sum

CONTRADICTION, CONSISTENT, UNDECIDED = "contradiction", "consistent", "undecided"
Judge = Callable[[Collection[Event]], Iterator[Contradiction]]
SearchingJudge = Callable[[Collection[Event], int], Iterator[Contradiction]]

JUDGES: Mapping[str, Judge] = {
    "chain": judge_chain,
    "register": judge_register,
    "pair": judge_pair,
    "batch": judge_batch,
    "set": judge_set,
}
SEARCHING_JUDGES: Mapping[str, SearchingJudge] = {
    "name": partial(judge_cycle, states=("free", "taken")),
    "ring": partial(judge_cycle, states=("at its first name", "at its second name", "at its third name")),
    "sum": judge_sum,
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on the history of one object."""

    key: Key
    operations: int
    contradictions: tuple[Contradiction, ...] = ()
    undecided: Undecided | None = None

    @property
    def outcome(self) -> str:
        """CONTRADICTION, UNDECIDED or CONSISTENT."""
        if self.contradictions:
            return CONTRADICTION
        return UNDECIDED if self.undecided else CONSISTENT

    @property
    def name(self) -> str:
        """The object in words: its kind and its number."""
        return " ".join(map(str, self.key))


def judge_object(key: Key, events: Collection[Event], limit: int = MOST_ORDERS) -> Judgement:
    """Judge the history of one object; more than `limit` orders at once leave it undecided."""
    kind = str(key[0])
    search = SEARCHING_JUDGES.get(kind)
    try:
        contradictions = tuple(search(events, limit) if search else JUDGES[kind](events))
    except TooManyOrders as end:
        return Judgement(key, len(events), undecided=Undecided(len(events), end.explained, limit))
    return Judgement(key, len(events), contradictions)


def judge_history(events: Iterable[Event], limit: int = MOST_ORDERS) -> list[Judgement]:
    """Judge the history of each object separately."""
    objects: dict[Key, list[Event]] = {}
    for event in sorted(events, key=lambda event: event.start):
        objects.setdefault(event.key, []).append(event)
    return [judge_object(key, own, limit) for key, own in objects.items()]
