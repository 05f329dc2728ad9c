"""Judges that need no order of the events: one of several succeeds, two halves appear together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from conformance.history.events import OK, REFUSED, Contradiction, Event


def one_winner(events: Collection[Event]) -> Iterator[Contradiction]:
    """Check that exactly one of several operations on the same object succeeds."""
    winners = [event for event in events if event.outcome == OK]
    if len(winners) > 1:
        yield Contradiction(f"{len(winners)} of {len(events)} clients succeeded (expected 1)", tuple(winners))
    if not winners and all(event.outcome == REFUSED for event in events):
        yield Contradiction(f"all {len(events)} clients were rejected (expected 1 success)", tuple(events))


def judge_pairs(looks: Iterable[Event]) -> Iterator[Contradiction]:
    """Check that a client which sees the first half of an atomic change, and then reads the second, sees that too."""
    for look in looks:
        first, second = look.result
        if first and not second:
            halves = " and ".join(map(str, look.key))
            yield Contradiction(f"one half of {halves} is visible without the other", (look,))
