"""Plans: which calls prepare a state, and which follow, found by running them on the model alone.

A plan begins with a furnished state: all things that the calls of interest name are there, with their neighbours and
all that can connect them. So what is done to another thing, or half, has something to show at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import NamedTuple

from conformance.common.model.rows import Command, CommandCall, Model, ModelState, Refusal, Symbols, Thing

FARTHEST = 2  # calls between a furnished state and one that a plan needs
CHANGES = 2  # of a life: a server that carries out only the first one has the wrong value


@dataclass(frozen=True, slots=True)
class Plan:
    """Calls in their order: those at the places of `subjects` are what the plan is about, the others prepare it.

    `things` are all that it names, so that every view of them is looked at.
    """

    calls: tuple[CommandCall, ...]
    subjects: frozenset[int]
    things: frozenset[Thing]


def _about_the_last(calls: Sequence[CommandCall], things: frozenset[Thing]) -> Plan:
    return Plan(tuple(calls), frozenset([len(calls) - 1]), things)


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

    None of them ends another thing. Things of one kind get different values, where a command has several.
    """
    calls: list[CommandCall] = []
    state = state or model.start
    for kind in model.kinds:
        for number, id in enumerate(model.kinds[kind].ids):
            thing = (kind, id)
            if thing not in things or state.has(thing):
                continue
            makers = (call for call in _makers(model, thing, number) if call.due(state) == "done")
            made = next((call for call in makers if state.things.keys() <= call.after(state).things.keys()), None)
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
    concerned: Collection[CommandCall],
) -> list[CommandCall] | None:
    """Return the fewest calls on things that lead from a state to one of the goal; None where none do.

    Only calls that have an argument in common with one of those `concerned` are tried.
    """
    if goal(state):
        return []
    near = {symbol for call in concerned for symbol in call.on}
    calls = [
        call
        for command in model.commands
        if command.prepares
        for call in model.calls(command)
        if near & set(call.on) and all(map(things.__contains__, call.about))
    ]
    seen = {state.key}
    states: list[tuple[ModelState, tuple[CommandCall, ...]]] = [(state, ())]
    for _ in range(FARTHEST):
        found = []
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
        states = found
    return None


def run(calls: Sequence[CommandCall], state: ModelState) -> ModelState:
    """Return the state after calls, where a call that the server may refuse is done."""
    for call in calls:
        state = state if call.due(state) == "refused" else call.after(state)
    return state


@cache
def before(model: Model, call: CommandCall, things: frozenset[Thing], *, linked: bool = True) -> Prepared | None:
    """Return the calls that prepare a call where nothing is there yet, as `before_from` does."""
    return before_from(model, call, things, model.start, linked=linked)


def before_from(
    model: Model, call: CommandCall, things: frozenset[Thing], start: ModelState, *, linked: bool = True
) -> Prepared | None:
    """Return the calls that prepare a call that is done, and the state before it; None where nothing does.

    The call changes the state if it does in any, and where the server decides in each, it may be refused.
    Unless it is to be `linked`, no more of the things is linked than the call needs.
    """
    made = call.command.makes(call.on) if call.command.makes else None
    left = {thing for thing in things if made is None or made not in above(model, thing)}
    calls, state = furnish(model, {thing for thing in left if linked or not model.is_linked(thing)}, start)
    way = _way_to(model, call, state, left if made is None else left | {made}, [call])
    return None if way is None else Prepared([*calls, *way], run(way, state))


def _way_to(
    model: Model, call: CommandCall, state: ModelState, things: Collection[Thing], concerned: Collection[CommandCall]
) -> list[CommandCall] | None:
    """Return the calls after which a call changes something, or at least is done, or may be; None without any."""
    goals = (
        lambda now: _changes(call, now),
        lambda now: call.due(now) == "done",
        lambda now: call.due(now) == "either",
    )
    ways = (reach(model, state, goal, things, concerned) for goal in goals)
    return next((way for way in ways if way is not None), None)


def _changes(call: CommandCall, state: ModelState) -> bool:
    return call.due(state) == "done" and call.after(state).key != state.key


def above(model: Model, thing: Thing) -> set[Thing]:
    """Return a thing and all that it hangs on."""
    found = [thing]
    for one in found:
        found += model.kinds[one[0]].hangs_on(one[1])
    return set(found)


