"""The judge of a value that everybody overwrites: exact, where every write has a value of its own.

All that has to do with one value, its write and the reads that found it, spans a zone of time. Where the value
was surely there for a while (something of it ended before something else of it began), nothing else can
have been there in between (Gibbons and Korach, 1997). That costs O(n log n).
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
class Zone:
    """A value, and what shows when it was there: what of it ended first, and what of it began last.

    Nothing is known of the write of the value at the beginning, None: it was over before everything else.
    """

    value: Any
    ended: float
    began: float
    first: Event | None
    last: Event | None
    write: Event | None

    @property
    def events(self) -> tuple[Event, ...]:
        """What shows the zone, in the order of time."""
        known = {id(event): event for event in (self.write, self.first, self.last) if event is not None}
        return tuple(sorted(known.values(), key=lambda event: event.start))


def judge_register(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge a register: writes of values of their own (`set`), reads, and writes that were sent again (`repeat`)."""
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
            why = "but its write was refused" if tried else "but nobody has written it"
            yield Contradiction(f"{read.result} is there, {why}", (tried, read) if tried else (read,))
        elif write is not None and read.before(write):
            yield Contradiction(f"{read.result} is there before anybody has begun to write it", (read, write))
        else:
            known.append(read)
    for around, within in _overlaps(_zones(by_value.values(), known)):
        yield _contradiction(around, within, repeats)


def _zones(writes: Iterable[Event], reads: Iterable[Event]) -> list[Zone]:
    found: dict[Any, list[Event]] = defaultdict(list)
    for read in reads:
        found[read.result].append(read)
    by_value: dict[Any, Event | None] = {write.value: write for write in writes if write.outcome == OK}
    by_value |= {write.value: write for write in writes if write.value in found}
    return [_zone(value, by_value.get(value), found[value]) for value in by_value.keys() | found.keys()]


def _zone(value: Any, write: Event | None, reads: list[Event]) -> Zone:
    own = [write, *reads] if write is not None else reads
    first, last = min(own, key=lambda event: event.end), max(own, key=lambda event: event.start)
    ended = first.end if write is not None else -math.inf
    return Zone(value, ended, last.start, first if write is not None else None, last, write)


def _overlaps(zones: Collection[Zone]) -> Iterator[tuple[Zone, Zone]]:
    """Yield values that were there for a while, each once, with one that was there in the midst of it."""
    lasting = sorted((zone for zone in zones if zone.ended < zone.began), key=lambda zone: zone.ended)
    found = {id(one): (one, other) for one, other in pairwise(lasting) if other.ended < one.began}
    starts = [zone.ended for zone in lasting]
    for zone in zones:
        if zone.ended >= zone.began:
            position = bisect_right(starts, zone.began) - 1
            if position >= 0 and starts[position] < zone.began and zone.ended < lasting[position].began:
                found.setdefault(id(lasting[position]), (lasting[position], zone))
    yield from found.values()


def _contradiction(around: Zone, within: Zone, repeats: Iterable[Event]) -> Contradiction:
    """Return the contradiction of two zones, with the repetition that can have brought the older value back."""
    value = "nothing" if around.value is None else around.value
    words = f"{value} is read after {within.value} was written over it"
    shown = [*around.events, *within.events]
    again = [one for one in repeats if one.value == around.value and around.last and one.start < around.last.end]
    if again:
        words = f"{words}: it was sent again with its key, and done again"
        shown.append(max(again, key=lambda event: event.start))
    events = {id(event): event for event in shown}.values()
    return Contradiction(words, tuple(sorted(events, key=lambda event: event.start)))
