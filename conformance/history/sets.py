"""The judge of a set that only grows: exact, if every value is added once. It costs O(n log n).

Reads of a growing set are ordered by their contents, and an addition precedes the first read that contains it: so the
operations form groups whose order is known. Some order of all explains the answers when no operation ended before one
of an earlier group began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from conformance.history.events import OK, READ, REFUSED, Contradiction, Event


def judge_set(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge additions, whose value is the added one, and reads, whose result is the whole set."""
    reads = sorted((event for event in events if _is_read(event)), key=lambda event: len(event.result))
    adds = {event.value: event for event in events if event.action != READ and event.outcome != REFUSED}
    unknown = list(_never_added(adds, reads))
    yield from unknown
    split = list(_not_growing(reads))
    yield from split
    if not unknown and not split:
        yield from _out_of_order(adds, reads)


def _is_read(event: Event) -> bool:
    return event.action == READ and event.result is not None


def _never_added(adds: dict[Any, Event], reads: Collection[Event]) -> Iterator[Contradiction]:
    for read in reads:
        for value in sorted(read.result - adds.keys()):
            yield Contradiction(f"{value} is listed, but no client added it", (read,))


def _not_growing(reads: Collection[Event]) -> Iterator[Contradiction]:
    """Yield pairs of reads that each miss a value of the other; `reads` are sorted by size."""
    for smaller, larger in pairwise(reads):
        if missing := smaller.result - larger.result:
            value, other = min(missing), min(larger.result - smaller.result)
            yield Contradiction(f"{value} is listed without {other}, and {other} without {value}", (smaller, larger))


def _out_of_order(adds: dict[Any, Event], reads: Collection[Event]) -> Iterator[Contradiction]:
    """Yield operations that ended before one of an earlier group began; `reads` are sorted by size."""
    latest: Event | None = None
    seen: set[Any] = set()
    groups: dict[int, list[Event]] = {}
    for read in reads:
        groups.setdefault(len(read.result), []).append(read)
    for group in groups.values():
        added = [adds[value] for value in group[0].result - seen]
        seen |= group[0].result
        for part in (added, group):
            if latest is not None:
                yield from (_contradiction(latest, event) for event in part if event.before(latest))
            latest = max([*([latest] if latest else []), *part], key=lambda event: event.start, default=None)
    rest = [event for value, event in adds.items() if value not in seen and event.outcome == OK]
    if latest is not None:
        yield from (_contradiction(latest, event) for event in rest if event.before(latest))


def _contradiction(earlier: Event, later: Event) -> Contradiction:
    """Return the contradiction of an operation that ended before one of an earlier group began."""
    events = (later, earlier)
    if later.action != READ:
        where = "is not listed" if earlier.action == READ else f"is not listed with {earlier.value}"
        return Contradiction(f"{later.value} was added and {where}", events)
    if earlier.action != READ:
        return Contradiction(f"{earlier.value} was listed before any client began to add it", events)
    lost = min(later.result - earlier.result)
    return Contradiction(f"{lost} was listed and is missing from a later read", events)