def effects(model: Model, command: Command) -> list[Plan]:
    """Return the plans of a command: a call with nothing but what it needs, then calls with all values beside others.

    A command that does not work alone would block the preparation of the second plan. Both are about the first
    arguments with which the command can be done.
    """
    plans = (_effects_on(model, command, on) for on in command.on)
    return next(filter(None, plans), [])


def _effects_on(model: Model, command: Command, on: Symbols) -> list[Plan]:
    own = [CommandCall(command, on, value) for value in command.values]
    things = around(model, own)
    needed = {thing for need in command.needs for thing in above(model, need.thing(on))}
    alone = furnish(model, needed & things)
    rich = next(filter(None, (before(model, call, things) for call in own)), None)
    first = _each_done(model, alone, own[:1], things)
    every = _each_done(model, rich, own, things) if rich else None
    repeated = first and every and every.calls[: len(first.calls)] == first.calls
    return [plan for plan in (None if repeated else first, every) if plan]


def _each_done(model: Model, prepared: Prepared, own: Sequence[CommandCall], things: frozenset[Thing]) -> Plan | None:
    """Return the plan in which calls are done one after another, as far as each can be; None without one."""
    calls, state = [*prepared.calls], prepared.state
    subjects: list[int] = []
    for call in own:
        goals = (partial(_changes, call), partial(_changed_by, call))
        way = next((way for goal in goals if (way := reach(model, state, goal, things, own)) is not None), None)
        if way is not None:
            calls += [*way, call]
            subjects.append(len(calls) - 1)
            state = run([*way, call], state)
    return Plan(tuple(calls), frozenset(subjects), things) if subjects else None


def _changed_by(call: CommandCall, state: ModelState) -> bool:
    """True for a state in which a call is done, or may be, and changes something."""
    return call.due(state) != "refused" and call.after(state).key != state.key


def life(model: Model, kind: str) -> list[Plan]:
    """Return the plan of a thing of a kind: its creation, two changes, and its end; none for one that does not end.

    A given thing has no beginning and no end: every command that changes it does so once.
    """
    if not model.kinds[kind].ids:
        return []
    things: list[Thing] = [(kind, id) for id in model.kinds[kind].ids]
    thing = min(things, key=model.is_linked)  # where it can, in the home of the example: worlds are about that
    if thing in model.given:
        return _life_of_given(model, thing)
    prepared, state = furnish(model, above(model, thing) - {thing})
    made = next((call for call in _makers(model, thing, 0) if call.due(state) == "done"), None)
    if made is None:
        return []
    calls, state = [*prepared, made], made.after(state)
    concerned = [call for command in model.commands if command.prepares for call in model.calls(command)]
    for _ in range(CHANGES):
        changes = (call for call in concerned if call not in calls and thing in _touched(call, state))
        change = next((call for call in changes if call.after(state).has(thing)), None)
        if change:
            calls, state = [*calls, change], change.after(state)
    ends = [call for call in concerned if thing in _touched(call, state) and not call.after(state).has(thing)]
    if not ends:
        return []
    calls.append(next((call for call in ends if call.on == thing[1]), ends[0]))
    named = frozenset(named for call in calls for named in call.about)
    return [Plan(tuple(calls), frozenset(range(len(prepared), len(calls))), named)]


def _life_of_given(model: Model, thing: Thing) -> list[Plan]:
    calls: list[CommandCall] = []
    state = model.start
    for command in model.commands:
        call = next((call for call in model.calls(command) if thing in _touched(call, state)), None)
        if call:
            calls, state = [*calls, call], call.after(state)
    return [Plan(tuple(calls), frozenset(range(len(calls))), frozenset([thing]))] if calls else []


def _touched(call: CommandCall, state: ModelState) -> set[Thing]:
    return state.changed(call.after(state)) if call.due(state) == "done" else set()


def refusals(model: Model, command: Command, name: str) -> list[Plan]:
    """Return plans in which a command is refused for one reason alone.

    First comes the refusal of a call that was accepted before, or that differs from such a call in its value alone;
    then that of a call on something that was never there.
    """
    refusal = next((refusal for refusal in command.every_refusal if refusal.name == name), None)
    if refusal is None:
        return []
    never = (_refused_at_first(model, call, refusal) for call in model.calls(command))
    found = refused_from(model, command, name, None), next(filter(None, never), None)
    return [plan for plan in found if plan]


