"""Templates about concurrent requests of which one can succeed, and about identical concurrent requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import FAILURE, RequestCase
from conformance.common.ordinary import accepted
from conformance.common.template import template
from conformance.history import OK, REFUSED, Contradiction, Event, one_winner
from conformance.http.answers import Answer

UNDECIDED = (0, 429, 503)  # no answer, or one that leaves open whether the request was executed
Act = Callable[[Any], Answer]  # sends a request through the operations of one racing client


@dataclass(frozen=True, slots=True)
class WinnerRace:
    """Race in which exactly one of several clients may succeed.

    `start` prepares the race for a number of clients. It returns the request of each client, and a check that takes the
    number of the winner. `action` describes the request in words. `lost` are the statuses that losers may get, empty if
    any rejection is fine. `needs` are requirements that state the same for sequential requests.
    """

    operations: list[str]
    clause: str
    statement: str
    action: str
    start: Callable[[Any, int], tuple[Sequence[Act], Callable[[int], object]]]
    lost: Collection[int] = ()
    needs: tuple[str, ...] = ()


@template("race.{}", must, kind="race")
def one_wins(suite: Suite, catalog: Catalog, case: WinnerRace) -> None:
    """When several clients concurrently send requests of which only one can win, exactly one succeeds."""
    _require_all(catalog, case.operations)
    acts, check = case.start(catalog, clients(suite))
    events = _raced(suite, catalog, acts)
    fail_on(suite, one_winner(events))
    if case.lost:
        fail_on(suite, refused_otherwise(events, *case.lost))
    check(successes(suite, events, case.action)[0].client)


def _require_all(catalog: Catalog, operations: Sequence[str]) -> None:
    """Raise Blocked or Unoffered when the server does not support an operation of the race."""
    for operation in operations:
        catalog.client.require(operation)


def _raced(suite: Suite, catalog: Catalog, acts: Sequence[Act]) -> list[Event]:
    """Run one racing client for each act, all concurrently, and return the events."""

    def program(act: Act, racer: Racer) -> None:
        racer.do("act", ("all",), lambda: act(catalog.through(racer.client)))

    return race(suite, [partial(program, act) for act in acts])


def clients(suite: Suite) -> int:
    """Return the number of clients in a race of this run."""
    return SIZES[suite.settings.depth].clients


def successes(suite: Suite, events: Collection[Event], action: str) -> list[Event]:
    """Return the events of the clients that succeeded. Raises Violation when none did."""
    won = [event for event in events if event.outcome == OK]
    if not won:
        answers = sorted({str(exchange.status or "no answer") for event in events for exchange in event.exchanges})
        message = f"of {len(events)} clients that {action} none succeeded: they got {', '.join(answers)}"
        fail_on(suite, [Contradiction(message, tuple(events))])
    return won


def refused_otherwise(events: Collection[Event], *statuses: int) -> list[Contradiction]:
    """Return a contradiction for each rejected client that got none of these statuses and no undecided one."""
    fitting = (*statuses, *UNDECIDED)
    return [
        _told_otherwise(event, statuses)
        for event in events
        if event.outcome == REFUSED and event.exchanges[-1].status not in fitting
    ]


def _told_otherwise(event: Event, statuses: Collection[int]) -> Contradiction:
    wanted = " or ".join(map(str, sorted(statuses)))
    got = event.exchanges[-1].status
    return Contradiction(f"the losing request: expected {wanted}, got {got}", (event,), tuple(sorted(statuses)))


@dataclass(frozen=True, slots=True)
class LoserRace:
    """Race in which all clients but the winner must get a fitting error.

    `start` prepares the race and returns the request of each client; `refusals` are the statuses that losers may get.
    """

    operations: list[str]
    clause: str
    statement: str
    action: str
    start: Callable[[Any, int], Sequence[Act]]
    refusals: Collection[int]


@template("race.losers.{}", must, kind="race")
def losers_are_refused(suite: Suite, catalog: Catalog, case: LoserRace) -> None:
    """When several clients concurrently send requests of which only one can win, the others are rejected."""
    _require_all(catalog, case.operations)
    events = _raced(suite, catalog, case.start(catalog, clients(suite)))
    successes(suite, events, case.action)
    allowed = (*case.refusals, *UNDECIDED)
    late = [event for event in events if event.outcome != OK and event.exchanges[-1].status not in allowed]
    fail_on(suite, [_told_otherwise(event, case.refusals) for event in late])


@dataclass(frozen=True, slots=True)
class DifferentWrites:
    """Race of writes of different parts of one object: none that was acknowledged may be lost.

    `start` prepares the race for a number of writes. It returns the keys of the parts, of which it may choose fewer,
    the write of one key through the operations of one client, and a function that reads the keys which are there.
    `action` describes the write in words.
    """

    operations: list[str]
    clause: str
    statement: str
    action: str
    start: Callable[[Any, int], tuple[Sequence[str], Callable[[Any, str], Answer], Callable[[], Collection[str]]]]


@template("race.different.{}", must, kind="race")
def no_different_write_is_lost(suite: Suite, catalog: Catalog, case: DifferentWrites) -> None:
    """Each of several parts of an object that clients write concurrently is stored, or its write was refused."""
    _require_all(catalog, case.operations)
    size = SIZES[suite.settings.depth]
    keys, write, read = case.start(catalog, size.clients * size.operations)

    def program(own: Sequence[str], racer: Racer) -> None:
        client = catalog.through(racer.client)
        for key in own:
            racer.do("write", (key,), partial(write, client, key))

    events = race(suite, [partial(program, keys[number :: size.clients]) for number in range(size.clients)])
    there = set(read())
    fail_on(suite, (problem for event in events for problem in judge_write(event, there)))
    successes(suite, events, case.action)


def judge_write(event: Event, there: Collection[str]) -> list[Contradiction]:
    """Return a contradiction if the answer to a write of a key does not fit the keys that are there in the end."""
    if event.outcome == OK and event.key[0] not in there:
        return [Contradiction("an update that was acknowledged is lost", (event,))]
    if event.outcome == REFUSED and event.key[0] in there:
        return [Contradiction("an update that was refused is there", (event,))]
    return []


@template("race.same.{}", should, clause="same-at-once", kind="race")
def same_requests_are_no_failure(suite: Suite, catalog: Catalog, case: RequestCase) -> None:
    """{} succeeds or returns 4xx or 503 for each of several identical concurrent requests."""
    _require_all(catalog, case.operations)
    good = case.prepare(catalog, "t")
    with catalog.client.unusual():
        events = _raced(suite, catalog, [lambda client: good.send(client, case.operation.id)] * clients(suite))
    if not any(event.outcome == OK for event in events):
        accepted(catalog, case.operation.id, good)
    statuses = [(event, event.exchanges[-1].status) for event in events if event.outcome != OK]
    failed = [(event, status) for event, status in statuses if status >= FAILURE and status not in UNDECIDED]
    fail_on(
        suite, [Contradiction(f"who sent what others sent was told {status}", (event,)) for event, status in failed]
    )
