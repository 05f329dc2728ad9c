"""Judges of versions that are committed one after the other, of one table or of two that only change together.

A version has one maker, and time goes one way: a version is seen or created at a moment between the start and the end
of an operation. No order explains a version without a maker, one with two makers, one that is seen before any client
began to create it, or an older one that is seen later. Every judge costs O(n log n).
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from conformance.history.events import EXISTS, OK, READ, REFUSED, UNKNOWN, Contradiction, Event

COMMIT = "commit"

Sights = list[tuple[int, Event]]
"""Versions, and the operations that show them."""


def judge_chain(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge commits that each build on the previous version, and reads of the current one.

    The value of a commit is its base version and its own token; the result of a read and of a successful commit is a
    version and the token of the commit that created it (None: the answer does not contain it).
    """
    commits = [event for event in events if event.action == COMMIT]
    reads = _reads(events)
    forked = set()
    for fork in _forks(commits):
        forked.add(fork.events[0].value[0])
        yield fork
    yield from _foreign_answers(commits)
    yield from _wrong_tokens(commits, reads)
    yield from _unmade(commits, _least(commits, reads))
    built = [(event.value[0], event) for event in commits if event.outcome == OK and event.value[0] not in forked]
    yield from _stale([*_seen(reads), *built], _least(commits, reads))


