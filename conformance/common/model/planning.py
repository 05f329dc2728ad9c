"""Plans: which calls prepare a state, and which follow, found by running them on the model alone.

A plan begins with a furnished state: all things that the calls of interest name are there, with their neighbours and
all that can connect them. So what is done to another thing, or half, has something to show at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from conformance.common.model.rows import Command, CommandCall, Model, ModelState, Refusal, Thing

FARTHEST = 2  # calls between a furnished state and one that a plan needs


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls in their order: those from `subject` on are what the plan is about, the others prepare it.

    `things` are all that it names, so that every view of them is looked at.
    """

    calls: Sequence[CommandCall]
    subject: int
    things: frozenset[Thing]


class Prepared(NamedTuple):
    """Calls that prepare a state, and the state."""

    calls: list[CommandCall]
    state: ModelState


def around(model: Model, calls: Collection[CommandCall]) -> frozenset[Thing]:
    """Return the things of the kinds that calls name, those that connect them with others, and these others."""
    named = {kind for call in calls for kind, _ in call.about}
    linked = {name for name in model.kinds if named & set(model.parents(name))}
    kinds = named | {parent for name in linked | named for parent in model.parents(name)}
    found = set(model.given)
    for name, kind in model.kinds.items():  # parents stand before what hangs on them
        if name in kinds | linked:
            found |= {(name, id) for id in kind.ids if all(parent in found for parent in kind.hangs_on(id))}
    return frozenset(found)


def furnish(model: Model, things: Collection[Thing], state: ModelState | None = None) -> Prepared:
    """Return calls that make things, as far as the model lets them all be there, and the state after them.

    Things of one kind get different values, where a command has several.
    """
    calls: list[CommandCall] = []
    state = state or model.start
    for kind in model.kinds:
        for number, id in enumerate(model.kinds[kind].ids):
            thing = (kind, id)
            if thing not in things or state.has(thing):
                continue
            made = next((call for call in _makers(model, thing, number) if call.due(state) == "done"), None)
            if made:
                calls.append(made)
                state = made.after(state)
    return Prepared(calls, state)


def _makers(model: Model, thing: Thing, number: int) -> Iterator[CommandCall]:
    """Yield the calls that make a thing; the first has another value for another number."""
    for command in model.commands:
        if command.makes is None:
            continue
        labels = list(command.values)
        labels = labels[number % len(labels) :] + labels[: number % len(labels)]
        yield from (
            CommandCall(command, on, label) for on in command.on if command.makes(on) == thing for label in labels
        )


def reach(
    model: Model,
    state: ModelState,
    goal: Callable[[ModelState], bool],
    things: Collection[Thing],
    farthest: int = FARTHEST,
) -> list[CommandCall] | None:
    """Return the fewest calls on things that lead from a state to one of the goal; None where none do."""
    if goal(state):
        return []
    calls = [
        call for command in model.commands for call in model.calls(command) if all(map(things.__contains__, call.about))
    ]
    seen, states = {state.key}, [(state, ())]
    for _ in range(farthest):
        found: list[tuple[ModelState, tuple[CommandCall, ...]]] = []
        for before, way in states:
            for call in calls:
                if call.due(before) != "done":
                    continue
                after = call.after(before)
                if after.key in seen:
                    continue
                if goal(after):
                    return [*way, call]
                seen.add(after.key)
                found.append((after, (*way, call)))
        states = found  # type: ignore[assignment]
    return None


def run(calls: Sequence[CommandCall], state: ModelState) -> ModelState:
    """Return the state after calls, where a call that the server may refuse is done."""
    for call in calls:
        state = state if call.due(state) == "refused" else call.after(state)
    return state


def before(model: Model, call: CommandCall, things: frozenset[Thing]) -> Prepared | None:
    """Return the calls that prepare a call that is done, and the state before it; None where nothing does."""
    made = call.command.makes(call.on) if call.command.makes else None
    left = {thing for thing in things if made is None or made not in _above(model, thing)}
    calls, state = furnish(model, left)
    way = reach(model, state, lambda now: call.due(now) == "done", left if made is None else left | {made})
    return None if way is None else Prepared([*calls, *way], run(way, state))


def _above(model: Model, thing: Thing) -> set[Thing]:
    """Return a thing and all that it hangs on."""
    found = [thing]
    for one in found:
        found += model.kinds[one[0]].hangs_on(one[1])
    return set(found)


def effects(model: Model, command: Command) -> list[Plan]:
    """Return a plan for each value of a command: its effect on one thing beside others."""
    plans = []
    for label in command.values:
        call = next(call for call in model.calls(command) if call.value == label)
        things = around(model, [call])
        if prepared := before(model, call, things):
            plans.append(Plan([*prepared.calls, call], len(prepared.calls), things))
    return plans


def refusals(model: Model, command: Command, name: str) -> list[Plan]:
    """Return plans in which a command is refused for one reason alone.

    First comes the refusal of a call that was accepted before, or that differs from such a call in its value alone;
    then that of a call on something that was never there.
    """
    refusal = next((refusal for refusal in command.every_refusal if refusal.name == name), None)
    if refusal is None:
        return []
    ways = (_refused_later, _refused_as_furnished), (_refused_at_first,)
    found = (
        next(filter(None, (way(model, call, refusal) for way in alternatives for call in model.calls(command))), None)
        for alternatives in ways
    )
    return [plan for plan in found if plan]


