"""Races: calls beside each other, judged by the rows of the model.

Several clients send calls of one or two commands at the same time. Some order of them, one after the other, has to
explain every answer and what the views show in the end. A refusal for a conflict (409), too many requests (429) or a
busy server (503) fits any order, and a call without an answer may have been done or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, combinations_with_replacement

from conformance.author.racing import Racer, fail_on, race
from conformance.author.suite import Suite
from conformance.common.model.planning import above, around, before
from conformance.common.model.rows import Command, CommandCall, Model, ModelState, Thing
from conformance.common.model.running import ModelCatalog, ModelRun
from conformance.history import OK, REFUSED, Contradiction, Event

CONFLICTS = (409, 429, 503)
CLIENTS = 6


@dataclass(frozen=True, slots=True)
class RacePlan:
    """The calls that prepare a race, the state after them, and the call of each client."""

    prepare: Sequence[CommandCall]
    state: ModelState
    calls: Sequence[CommandCall]
    things: frozenset[Thing]


def races(model: Model) -> list[tuple[Command, Command]]:
    """Return the pairs of commands that can race about one thing, a command with itself included."""
    return [pair for pair in combinations_with_replacement(model.commands, 2) if race_plan(model, *pair)]


def race_plan(model: Model, first_of: Command, second_of: Command) -> RacePlan | None:
    """Return the plan of a race between two commands on one thing.

    The calls of each have all its values that can be done, in turn. None for commands that share no thing, and where
    neither can be done.
    """
    first = model.calls(first_of)[0]
    second = max(model.calls(second_of), key=lambda call: len(set(call.about) & set(first.about)))
    if not set(first.about) & set(second.about):
        return None
    needed = {thing for call in (first, second) for named in call.about for thing in above(model, named)}
    symbols = {symbol for _, id in needed for symbol in id}.union(first.on, second.on)
    things = frozenset(thing for thing in around(model, [first, second]) if symbols.issuperset(thing[1]))
    prepared = before(model, first, things) or before(model, second, things)
    if prepared is None:
        return None
    state = prepared.state
    states = [state, *(call.after(state) for call in (first, second) if call.due(state) == "done")]
    own, other = (list(_possible(call, states)) for call in (first, second))
    if not own or not other or not _contend(own[0], other[0], states):
        return None
    calls = [side[number // 2 % len(side)] for number in range(CLIENTS) for side in ((own, other)[number % 2],)]
    return RacePlan(prepared.calls, state, calls, things)


def _possible(call: CommandCall, states: Sequence[ModelState]) -> Iterator[CommandCall]:
    """Yield a call with each of its values with which it can be done in one of the states."""
    for value in call.command.values:
        other = CommandCall(call.command, call.on, value)
        if any(other.due(state) == "done" for state in states):
            yield other


def _contend(first: CommandCall, second: CommandCall, states: Sequence[ModelState]) -> bool:
    """True for calls that change one thing, or of which one ends a thing that the other names.

    A call that may be repeated, and has one value, does not contend with itself.
    """
    done = [first.after(state) for state in states if first.due(state) == "done"]
    if first == second and len(first.command.values) == 1 and all(first.due(state) != "refused" for state in done):
        return False
    (own, ends), (other, others_ends) = _changes(first, states), _changes(second, states)
    return bool(own & other or ends & set(second.about) or others_ends & set(first.about))


def _changes(call: CommandCall, states: Sequence[ModelState]) -> tuple[set[Thing], set[Thing]]:
    """Return the things that a call changes in some of the states, and those of them that it ends."""
    changed: set[Thing] = set()
    ended: set[Thing] = set()
    for state in states:
        if call.due(state) == "done":
            after = call.after(state)
            changed |= state.changed(after)
            ended |= state.things.keys() - after.things.keys()
    return changed, ended


def run_race(suite: Suite, catalog: ModelCatalog, model: Model, plan: RacePlan) -> None:
    """Run a race, and compare its answers and the final views with the model. Raises Violation if no order fits."""
    main = ModelRun(catalog, model)
    main.prepare(plan.prepare)
    named = {id[0] for _, id in plan.things if len(id) == 1}
    for symbol in sorted(named & {symbol for call in plan.calls for symbol in call.on}):
        main.name(symbol)  # before the clients start: each uses the same names

    def program(number: int, call: CommandCall, racer: Racer) -> None:
        own = main.through(racer.client)
        racer.do(str(call), (number,), partial(call.command.send, own, call.on, call.command.values[call.value], None))

    events = race(suite, [partial(program, number, call) for number, call in enumerate(plan.calls)])
    told = [(plan.calls[int(event.client)], event) for event in events]
    finals = explained(told, plan.state)
    if not finals:
        apart = next((pair for pair in combinations(told, 2) if not explained(list(pair), plan.state)), told)
        words = "; ".join(f"{call} got {event.exchanges[-1].status}" for call, event in apart)
        message = f"no order of concurrent requests explains their answers: {words}"
        fail_on(suite, [Contradiction(message, tuple(event for _, event in apart))])
    main.compare_any(plan.calls, finals, plan.things)


def explained(events: Sequence[tuple[CommandCall, Event]], state: ModelState) -> list[ModelState]:
    """Return the states in which the events can end, in any order that explains their answers and their times."""
    finals: dict[object, ModelState] = {}
    seen: set[object] = set()
    open_: list[tuple[frozenset[int], ModelState]] = [(frozenset(range(len(events))), state)]
    while open_:
        left, now = open_.pop()
        if (left, now.key) in seen:
            continue
        seen.add((left, now.key))
        if not left:
            finals[now.key] = now
        for place in left:
            call, event = events[place]
            if any(events[other][1].before(event) for other in left - {place}):
                continue
            open_ += [(left - {place}, after) for after in _outcomes(call, event, now)]
    return list(finals.values())


def _outcomes(call: CommandCall, event: Event, state: ModelState) -> Iterator[ModelState]:
    """Yield the states that an event may lead to; none where its answer does not fit the state."""
    due = call.due(state)
    if event.outcome != REFUSED and due != "refused":
        yield call.after(state)
    if event.outcome != OK and (due != "done" or event.outcome != REFUSED or _conflicts(event)):
        yield state


def _conflicts(event: Event) -> bool:
    return event.exchanges[-1].status in CONFLICTS