def judge_pair(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge two tables that only change together, so that both have the same version at any moment.

    A commit has two values, one for each table; the value of a read is the table that was read, 0 or 1.
    """
    uneven = [event for event in events if event.action == COMMIT and event.value[0][0] != event.value[1][0]]
    for event in uneven:
        if event.outcome == OK:
            bases = " and ".join(str(base) for base, _ in event.value)
            yield Contradiction(
                f"a transaction on versions {bases} was acknowledged, but the tables never had these versions", (event,)
            )
    never = {id(event) for event in uneven if event.outcome == UNKNOWN}  # a correct catalog rejects them
    events = [event for event in events if id(event) not in never]
    halves = [[part for event in events for part in _half(event, half)] for half in range(2)]
    for half in halves:
        yield from judge_chain(half)
    yield from _mixed(halves)
    yield from _torn(halves)


def judge_batch(events: Collection[Event]) -> Iterator[Contradiction]:
    """Judge two tables that are declared in one batch: several clients send the same batch, one succeeds.

    A table has version 0 until it is declared, and version 1 afterwards.
    """
    commits = [event for event in events if event.action == COMMIT]
    winners = [event for event in commits if event.outcome == OK]
    if len(winners) > 1:
        yield Contradiction(f"{len(winners)} batches that declare the same tables were acknowledged", tuple(winners))
    reads = _reads(events)
    least = _least(commits, reads)
    yield from _unmade(commits, least)
    for half in range(2):
        own = [read for read in reads if read.value == half]
        yield from _stale(_seen(own), [*_least(commits, []), *_seen(own)])
    yield from _torn([[read for read in reads if read.value == half] for half in range(2)])


def _reads(events: Iterable[Event]) -> list[Event]:
    return [event for event in events if event.action == READ and event.result is not None]


def _seen(reads: Iterable[Event]) -> Sights:
    return [(read.result[0], read) for read in reads]


def _least(commits: Iterable[Event], reads: Iterable[Event]) -> Sights:
    """Return lower bounds: versions that existed at the end of an operation."""
    made = [event for event in commits if event.outcome == OK or event.result == EXISTS]
    return [*_seen(reads), *((_base(event) + 1, event) for event in made)]


def _base(commit: Event) -> int:
    base: int = commit.value[0]
    return base


def _half(event: Event, half: int) -> list[Event]:
    if event.action == COMMIT:
        return [replace(event, value=event.value[half], result=None)]
    return [event] if event.value == half else []


# Makers


def _forks(commits: Iterable[Event]) -> Iterator[Contradiction]:
    """Yield commits that succeeded on the same version."""
    by_base: dict[int, list[Event]] = defaultdict(list)
    for event in commits:
        if event.outcome == OK:
            by_base[_base(event)].append(event)
    for base, winners in by_base.items():
        if len(winners) > 1:
            yield Contradiction(
                f"{len(winners)} commits on version {base} were acknowledged: one is lost", tuple(winners)
            )


def _foreign_answers(commits: Iterable[Event]) -> Iterator[Contradiction]:
    for event in commits:
        made = _base(event) + 1, event.value[1]
        if event.outcome == OK and event.result is not None and not _agrees(event.result, made):
            yield Contradiction(f"a commit on version {made[0] - 1} returned the result of another commit", (event,))


def _agrees(seen: tuple[int, Any], made: tuple[int, Any]) -> bool:
    return seen[0] == made[0] and (seen[1] is None or seen[1] == made[1])


def _wrong_tokens(commits: Iterable[Event], reads: Iterable[Event]) -> Iterator[Contradiction]:
    """Yield reads of an unknown or rejected commit, or of another commit than was read or acknowledged before."""
    by_token = {event.value[1]: event for event in commits}
    shown = {_base(event) + 1: (event.value[1], event) for event in commits if event.outcome == OK}
    for read in sorted(reads, key=lambda event: event.end):
        version, token = read.result
        if token is None:
            continue
        maker = by_token.get(token)
        before = shown.setdefault(version, (token, read))
        if maker is None:
            yield Contradiction(f"version {version} exists, but no client committed it", (read,))
        elif maker.outcome == REFUSED:
            yield Contradiction(f"version {version} exists, but its commit was rejected", (maker, read))
        elif _base(maker) + 1 != version:
            yield Contradiction(f"version {version} holds the commit on version {_base(maker)}", (maker, read))
        elif before[0] != token:
            yield Contradiction(f"version {version} differs between clients", (before[1], maker, read))


def _unmade(commits: Iterable[Event], least: Sights) -> Iterator[Contradiction]:
    """Yield versions that no client can have created, and those seen before any client began to create them."""
    begun, refused = _makers(commits, least)
    witnesses = _first_witnesses(least)
    latest: dict[int, Event] = {}
    last: Event | None = None
    for version in range(1, max(witnesses, default=0) + 1):
        maker = begun.get(version)
        if maker is None:
            tried = refused.get(version)
            why = "but its commits were rejected" if tried else "but no client created it"
            shown = (tried, witnesses[version]) if tried else (witnesses[version],)
            yield Contradiction(f"version {version} exists, {why}", shown)
        elif last is None or maker.start > last.start:
            last = maker
        if last is not None:
            latest[version] = last
    for version, event in least:
        maker = latest.get(version)
        if maker is not None and event.before(maker):
            yield Contradiction(f"version {version} existed before any client began to create it", (event, maker))


def _makers(commits: Iterable[Event], least: Sights) -> tuple[Mapping[int, Event], Mapping[int, Event]]:
    """Return the most likely maker of each version, and a rejected commit of each.

    An acknowledged commit comes first, then one whose token was read, then one without an answer.
    """
    tokens = {event.result[1] for _, event in least if event.action == READ}
    begun: dict[int, Event] = {}
    refused: dict[int, Event] = {}

    def rank(event: Event) -> tuple[bool, bool, float]:
        return event.outcome == OK, event.value[1] in tokens, -event.start

    for event in commits:
        version = _base(event) + 1
        if event.outcome == REFUSED:
            refused.setdefault(version, event)
        elif version not in begun or rank(event) > rank(begun[version]):
            begun[version] = event
    return begun, refused


def _first_witnesses(least: Sights) -> dict[int, Event]:
    """Return, for each version up to the highest, the first operation that saw it or a later one."""
    ordered = sorted(least, key=lambda sight: sight[1].end)
    witnesses: dict[int, Event] = {}
    highest = 0
    for version, event in ordered:
        for seen in range(highest + 1, version + 1):
            witnesses[seen] = event
        highest = max(highest, version)
    return witnesses


# Time


def _stale(exact: Iterable[tuple[int, Event]], least: Sights) -> Iterator[Contradiction]:
    """Yield operations that saw a version after a later one was seen or created, one contradiction for each."""
    last = _Latest(least)
    for version, event in exact:
        newest, witness = last.before(event)
        if witness is not None and newest > version:
            how = "read" if witness.action == READ else "created"
            what = "was read" if event.action == READ else "accepted a commit"
            yield Contradiction(f"version {version} {what} after version {newest} was {how}", (witness, event))


def _torn(halves: Sequence[Collection[Event]]) -> Iterator[Contradiction]:
    """Yield reads of one table at an older version than an earlier read of the other."""
    for half, other in ((0, 1), (1, 0)):
        last = _Latest(_seen(_reads(halves[other])))
        for read in _reads(halves[half]):
            newest, witness = last.before(read)
            if witness is not None and newest > read.result[0]:
                words = f"one table has version {read.result[0]} after the other had version {newest}"
                yield Contradiction(f"{words}: they only change together", (witness, read))


def _mixed(halves: Sequence[Collection[Event]]) -> Iterator[Contradiction]:
    """Yield versions that different transactions created in the two tables."""
    makers: list[dict[int, tuple[Event, Event]]] = []
    for half in halves:
        by_token = {event.value[1]: event for event in half if event.action == COMMIT}
        read = [(event.result[0], by_token.get(event.result[1]), event) for event in _reads(half)]
        makers.append({version: (maker, event) for version, maker, event in read if maker is not None})
    for version in makers[0].keys() & makers[1].keys():
        (first, reading), (second, other) = makers[0][version], makers[1][version]
        if (first.client, first.start) != (second.client, second.start):
            words = f"version {version} comes from different transactions in the two tables"
            yield Contradiction(words, (first, second, reading, other))


class _Latest:
    """The highest version that certainly existed when an operation began."""

    def __init__(self, least: Sights) -> None:
        done = sorted(((event.end, version, event) for version, event in least), key=lambda entry: entry[:2])
        self._ends = [end for end, _, _ in done if end < math.inf]
        self._highest = list(itertools.accumulate(((version, event) for _, version, event in done), _higher))

    def before(self, event: Event) -> tuple[int, Event | None]:
        """Return that version and the event that showed it; -1 and None without one."""
        position = bisect_left(self._ends, event.start)
        return self._highest[position - 1] if position else (-1, None)


def _higher(sight: tuple[int, Event], other: tuple[int, Event]) -> tuple[int, Event]:
    return sight if sight[0] >= other[0] else other
