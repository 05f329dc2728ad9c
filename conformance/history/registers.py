"""The judge of a value that is overwritten: exact, if every write has a unique value.

The operations on one value, its write and the reads that return it, span an interval of time. If one of them ended
before another began, the value was certainly current in between, and no other value can have been (Gibbons and Korach,
1997). That costs O(n log n).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from conformance.history.events import OK, READ, REFUSED, Contradiction, Event

SET, AGAIN = "set", "repeat"


@dataclass(frozen=True, slots=True)
class Interval:
    """The time in which a value was current: `first` ended first, at `ended`, and `last` began last, at `began`.

    The write of the initial value, None, is unknown: it ended before everything else.
    """

    value: Any
    ended: float
    began: float
    first: Event | None
    last: Event | None
    write: Event | None

    @property
    def events(self) -> tuple[Event, ...]:
        """The operations that show the interval, by their start."""
        known = {id(event): event for event in (self.write, self.first, self.last) if event is not None}
        return tuple(sorted(known.values(), key=lambda event: event.start))


def judge_register(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge a register: writes of unique values (`set`), reads, and writes that were sent again (`repeat`)."""
    writes = [event for event in events if event.action == SET]
    repeats = [event for event in events if event.action == AGAIN]
    reads = [event for event in events if event.action == READ and event.outcome == OK]
    by_value = {event.value: event for event in writes if event.outcome != REFUSED}
    refused = {event.value: event for event in writes if event.outcome == REFUSED}
    known = []
    for read in reads:
        write = by_value.get(read.result)
        if read.result is not None and write is None:
            tried = refused.get(read.result)
            why = "but its write was rejected" if tried else "but no client wrote it"
            yield Contradiction(f"{read.result} was read, {why}", (tried, read) if tried else (read,))
        elif write is not None and read.before(write):
            yield Contradiction(f"{read.result} was read before any client began to write it", (read, write))
        else:
            known.append(read)
    for around, within in _overlaps(_intervals(by_value.values(), known)):
        yield _contradiction(around, within, repeats)


def _intervals(writes: Iterable[Event], reads: Iterable[Event]) -> list[Interval]:
    readers: dict[Any, list[Event]] = defaultdict(list)
    for read in reads:
        readers[read.result].append(read)
    by_value: dict[Any, Event | None] = {write.value: write for write in writes if write.outcome == OK}
    by_value |= {write.value: write for write in writes if write.value in readers}
    return [_interval(value, by_value.get(value), readers[value]) for value in by_value.keys() | readers.keys()]


def _interval(value: Any, write: Event | None, reads: list[Event]) -> Interval:
    own = [write, *reads] if write is not None else reads
    first, last = min(own, key=lambda event: event.end), max(own, key=lambda event: event.start)
    ended = first.end if write is not None else -math.inf
    return Interval(value, ended, last.start, first if write is not None else None, last, write)


def _overlaps(intervals: Collection[Interval]) -> Iterator[tuple[Interval, Interval]]:
    """Yield values that were current for a while, each once, with a value that was current in between."""
    lasting = sorted(
        (interval for interval in intervals if interval.ended < interval.began), key=lambda interval: interval.ended
    )
    overlaps = {id(early): (early, late) for early, late in pairwise(lasting) if late.ended < early.began}
    starts = [interval.ended for interval in lasting]
    for interval in intervals:
        if interval.ended >= interval.began:
            position = bisect_right(starts, interval.began) - 1
            if position >= 0 and starts[position] < interval.began and interval.ended < lasting[position].began:
                overlaps.setdefault(id(lasting[position]), (lasting[position], interval))
    yield from overlaps.values()


def _contradiction(around: Interval, within: Interval, repeats: Iterable[Event]) -> Contradiction:
    """Return the contradiction of two intervals, with the repeated write that can have restored the older value."""
    value = "nothing" if around.value is None else around.value
    words = f"{value} was read after {within.value} overwrote it"
    shown = [*around.events, *within.events]
    again = [
        event for event in repeats if event.value == around.value and around.last and event.start < around.last.end
    ]
    if again:
        words = f"{words}: the repeated request with its key was executed again"
        shown.append(max(again, key=lambda event: event.start))
    events = {id(event): event for event in shown}.values()
    return Contradiction(words, tuple(sorted(events, key=lambda event: event.start)))
