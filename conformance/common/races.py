"""Clients that want the same at the same time: one of them gets it, and the others are refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import FAILURE, Body
from conformance.common.ordinary import accepted
from conformance.common.template import template
from conformance.history import OK, REFUSED, Contradiction, Event, one_winner
from conformance.http.client import Answer

UNDECIDED = (0, 429, 503)  # no answer, or one that says nothing of what was asked
Act = Callable[[Any], Answer]  # of the operations of the API, through the client that acts


@dataclass(frozen=True, slots=True)
class Contest:
    """What only one of several clients can do.

    `start` prepares it for so many clients: it returns what each of them does, and the check of what the winner left.
    `deed` is what they do, in words; `lost` are the statuses for who comes too late, none where any refusal will do.
    `needs` are requirements that say the same of clients that come one after the other.
    """

    operations: list[str]
    clause: str
    statement: str
    deed: str
    start: Callable[[Any, int], tuple[Sequence[Act], Callable[[int], object]]]
    lost: Collection[int] = ()
    needs: tuple[str, ...] = ()


@template("race.{}", must, kind="race")
def one_wins(suite: Suite, catalog: Any, case: Contest) -> None:
    """Of several clients that do the same at the same time exactly one succeeds."""
    _require_all(catalog, case.operations)
    acts, check = case.start(catalog, clients(suite))
    events = _raced(suite, catalog, acts)
    fail_on(suite, one_winner(events))
    if case.lost:
        fail_on(suite, refused_otherwise(events, *case.lost))
    check(successes(suite, events, case.deed)[0].client)


def _require_all(catalog: Any, operations: Sequence[str]) -> None:
    """Raise Blocked or Unoffered where the server was found to lack an operation of a race."""
    for operation in operations:
        catalog.client.require(operation)


def _raced(suite: Suite, catalog: Any, acts: Sequence[Act]) -> list[Event]:
    """Let each client do its act, all at the same time, and return what became of it."""

    def program(act: Act, racer: Racer) -> None:
        racer.do("act", ("all",), lambda: act(catalog.through(racer.client)))

    return race(suite, [partial(program, act) for act in acts])


def clients(suite: Suite) -> int:
    """Return how many clients a race has."""
    return SIZES[suite.settings.depth].clients


def successes(suite: Suite, events: Collection[Event], deed: str) -> list[Event]:
    """Return the events of those who succeeded. Raises Violation when no answer tells of a success."""
    won = [event for event in events if event.outcome == OK]
    if not won:
        answers = sorted({str(exchange.status or "no answer") for event in events for exchange in event.exchanges})
        message = f"of {len(events)} clients that {deed} none succeeded: they got {', '.join(answers)}"
        fail_on(suite, [Contradiction(message, tuple(events))])
    return won


def refused_otherwise(events: Collection[Event], *statuses: int) -> list[Contradiction]:
    """Check the refusals: who comes too late is answered with one of these statuses, or told nothing of it."""
    fitting = (*statuses, *UNDECIDED)
    return [
        _told_otherwise(event, statuses)
        for event in events
        if event.outcome == REFUSED and event.exchanges[-1].status not in fitting
    ]


def _told_otherwise(event: Event, statuses: Collection[int]) -> Contradiction:
    wanted = " or ".join(map(str, sorted(statuses)))
    return Contradiction(f"who lost should be told {wanted}, not {event.exchanges[-1].status}", (event,))


@dataclass(frozen=True, slots=True)
class Late:
    """What several clients want at the same time, and all but the first too late.

    `start` prepares it and returns what each of them does, `refusals` are the statuses that fit who comes too late.
    """

    operations: list[str]
    clause: str
    statement: str
    deed: str
    start: Callable[[Any, int], Sequence[Act]]
    refusals: Collection[int]


@template("race.losers.{}", must, kind="race")
def losers_are_refused(suite: Suite, catalog: Any, case: Late) -> None:
    """Of several clients that do the same at the same time all but one are told that they are too late."""
    _require_all(catalog, case.operations)
    events = _raced(suite, catalog, case.start(catalog, clients(suite)))
    successes(suite, events, case.deed)
    allowed = (*case.refusals, *UNDECIDED)
    late = [event for event in events if event.outcome != OK and event.exchanges[-1].status not in allowed]
    fail_on(suite, [_told_otherwise(event, case.refusals) for event in late])


@template("race.same.{}", should, clause="same-at-once", kind="race")
def same_requests_are_no_failure(suite: Suite, catalog: Any, case: Body) -> None:
    """{} is done or refused with 4xx for each of several clients that send the same request at the same time."""
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