def refused_from(model: Model, command: Command, name: str, start: ModelState | None) -> Plan | None:
    """Return the plan that begins with a state, accepts a call of a command, and then refuses one; None without any."""
    refusal = next(refusal for refusal in command.every_refusal if refusal.name == name)
    found = (
        way(model, call, refusal, start)
        for way in (_refused_later, _refused_as_furnished)
        for call in model.calls(command)
    )
    return next(filter(None, found), None)


def _alone(call: CommandCall, state: ModelState, refusal: Refusal) -> bool:
    held = [other.name for other in call.refusals(state) if other.name == refusal.name or not other.optional]
    return held == [refusal.name]


def _refused_later(model: Model, call: CommandCall, refusal: Refusal, start: ModelState | None) -> Plan | None:
    """Return a plan in which a call is accepted with another value, or its own, and is refused later."""
    things = around(model, [call])
    others = [CommandCall(call.command, call.on, label) for label in call.command.values if label != call.value]
    for twin in (*others, call):
        prepared = before_from(model, twin, things, start) if start else before(model, twin, things)
        if prepared is None or twin.due(prepared.state) != "done":
            continue
        accepted = twin.after(prepared.state)
        way = reach(model, accepted, lambda now: _alone(call, now, refusal), things, [call])
        if way is not None:
            calls = [*prepared.calls, twin, *way, call]
            return _about_the_last(calls, things)
    return None


def _refused_as_furnished(model: Model, call: CommandCall, refusal: Refusal, start: ModelState | None) -> Plan | None:
    """Return a plan in which another call of the command is accepted, and this one is refused before any change."""
    things = around(model, [call])
    calls, state = furnish(model, things, start)
    for twin in model.calls(call.command):
        if twin.due(state) == "done" and _alone(call, twin.after(state), refusal):
            return _about_the_last([*calls, twin, call], things)
    return None


def _refused_at_first(model: Model, call: CommandCall, refusal: Refusal) -> Plan | None:
    """Return a plan in which a call is refused since something that it needs was never there."""
    needed = [need.thing(call.on) for need in call.command.needs if need.name == refusal.name]
    if not needed:
        return None
    things = around(model, [call])
    left = {thing for thing in things if not above(model, thing) & set(needed)}
    calls, state = furnish(model, left)
    if not _alone(call, state, refusal):
        return None
    return _about_the_last([*calls, call], things)


def pairs(model: Model) -> list[tuple[Command, Command, str]]:
    """Return the ordered pairs of commands that concern each other, with the clause of what becomes of the second."""
    found = []
    for first, second in product(model.commands, repeat=2):
        meet = first.stands_beside(second) and _kinds(model, first) & _kinds(model, second)
        clause = _clause(model, first, second) if meet else ""
        if clause:
            found.append((first, second, clause))
    return found


def _clause(model: Model, first_of: Command, second_of: Command) -> str:
    """Return the clause of what becomes of the second command after the first; "" where that changes nothing for it."""
    ways = ways_of(model, first_of, second_of)
    for prepared, followed in ways.begun:
        for first, seconds in followed:
            second = _second(first, seconds, prepared.state) if first.due(prepared.state) == "done" else None
            if second and _concerns(first, second, prepared.state):
                refused = [refusal for refusal in second.refusals(first.after(prepared.state)) if not refusal.optional]
                return refused[0].clause if refused else second_of.clause
    return ""


def _concerns(first: CommandCall, second: CommandCall, start: ModelState) -> bool:
    """True if a call makes or ends something that a second one names or changes, or changes what that one changes."""
    state = first.after(start)
    if second.due(state) != "done" or second.due(start) != "done":
        return True
    changed, later = start.changed(state), state.changed(second.after(state))
    presence = start.things.keys() ^ state.things.keys()
    return bool(changed & later or presence & set(second.about))


Followed = tuple[CommandCall, Sequence[CommandCall]]  # a call, and those of which one follows it


class Ways(NamedTuple):
    """Orders of a pair of commands, from a furnished state and from one with few links; see `sequences`."""

    begun: Sequence[tuple[Prepared, Sequence[Followed]]]
    things: frozenset[Thing]


