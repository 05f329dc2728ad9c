"""Histories of concurrent operations, and judges of them: pure functions from events to problems.

An event knows when its request was sent and when its answer came. What two events did in between is
nobody's business unless one ended before the other started; so a judge only says what no order of
the overlapping events can explain. A write that was refused did nothing, one whose answer got lost
may have done anything it was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.exchange import Exchange
from conformance.json_values import shown

OK, REFUSED, UNKNOWN = "ok", "refused", "unknown"


@dataclass(frozen=True, slots=True)
class Event:
    """One operation of one client: `start` and `end` are seconds on one clock.

    `key` is what it was about, `value` what it was to write, `result` what a read has found.
    """

    client: int
    action: str
    key: Hashable
    value: Any
    start: float
    end: float
    outcome: str
    result: Any = None
    exchanges: tuple[Exchange, ...] = ()

    def before(self, other: Event) -> bool:
        """True when this event was over before the other began."""
        return self.end < other.start

    def __str__(self) -> str:
        value = "" if self.value is None else f" {self.value}"
        return f"client {self.client}: {self.action} {self.key}{value}: {self.outcome}"


@dataclass(frozen=True, slots=True)
class Problem:
    """What no order of events can explain, and the events that show it."""

    message: str
    events: tuple[Event, ...]


def one_winner(events: Collection[Event]) -> Iterator[Problem]:
    """Of several that take the same thing exactly one succeeds."""
    winners = [event for event in events if event.outcome == OK]
    if len(winners) > 1:
        yield Problem(f"{len(winners)} of {len(events)} clients were told that they succeeded", tuple(winners))
    if not winners and all(event.outcome == REFUSED for event in events):
        yield Problem(f"all of {len(events)} clients were refused", tuple(events))


def judge_set(writes: Collection[Event], reads: Iterable[Event]) -> Iterator[Problem]:
    """A read of a set that only grows finds what was added before, and nothing that nobody has added."""
    for read in reads:
        must = {event.value: event for event in writes if event.outcome == OK and event.before(read)}
        may = {event.value for event in writes if event.outcome != REFUSED and event.start < read.end}
        for value in sorted(must.keys() - read.result):
            yield Problem(f"{value} was added and is not there", (must[value], read))
        for value in sorted(read.result - may):
            yield Problem(f"{value} is there, but nobody has added it", (read,))


def judge_counter(writes: Collection[Event], reads: Iterable[Event]) -> Iterator[Problem]:
    """A read of a counter finds all that was added before, and no more than what was begun."""
    for read in reads:
        done = [event for event in writes if event.outcome == OK and event.before(read)]
        begun = [event for event in writes if event.outcome != REFUSED and event.start < read.end]
        least, most = (sum(event.value for event in chosen) for chosen in (done, begun))
        if not least <= read.result <= most:
            message = f"the counter is {read.result} after {least} was added, with {most - least} under way"
            yield Problem(message, (*done[-1:], read))


def judge_register(writes: Collection[Event], reads: Iterable[Event]) -> Iterator[Problem]:
    """A read of a register finds a value that was written, and that nothing written later has replaced.

    Each value is written once; None stands for a register that nobody has written to.
    """
    by_value = {event.value: event for event in writes if event.outcome != REFUSED}
    done = [event for event in writes if event.outcome == OK]
    for read in reads:
        written = by_value.get(read.result)
        if read.result is not None and (written is None or written.start > read.end):
            yield Problem(f"{shown(read.result)} is there, but nobody has written it", (read,))
            continue
        later = [event for event in done if event.before(read) and (written is None or written.before(event))]
        if later:
            message = f"{shown(read.result)} is read after {shown(later[-1].value)} was written over it"
            yield Problem(message, (*([written] if written else []), later[-1], read))


def judge_pairs(looks: Iterable[Event]) -> Iterator[Problem]:
    """Who sees the first half of what is done at once, and then looks for the second, sees that too."""
    for look in looks:
        first, second = look.result
        if first and not second:
            yield Problem(f"one half of {look.key} is there and the other is not", (look,))


def by_key(events: Iterable[Event]) -> Mapping[Hashable, list[Event]]:
    """Return the events about each key, in their order."""
    found: dict[Hashable, list[Event]] = {}
    for event in events:
        found.setdefault(event.key, []).append(event)
    return found
