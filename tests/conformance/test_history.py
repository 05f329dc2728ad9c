"""Judges of histories: their messages, and no complaint about a history that some order explains."""

from __future__ import annotations

import math
import random

import pytest

from conformance.history import OK, REFUSED, UNKNOWN, Event, judge_object, judge_pairs, one_winner


def write(value, start, end, outcome=OK, action="set"):
    return Event(0, action, ("k",), value, start, math.inf if outcome == UNKNOWN else end, outcome)


def read(result, start, end):
    return Event(1, "read", ("k",), None, start, end, OK, result)


def messages(contradictions):
    return [contradiction.message for contradiction in contradictions]


def judged(kind, writes, reads):
    return messages(judge_object((kind, 0), [*writes, *reads]).contradictions)


@pytest.mark.parametrize(
    ("outcomes", "count"),
    [([OK, REFUSED], 0), ([OK, OK], 1), ([REFUSED, REFUSED], 1), ([REFUSED, UNKNOWN], 0), ([OK, UNKNOWN], 0)],
)
def test_one_winner(outcomes, count):
    assert len(messages(one_winner([write(None, 0, 1, outcome) for outcome in outcomes]))) == count


SETS = [
    ([write(1, 0, 1)], {1}, None),
    ([write(1, 0, 1)], set(), "1 was added and is not listed"),
    ([write(1, 0, 3)], set(), None),
    ([write(1, 0, 3)], {1}, None),
    ([write(1, 0, 1, UNKNOWN)], set(), None),
    ([write(1, 0, 1, UNKNOWN)], {1}, None),
    ([write(1, 0, 1, REFUSED)], {1}, "1 is listed, but no client added it"),
    ([write(1, 5, 6)], {1}, "1 was listed before any client began to add it"),
    ([write(1, 0, 2.5), write(2, 3, 5)], {2}, "1 was added and is not listed with 2"),
]


@pytest.mark.parametrize(("writes", "members", "message"), SETS)
def test_set(writes, members, message):
    assert judged("set", writes, [read(members, 2, 4)]) == ([message] if message else [])


def test_set_does_not_shrink():
    added = [write(1, 0, 9), write(2, 0, 9)]
    assert judged("set", added, [read({1}, 1, 2), read(set(), 3, 4)]) == [
        "1 was listed and is missing from a later read"
    ]
    assert judged("set", added, [read({1}, 1, 2), read({2}, 1, 2)]) == ["1 is listed without 2, and 2 without 1"]


COUNTERS = [
    ([write(1, 0, 1), write(1, 0, 1)], 2, True),
    ([write(1, 0, 1), write(1, 0, 1)], 1, False),
    ([write(1, 0, 1), write(1, 3, 5)], 1, True),
    ([write(1, 0, 1), write(1, 3, 5)], 2, True),
    ([write(1, 0, 1), write(1, 3, 5)], 3, False),
    ([write(1, 0, 1, REFUSED)], 1, False),
    ([write(1, 0, 1, UNKNOWN)], 0, True),
    ([write(1, 0, 1, UNKNOWN)], 1, True),
]


@pytest.mark.parametrize(("writes", "total", "fits"), COUNTERS)
def test_sum(writes, total, fits):
    assert (not judged("sum", writes, [read(total, 2, 4)])) is fits


def test_sum_that_no_additions_make():
    """Between what was added and what is under way, and still no sum of some of them, or less than was read before."""
    under_way = [write(3, 0, 9), write(5, 0, 9)]
    message = "the sum {} fits no order of the additions and the other reads"
    assert judged("sum", under_way, [read(4, 2, 4)]) == [message.format(4)]
    assert judged("sum", under_way, [read(5, 1, 2), read(3, 3, 4)]) == [message.format(3)]
    assert not judged("sum", under_way, [read(3, 1, 4), read(8, 2, 3), read(8, 5, 6)])


REGISTERS = [
    ([], None, True),
    ([], 1, False),
    ([write(1, 0, 1)], 1, True),
    ([write(1, 0, 1)], None, False),
    ([write(1, 0, 3)], None, True),
    ([write(1, 0, 0.2), write(2, 0.5, 1)], 1, False),
    ([write(1, 0, 0.2), write(2, 0.5, 1)], 2, True),
    ([write(1, 0, 0.6), write(2, 0.5, 1)], 1, True),
    ([write(1, 0, 0.2), write(2, 0.5, 1, UNKNOWN)], 1, True),
    ([write(1, 0, 0.2), write(2, 0.5, 1, REFUSED)], 2, False),
    ([write(1, 5, 6)], 1, False),
]


@pytest.mark.parametrize(("writes", "value", "fits"), REGISTERS)
def test_register(writes, value, fits):
    assert (not judged("register", writes, [read(value, 2, 4)])) is fits


def test_pairs():
    looks = [read((True, True), 0, 1), read((False, False), 0, 1), read((True, False), 0, 1)]
    assert len(messages(judge_pairs(looks))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_what_one_order_explains_is_no_problem(seed):
    """Events take effect at one moment between their start and end: whatever is read then fits."""
    choose = random.Random(seed)
    moments = sorted(choose.sample(range(10_000), 60))
    writes, reads, values, total, last = [], [], set(), 0, None
    for number, moment in enumerate(moments):
        start, end = moment - choose.random() * 900, moment + choose.random() * 900
        if choose.random() < 0.5:
            writes.append(write(number, start, end, choose.choice([OK, OK, UNKNOWN])))
            values, total, last = values | {number}, total + number, number
        else:
            reads.append((start, end, values, total, last))
    assert not judged("set", writes, [read(members, start, end) for start, end, members, _, _ in reads])
    assert not judged("sum", writes, [read(total, start, end) for start, end, _, total, _ in reads])
    assert not judged("register", writes, [read(last, start, end) for start, end, _, _, last in reads])