@cache
def ways_of(model: Model, first_of: Command, second_of: Command) -> Ways:
    """Return the orders in which a pair of commands can follow each other."""
    first, *others = [call for call in model.calls(first_of) if call.on == first_of.on[0]]
    seconds = sorted(model.calls(second_of), key=lambda call: -len(set(call.about) & set(first.about)))
    same, beside = ([call for call in seconds if call.on == on] for on in (seconds[0].on, seconds[-1].on))
    things = around(model, [first, *seconds[:1], *seconds[-1:]])
    rich = before(model, first, things)
    lean = before(model, first, things, linked=False) if model.is_link(first) else None
    last = next((call for call in reversed(others) if rich and call.due(rich.state) == "done"), None)
    followed: list[Followed] = [(last, same[::-1])] if last else []
    followed.append((first, same))
    followed += [(first, beside)] if same != beside else []
    onto = [call for call in reversed(seconds) if rich and _takes_place(call, first, rich.state)]
    followed += [(first, onto)] if onto and onto[0] not in (*same, *beside) else []
    begun = (rich, followed), (lean, followed[-1:])
    return Ways([(prepared, some) for prepared, some in begun if prepared], things)


def _takes_place(call: CommandCall, first: CommandCall, state: ModelState) -> bool:
    """True for a call that makes what a call before it has ended, as a rename to a former name does."""
    if call.command.makes is None or first.due(state) != "done":
        return False
    return call.command.makes(call.on) in state.things.keys() - first.after(state).things.keys()


def _kinds(model: Model, command: Command) -> set[str]:
    """Return the kinds of things that a command names, without places."""
    return {kind for kind, _ in command.about(command.on[0])} - model.places


def sequences(model: Model, first_of: Command, second_of: Command) -> list[Plan]:
    """Return the plans of a pair: the second command on what the first one was about, beside it, and in its place.

    They differ in what was before: the first command with its first value and with its last, nothing linked but what it
    needs, and what it makes as something that is made again. Those that can follow each other are one plan.
    """
    ways = ways_of(model, first_of, second_of)
    plans = [one_after_another(model, prepared, followed, ways.things) for prepared, followed in ways.begun]
    return [plan for plan in plans if plan]


def sequence_from(model: Model, first_of: Command, second_of: Command, start: ModelState) -> Plan | None:
    """Return the first plan of a pair, where it begins with a state in which some of its things are there."""
    ways = ways_of(model, first_of, second_of)
    if not ways.begun:
        return None
    _, followed = ways.begun[0]
    first, _ = followed[0]
    made = first.command.makes(first.on) if first.command.makes else None
    calls, state = furnish(model, {thing for thing in ways.things if not model.hangs(thing, made)}, start)
    return one_after_another(model, Prepared(calls, state), followed, ways.things)


def one_after_another(
    model: Model,
    prepared: Prepared,
    ways: Sequence[Followed],
    things: frozenset[Thing],
) -> Plan | None:
    """Return the plan in which each first call is followed by one of its second ones; None if none can be followed.

    In the end what the first command makes is ended and made again, and followed once more.
    """
    calls, state = [*prepared.calls], prepared.state
    subjects: list[int] = []
    first, seconds = ways[0]
    made = first.command.makes(first.on) if first.command.makes else None
    again = [(first, seconds, made)] if made else []
    for one, others, ended in [*((*way, None) for way in ways), *again]:
        way = reach(model, state, partial(_can_follow, one, others, ended), things, [one, *others])
        if way is None:
            continue
        state = run(way, state)
        second = _second(one, others, state)
        if second is None or not all(map(things.__contains__, second.about)):
            continue
        calls += [*way, one, second]
        subjects.append(len(calls) - 1)
        state = run([one, second], state)
    return Plan(tuple(calls), frozenset(subjects), things) if subjects else None


def _can_follow(first: CommandCall, seconds: Sequence[CommandCall], ended: Thing | None, state: ModelState) -> bool:
    """True for a state in which a call can be done, and one of the others after it.

    With `ended`, for one in which it makes this thing again.
    """
    if ended is None:
        return first.due(state) == "done" and _second(first, seconds, state) is not None
    return ended in state.ended and first.due(state) != "refused" and not state.has(ended)


def _second(first: CommandCall, seconds: Sequence[CommandCall], start: ModelState) -> CommandCall | None:
    """Return the first of `seconds` that does something after a call, or that is refused as it was not before."""
    state = first.after(start)
    changed = (call for call in seconds if _changes(call, state))
    again = (call for call in seconds if call.due(state) == "either")
    newly = (call for call in seconds if call.due(state) == "refused" and call.due(start) != "refused")
    return next(changed, None) or next(again, None) or next(newly, None)
