"""Whether some order explains a small history, found by trying all of them: what the judges are compared with."""

from __future__ import annotations

import math
import random

from conformance.history import OK, REFUSED, UNKNOWN, Event

WRONG = "wrong"
"""What a step leads to that does not fit its answer."""


def explained(events, kind):
    """True when there is an order of the operations in which every answer is right."""
    start, step = MODELS[kind]
    seen = set()

    def search(left, state):
        if all(event.outcome == UNKNOWN for event in left):
            return True
        if (frozenset(map(id, left)), state) in seen:
            return False
        seen.add((frozenset(map(id, left)), state))
        for event in left:
            rest = [other for other in left if other is not event]
            if any(other.before(event) for other in rest):
                continue
            states = {step(state, event), *([state] if event.outcome == UNKNOWN else [])} - {WRONG}
            if any(search(rest, after) for after in states):
                return True
        return False

    return search(events, start)


def cycle(states):
    def step(state, event):
        if event.outcome == REFUSED:
            return WRONG if event.result and state == event.value else state
        return (state + 1) % states if state == event.value else WRONG

    return step


def register(state, event):
    if event.action == "set":
        return state if event.outcome == REFUSED else event.value
    return state if state == event.result else WRONG


def chain(state, event):
    version, token = state
    if event.action == "commit":
        done = (version + 1, event.value[1]) if event.value[0] == version else WRONG
        return state if event.outcome == REFUSED else done
    return state if event.result[0] == version and event.result[1] in (None, token) else WRONG


def pair(state, event):
    version, tokens = state
    if event.action == "commit":
        (base, first), (other, second) = event.value
        done = (version + 1, (first, second)) if base == version == other else WRONG
        return state if event.outcome == REFUSED else done
    return state if event.result[0] == version and event.result[1] in (None, tokens[event.value]) else WRONG


def batch(state, event):
    if event.action == "read":
        return state if event.result[0] == state else WRONG
    if event.outcome == REFUSED:
        return WRONG if event.result and state == 0 else state
    return 1 if state == 0 else WRONG


def growing_set(state, event):
    if event.action == "read":
        return state if event.result == state else WRONG
    return state if event.outcome == REFUSED else state | {event.value}


def total(state, event):
    if event.action == "read":
        return state if event.result == state else WRONG
    return state if event.outcome == REFUSED else state + event.value


MODELS = {
    "name": (0, cycle(2)),
    "ring": (0, cycle(3)),
    "register": (None, register),
    "chain": ((0, None), chain),
    "pair": ((0, (None, None)), pair),
    "batch": (0, batch),
    "set": (frozenset(), growing_set),
    "sum": (0, total),
}


def history(kind, choose):
    """Return a few operations with answers from anywhere: about half of such histories make sense."""
    count = choose.randrange(2, 7)
    return [MAKERS[kind](kind, number, count, choose) for number in range(count)]


def _event(kind, number, choose, action, value, results, outcome=None):
    outcome = outcome or choose.choice([OK, OK, OK, REFUSED, UNKNOWN])
    start = choose.randrange(12)
    end = math.inf if outcome == UNKNOWN else start + choose.randrange(6) + 0.5
    result = choose.choice(results) if outcome != OK or action == "read" else None
    return Event(number, action, (kind, 0), value, start, end, outcome, None if outcome == UNKNOWN else result)


def _move(kind, number, count, choose):
    return _event(kind, number, choose, "move", choose.randrange(3 if kind == "ring" else 2), ["exists", None])


def _overwrite(kind, number, count, choose):
    if choose.random() < 0.5:
        return _event(kind, number, choose, "set", number + 1, [None])
    return _event(kind, number, choose, "read", None, [None, *range(1, count + 1)], OK)


def _extend(kind, number, count, choose):
    if choose.random() < 0.5:
        return _event(kind, number, choose, "commit", (choose.randrange(3), number), [None])
    version = choose.randrange(3)
    token = choose.choice([None, *range(count)]) if version else None
    return _event(kind, number, choose, "read", None, [(version, token)], OK)


def _extend_both(kind, number, count, choose):
    if choose.random() < 0.5:
        base = choose.randrange(2)
        other = base if choose.random() < 0.8 else 1 - base
        return _event(kind, number, choose, "commit", ((base, number), (other, number + 100)), [None])
    version, half = choose.randrange(3), choose.randrange(2)
    token = choose.choice([None, *range(100 * half, 100 * half + count)]) if version else None
    return _event(kind, number, choose, "read", half, [(version, token)], OK)


def _declare_both(kind, number, count, choose):
    if choose.random() < 0.5:
        return _event(kind, number, choose, "commit", (0, number), ["exists", None])
    return _event(kind, number, choose, "read", choose.randrange(2), [(0, None), (1, None)], OK)


def _add_member(kind, number, count, choose):
    if choose.random() < 0.5:
        return _event(kind, number, choose, "insert", number, [None])
    members = frozenset(member for member in range(count) if choose.random() < 0.4)
    return _event(kind, number, choose, "read", None, [members], OK)


def _add_amount(kind, number, count, choose):
    if choose.random() < 0.5:
        return _event(kind, number, choose, "append", choose.randrange(1, 4), [None])
    return _event(kind, number, choose, "read", None, list(range(6)), OK)


MAKERS = {
    "name": _move,
    "ring": _move,
    "register": _overwrite,
    "chain": _extend,
    "pair": _extend_both,
    "batch": _declare_both,
    "set": _add_member,
    "sum": _add_amount,
}


def histories(kind, count):
    """Yield so many histories, the same in every run, by the start of their operations."""
    choose = random.Random(kind)
    for _ in range(count):
        yield sorted(history(kind, choose), key=lambda event: event.start)
