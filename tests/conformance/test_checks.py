"""Checks: what they take for right, and what they say of what is wrong, in the terms of JSON."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from conformance.author import checks
from conformance.author.checks import (
    above,
    at_least,
    at_most,
    contains,
    distinct,
    equal,
    exactly,
    find,
    holds,
    keyed,
    lacks,
    listed,
    nothing,
    number,
    one_of,
    only,
    same_items,
    text,
    unequal,
    url,
    within,
)
from conformance.values.outcomes import Violation

WHAT = "the thing"
LONG = list(range(200))
GOOD = [
    lambda: equal({"a": [1]}, {"a": [1]}, WHAT),
    lambda: equal(1.0, 1, WHAT),
    lambda: equal(None, None, WHAT),
    lambda: unequal(1, 2, WHAT),
    lambda: unequal(1, True, WHAT),
    lambda: unequal("1", 1, WHAT),
    lambda: one_of(2, (1, 2), WHAT),
    lambda: one_of(None, (None, 2), WHAT),
    lambda: same_items([1, 2, 2], [2, 1, 2], WHAT),
    lambda: same_items(["a"], {"a"}, WHAT),
    lambda: same_items([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], WHAT),
    lambda: same_items([], [], WHAT),
    lambda: contains([1, 2, 3], [3, 1], WHAT),
    lambda: contains([], [], WHAT),
    lambda: contains({"a": 1}, ["a"], WHAT),
    lambda: lacks([1, 2], [3], WHAT),
    lambda: lacks([1], [True], WHAT),
    lambda: within([1, 1], [1, 2], WHAT),
    lambda: within([], [], WHAT),
    lambda: distinct([1, True, "1", [1]], WHAT),
    lambda: holds([1], "it holds"),
    lambda: nothing([], WHAT),
    lambda: above(2, 1, WHAT),
    lambda: at_least(1, 1, WHAT),
    lambda: at_most(1, 1, WHAT),
    lambda: at_most("a", "b", WHAT),
]
BAD = {
    'the thing: expected "a", got 1': lambda: equal(1, "a", WHAT),
    "the thing: expected true, got 1": lambda: equal(1, True, WHAT),
    "the thing: expected 0, got false": lambda: equal(False, 0, WHAT),
    "the thing: expected nothing, got []": lambda: equal([], None, WHAT),
    'the thing: expected {"a":1}, got {"a":null}': lambda: equal({"a": None}, {"a": 1}, WHAT),
    'the thing: expected "it\'s", got "2 bytes"': lambda: equal(b"ab", "it's", WHAT),
    "the thing at item 150: expected 150, got 0": lambda: equal([*LONG[:150], 0, *LONG[151:]], LONG, WHAT),
    "the thing: expected 200 items, got 199": lambda: equal(LONG[:-1], LONG, WHAT),
    'the thing at "rows": expected 200 items, got 100': lambda: equal({"rows": LONG[:100]}, {"rows": LONG}, WHAT),
    'the thing at "more": expected nothing, got 1': lambda: equal({"rows": LONG, "more": 1}, {"rows": LONG}, WHAT),
    "the thing: expected anything but 1": lambda: unequal(1, 1, WHAT),
    'the thing: expected 1 or "b" or nothing, got true': lambda: one_of(True, (1, "b", None), WHAT),
    'the thing: missing ["c"]; unexpected ["a"]': lambda: same_items(["a", "a", "b"], ["a", "b", "c"], WHAT),
    "the thing: missing [2]": lambda: same_items([1, 2], [2, 1, 2], WHAT),
    "the thing: unexpected [true]": lambda: same_items([1, True], [1], WHAT),
    'the thing: expected a list, got "abc"': lambda: same_items("abc", ["a"], WHAT),
    "the thing: expected a list, got nothing": lambda: contains(None, [], WHAT),
    "the thing: missing [3]": lambda: contains([1], [1, 3], WHAT),
    "the thing: unexpected 1, 2": lambda: lacks([1, 2, 3], [1, 2], WHAT),
    "the thing: unexpected [3]": lambda: within([1, 3], [1, 2], WHAT),
    "the thing: expected each item once, got [1] more than once": lambda: distinct([1, 2, 1], WHAT),
    'the thing: expected each item once, got [{"a":1,"b":2}] more than once': lambda: distinct(
        [{"b": 2, "a": 1}, {"a": 1, "b": 2}], WHAT
    ),
    "this does not hold: it holds": lambda: holds([], "it holds"),
    'unexpected file without a row: ["a"]': lambda: nothing(["a"], "file without a row"),
    "the thing: expected more than 1, got 1": lambda: above(1, 1, WHAT),
    "the thing: expected at least 2, got 1": lambda: at_least(1, 2, WHAT),
    'the thing: expected at least 2, got "x"': lambda: at_least("x", 2, WHAT),
    "the thing: expected at most 2, got nothing": lambda: at_most(None, 2, WHAT),
    "the thing: expected at most 2, got null": lambda: at_most(math.nan, 2, WHAT),
    "the thing: expected a non-empty string, got 1": lambda: text(1, WHAT),
    'the thing: expected a non-empty string, got ""': lambda: text("", WHAT),
    "the thing: expected an integer, got true": lambda: number(True, WHAT),
    "the thing: expected an integer, got 1.0": lambda: number(1.0, WHAT),
    'the thing: expected an integer, got "1"': lambda: number("1", WHAT),
    'the thing: expected a URL, got "http://[a"': lambda: url("http://[a", WHAT),
    "the thing: expected a non-empty string, got nothing": lambda: url(None, WHAT),
    "the thing: expected a list, got 1": lambda: listed(1, WHAT),
    'the thing: expected a list, got "1 bytes"': lambda: listed(b"a", WHAT),
    "the thing: expected 2, got 1: [5]": lambda: exactly([5], 2, WHAT),
    "the thing: expected 1, got 0: []": lambda: only([], WHAT),
    "the thing: expected 1, got 2: [1,2]": lambda: only([1, 2], WHAT),
    "the thing is missing": lambda: find([1, 2], lambda value: value > 2, WHAT),
    'the field "c" of an object in the answer is missing': lambda: keyed([{"name": "a"}], "name")["c"],
}


@pytest.mark.parametrize("check", GOOD)
def test_what_is_right_passes(check):
    check()


@pytest.mark.parametrize("message", BAD)
def test_what_is_wrong_is_said_in_the_terms_of_json(message):
    with pytest.raises(Violation) as caught:
        BAD[message]()
    assert str(caught.value) == message


def test_values_that_were_checked_are_returned():
    assert text("a", WHAT) == "a"
    assert number(-1, WHAT) == -1
    assert url("http://h:1/x", WHAT).netloc == "h:1"
    assert list(listed(iter([1]), WHAT)) == [1]
    assert exactly({1: 2}, 1, WHAT) == [1]
    assert only(iter([3]), WHAT) == 3
    assert find([1, 2, 3], lambda value: value > 1, WHAT) == 2
    assert keyed([{"name": "a", "x": 1}], "name") == {"a": {"name": "a", "x": 1}}


def test_long_values_do_not_make_long_messages():
    wide = {f"name {number}": "x" * 100 for number in range(100)}
    for wrong in (
        lambda: equal(wide, {**wide, "name 7": "y" * 1000}, WHAT),
        lambda: equal("x" * 5000, "y" * 5000, WHAT),
        lambda: equal(LONG, "y" * 5000, WHAT),
        lambda: same_items(LONG, [], WHAT),
        lambda: contains([], LONG * 10, WHAT),
        lambda: exactly(LONG * 10, 1, WHAT),
        lambda: nothing(LONG * 10, WHAT),
    ):
        with pytest.raises(Violation) as caught:
            wrong()
        assert len(str(caught.value)) < 4 * checks.MOST_SHOWN + 100


def test_values_of_arrow_are_told_by_their_size():
    with pytest.raises(Violation, match='expected "1 rows of a", got "2 rows of a"'):
        equal(pa.table({"a": [1, 2]}), pa.table({"a": [1]}), WHAT)


def test_further_findings_are_listed_below_the_first():
    several = Violation("the first", others=("the second", "the third")).args[0]
    assert several.splitlines() == ["the first (and 2 more)", "also: the second", "also: the third"]


def test_a_wrong_status_states_the_one_that_was_due():
    with pytest.raises(Violation, match="the status: expected 403, got 200") as caught:
        checks.status_is(200, 403)
    assert caught.value.evidence.statuses == (403,)


@pytest.mark.parametrize("actual", [{"a": 1}, {"a": 1, "b": 3}])
def test_the_field_of_a_difference_is_stated_for_short_objects_too(actual):
    with pytest.raises(Violation) as caught:
        equal(actual, {"a": 1, "b": 2}, WHAT)
    assert caught.value.evidence.field == "b"
