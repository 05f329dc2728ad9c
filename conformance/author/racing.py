"""Concurrent clients, each in a thread, and the history of their operations."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from conformance.author.patience import LATE_ANSWERS, slowest_answer
from conformance.author.suite import Suite
from conformance.history import UNKNOWN, Contradiction, Event, Key, judge_history, outcome
from conformance.history.orders import MOST_ORDERS
from conformance.http.answers import Answer
from conformance.http.client import Client
from conformance.values.evidence import Aspect
from conformance.values.exchange import Moment
from conformance.values.outcomes import Blocked, Violation

RACE_SECONDS = 120.0
HISTORY = "history"  # blocks a requirement whose history cannot be judged


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a race: clients, operations of each, and objects shared by them."""

    clients: int
    operations: int
    objects: int


SIZES = {"smoke": Size(4, 8, 2), "gate": Size(8, 16, 3), "deep": Size(16, 200, 8)}


@dataclass
class Racer:
    """One client of a race; `active` are the numbers of those that may still change something."""

    number: int
    client: Client
    events: list[Event] = field(default_factory=list)
    active: set[int] = field(default_factory=set)

    def looks(self) -> Iterator[None]:
        """Yield for each look for a change that another client makes, as long as it may come.

        That is while another client works, and after that for LATE_ANSWERS times the slowest answer of this one.
        """
        self.active.discard(self.number)
        quiet = 0.0
        while True:
            started = time.monotonic()
            yield
            quiet = 0.0 if self.active else quiet + time.monotonic() - started
            if quiet > LATE_ANSWERS * slowest_answer(self.client):
                return

    def do(
        self,
        action: str,
        key: Key,
        call: Callable[[], Answer],
        *,
        value: Any = None,
        read: Callable[[Answer], Any] | None = None,
    ) -> Event:
        """Send one request and record its outcome; `read` extracts the result of a successful answer."""
        answer = None
        start = time.monotonic()
        with suppress(Violation):  # no answer came: the outcome is unknown
            answer = call()
        end = time.monotonic()
        exchange = self.client.steps[-1]
        result = read(answer) if read and answer and exchange.status == 200 else None
        what = outcome(exchange.status)
        end = math.inf if what == UNKNOWN else end  # it may take effect at any time
        event = Event(self.number, action, key, value, start, end, what, result, (exchange,))
        self.events.append(event)
        return event


Program = Callable[[Racer], None]


def race(suite: Suite, programs: Sequence[Program]) -> list[Event]:
    """Run programs concurrently, each with its own client, and return their events by start.

    An interruption ends the clients before it goes on: none of them creates anything after the clean-up.
    """
    active = set(range(len(programs)))
    racers = [Racer(number, suite.client.fork(RACE_SECONDS), active=active) for number in range(len(programs))]
    start = threading.Barrier(len(programs))
    failures: list[BaseException] = []

    def run(racer: Racer, program: Program) -> None:
        try:
            start.wait()
            program(racer)
        except BaseException as error:  # it is raised again below, in the thread of the requirement
            failures.append(error)
        finally:
            active.discard(racer.number)

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in zip(racers, programs, strict=True)]
    for thread in threads:
        thread.start()
    try:
        _join(threads, RACE_SECONDS + suite.settings.timeout)
    except BaseException:
        for racer in racers:
            racer.client.end()
        _join(threads, suite.settings.timeout)
        raise
    for racer in racers:
        suite.client.join(racer.client)
    if failures:
        raise failures[0]
    events = sorted((event for racer in racers for event in racer.events), key=lambda event: event.start)
    note_moments(events)
    return events


def _join(threads: Iterable[threading.Thread], seconds: float) -> None:
    """Wait for each thread for so long at most."""
    for thread in threads:
        thread.join(seconds)


def note_moments(events: Sequence[Event]) -> None:
    """Store client and time in the exchanges of events, which are sorted by start."""
    for event in events:
        for exchange in event.exchanges:
            exchange.moment = Moment(client=event.client, start=round(event.start - events[0].start, 6))


def fail_on(suite: Suite, contradictions: Iterable[Contradiction]) -> None:
    """Raise Violation for the first contradiction; the shown steps prepare the race, or are requests of its events."""
    for contradiction in contradictions:
        prepared = takewhile(lambda exchange: exchange.moment is None, suite.client.steps)
        shown = (exchange for event in contradiction.events for exchange in event.exchanges)
        suite.client.steps = [*prepared, *shown]
        suite.client.touch(suite.client.steps[-1], "body:")
        aspect: Aspect = "status" if contradiction.statuses else "history"
        raise Violation(contradiction.message, aspect=aspect, statuses=contradiction.statuses)


def fail_without_order(suite: Suite, events: Iterable[Event], limit: int = MOST_ORDERS) -> None:
    """Raise Violation when no order of an object's events explains their answers.

    Raises Blocked when that is undecided. With the sizes of SIZES it never is: registers and sets need no search, and
    increments are all alike, so that there are fewer orders to follow than pairs of operations on one object.
    """
    judgements = judge_history(events, limit)
    fail_on(suite, (contradiction for judgement in judgements for contradiction in judgement.contradictions))
    for judgement in judgements:
        if judgement.undecided:
            raise Blocked(f"the history of {judgement.name} is {judgement.undecided}", HISTORY)
