"""The judges of histories: what they must find, and what they must not."""

from __future__ import annotations

import random

import pytest

from conformance.history import (
    OK,
    REFUSED,
    UNKNOWN,
    Event,
    judge_counter,
    judge_pairs,
    judge_register,
    judge_set,
    one_winner,
)


def write(value, start, end, outcome=OK):
    return Event(0, "write", "k", value, start, end, outcome)


def read(result, start, end):
    return Event(1, "read", "k", None, start, end, OK, result)


def messages(problems):
    return [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("outcomes", "count"),
    [([OK, REFUSED], 0), ([OK, OK], 1), ([REFUSED, REFUSED], 1), ([REFUSED, UNKNOWN], 0), ([OK, UNKNOWN], 0)],
)
def test_one_winner(outcomes, count):
    assert len(messages(one_winner([write(None, 0, 1, outcome) for outcome in outcomes]))) == count


SETS = [
    ([write(1, 0, 1)], {1}, None),
    ([write(1, 0, 1)], set(), "1 was added and is not there"),
    ([write(1, 0, 3)], set(), None),
    ([write(1, 0, 3)], {1}, None),
    ([write(1, 0, 1, UNKNOWN)], set(), None),
    ([write(1, 0, 1, UNKNOWN)], {1}, None),
    ([write(1, 0, 1, REFUSED)], {1}, "1 is there, but nobody has added it"),
    ([write(1, 5, 6)], {1}, "1 is there, but nobody has added it"),
]


@pytest.mark.parametrize(("writes", "found", "problem"), SETS)
def test_set(writes, found, problem):
    assert messages(judge_set(writes, [read(found, 2, 4)])) == ([problem] if problem else [])


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


@pytest.mark.parametrize(("writes", "found", "fits"), COUNTERS)
def test_counter(writes, found, fits):
    assert (not messages(judge_counter(writes, [read(found, 2, 4)]))) is fits


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


@pytest.mark.parametrize(("writes", "found", "fits"), REGISTERS)
def test_register(writes, found, fits):
    assert (not messages(judge_register(writes, [read(found, 2, 4)]))) is fits


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
    assert not messages(judge_set(writes, [read(one[2], *one[:2]) for one in reads]))
    assert not messages(judge_counter(writes, [read(one[3], *one[:2]) for one in reads]))
    assert not messages(judge_register(writes, [read(one[4], *one[:2]) for one in reads]))
