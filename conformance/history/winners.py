"""Judges that need no order of the events: one of several succeeds, two halves appear together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from conformance.history.events import OK, REFUSED, Contradiction, Event


def one_winner(events: Collection[Event]) -> Iterator[Contradiction]:
    """Of several that take the same thing exactly one succeeds."""
    winners = [event for event in events if event.outcome == OK]
    if len(winners) > 1:
        yield Contradiction(f"{len(winners)} of {len(events)} clients got a success", tuple(winners))
    if not winners and all(event.outcome == REFUSED for event in events):
        yield Contradiction(f"all of {len(events)} clients were refused", tuple(events))


def judge_pairs(looks: Iterable[Event]) -> Iterator[Contradiction]:
    """Who sees the first half of what is done at once, and then looks for the second, sees that too."""
    for look in looks:
        first, second = look.result
        if first and not second:
            halves = " and ".join(map(str, look.key))
            yield Contradiction(f"one half of {halves} is there and the other is not", (look,))
