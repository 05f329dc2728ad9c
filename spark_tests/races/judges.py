"""What no order of a race's operations can explain: pure functions from events to problems, an object at a time.

The first part of a key is the kind of its object, which chooses the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from conformance.history import Event, Problem, judge_counter
from spark_tests.races.chains import READ, judge_batch, judge_chain, judge_pair
from spark_tests.races.cycles import judge_cycle
from spark_tests.races.records import Key
from spark_tests.races.registers import judge_writes

Judge = Callable[[Collection[Event]], Iterator[Problem]]


def judge_sum(events: Collection[Event]) -> Iterator[Problem]:
    """Judge a sum to which everybody adds: the value of a write is what it adds, the result of a read the sum."""
    reads = [event for event in events if event.action == READ and event.result is not None]
    yield from judge_counter([event for event in events if event.action != READ], reads)


JUDGES: Mapping[str, Judge] = {
    "chain": judge_chain,
    "register": judge_writes,
    "pair": judge_pair,
    "batch": judge_batch,
    "name": judge_cycle(("free", "taken")),
    "ring": judge_cycle(("at its first name", "at its second name", "at its third name")),
    "sum": judge_sum,
}


def judge_object(key: Key, events: Collection[Event]) -> list[Problem]:
    """Return what is wrong with the history of one object."""
    return list(JUDGES[str(key[0])](events))