def _alone(call: CommandCall, state: ModelState, refusal: Refusal) -> bool:
    return [other.name for other in call.refusals(state) if not other.optional] == [refusal.name]


def _refused_later(model: Model, call: CommandCall, refusal: Refusal) -> Plan | None:
    """Return a plan in which a call, or its twin with another value, is accepted, and the call is refused later."""
    things = around(model, [call])
    twins = [call, *(CommandCall(call.command, call.on, label) for label in call.command.values if label != call.value)]
    for twin in twins:
        prepared = before(model, twin, things)
        if prepared is None:
            continue
        accepted = twin.after(prepared.state)
        way = reach(model, accepted, lambda now: _alone(call, now, refusal), things)
        if way is not None:
            calls = [*prepared.calls, twin, *way, call]
            return Plan(calls, len(calls) - 1, things)
    return None


def _refused_as_furnished(model: Model, call: CommandCall, refusal: Refusal) -> Plan | None:
    """Return a plan in which another call of the command is accepted, and this one is refused before any change."""
    things = around(model, [call])
    calls, state = furnish(model, things)
    for twin in model.calls(call.command):
        if twin.due(state) == "done" and _alone(call, twin.after(state), refusal):
            return Plan([*calls, twin, call], len(calls) + 1, things)
    return None


def _refused_at_first(model: Model, call: CommandCall, refusal: Refusal) -> Plan | None:
    """Return a plan in which a call is refused since something that it needs was never there."""
    needed = [need.thing(call.on) for need in call.command.needs if need.name == refusal.name]
    if not needed:
        return None
    things = around(model, [call])
    left = {thing for thing in things if not _above(model, thing) & set(needed)}
    calls, state = furnish(model, left)
    if not _alone(call, state, refusal):
        return None
    return Plan([*calls, call], len(calls), things)


def pairs(model: Model) -> list[tuple[Command, Command, str]]:
    """Return the ordered pairs of commands that concern each other, with the clause of what becomes of the second."""
    found = []
    for first, second in product(model.commands, repeat=2):
        plans = sequences(model, first, second) if _kinds(model, first) & _kinds(model, second) else []
        if plans:
            found.append((first, second, _clause(model, plans[0])))
    return found


def _clause(model: Model, plan: Plan) -> str:
    """Return the clause of what becomes of the last call of a plan."""
    *earlier, last = plan.calls
    state = run(earlier, model.start)
    refused = [refusal for refusal in last.refusals(state) if not refusal.optional]
    return refused[0].clause if refused else last.command.clause


def _kinds(model: Model, command: Command) -> set[str]:
    """Return the kinds of things that a command names, without the given ones."""
    given = {kind for kind, _ in model.given}
    return {kind for kind, _ in command.about(command.on[0])} - given


def sequences(model: Model, first_of: Command, second_of: Command) -> list[Plan]:
    """Return the plans of a pair: the second command on what the first one was about, and beside it.

    What the first one makes is new in one plan, and made again in another.
    """
    first = model.calls(first_of)[0]
    seconds = sorted(model.calls(second_of), key=lambda call: -len(set(call.about) & set(first.about)))
    things = around(model, [first, *seconds[:1], *seconds[-1:]])
    prepared = before(model, first, things)
    if prepared is None:
        return []
    plans = [_followed(model, prepared, first, order, things) for order in (seconds, seconds[::-1])]
    if first_of.makes:
        again = _made_again(model, first_of.makes(first.on), first, things)
        plans += [_followed(model, again, first, seconds, things)] if again else []
    found: list[Plan] = []
    for plan in plans:
        if plan and plan not in found:
            found.append(plan)
    return found


def _made_again(model: Model, made: Thing, first: CommandCall, things: frozenset[Thing]) -> Prepared | None:
    """Return the calls that make a thing with all that hangs on it, and end it, so that `first` makes it again."""
    calls, state = furnish(model, things)
    way = reach(model, state, lambda now: made in now.ended and not now.has(made), things)
    if way is None or first.due(run(way, state)) == "refused":
        return None
    return Prepared([*calls, *way], run(way, state))


def _followed(
    model: Model,
    prepared: Prepared,
    first: CommandCall,
    seconds: Sequence[CommandCall],
    things: frozenset[Thing],
) -> Plan | None:
    """Return the plan with the first of `seconds` that does something, or is refused as it was not before."""
    calls, start = prepared
    state = first.after(start)
    changed = (call for call in seconds if call.due(state) == "done" and call.after(state).key != state.key)
    again = (call for call in seconds if call.due(state) == "either")
    newly = (call for call in seconds if call.due(state) == "refused" and call.due(start) != "refused")
    second = next(changed, None) or next(again, None) or next(newly, None)
    if second is None or not all(map(things.__contains__, second.about)):
        return None
    return Plan([*calls, first, second], len(calls) + 1, things)
