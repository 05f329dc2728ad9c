"""Values of answers: what is not there is a Violation, and what is shown is JSON."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from uuid import UUID

import pyarrow as pa
import pytest

from conformance.values.json_values import LIMIT, canonical, shown, strict
from conformance.values.outcomes import Violation

VALUE = strict({"a": [{"b": 1}], "c": None})


def test_values_are_read_as_they_are():
    assert VALUE == {"a": [{"b": 1}], "c": None}
    assert VALUE["a"][0]["b"] == 1
    assert VALUE["a"][-1:] == [{"b": 1}]
    assert VALUE.get("none") is None
    assert "none" not in VALUE
    assert json.loads(json.dumps(VALUE)) == VALUE


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "x"])
def test_what_holds_nothing_stays_what_it_is(value):
    assert strict(value) is value


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: VALUE["none"], 'the field "none" of an object in the answer is missing'),
        (lambda: VALUE["a"][0]["c"], 'the field "c" of an object in the answer is missing'),
        (lambda: VALUE[0], "the field 0 of an object in the answer is missing"),
        (lambda: VALUE["a"][1], "an item of a list in the answer is missing"),
        (lambda: VALUE["a"][-2], "an item of a list in the answer is missing"),
        (lambda: strict([])[0], "an item of a list in the answer is missing"),
    ],
)
def test_what_is_not_there_is_a_violation(read, words):
    with pytest.raises(Violation) as caught:
        read()
    assert str(caught.value) == words


def test_a_violation_names_the_field_that_is_not_there():
    with pytest.raises(Violation) as caught:
        VALUE["a"][0]["c"]
    assert caught.value.evidence.field == "c"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ([None], "[null]"),
        (True, "true"),
        ("it's", '"it\'s"'),
        ("größe\n", '"größe\\n"'),
        (1, "1"),
        (2**63, '"9223372036854775808"'),
        (-(2**70), '"-1180591620717411303424"'),
        (1.5, "1.5"),
        (math.nan, "null"),
        ({"a": 1, "b": [True]}, '{"a":1,"b":[true]}'),
        ({1: 2}, '{"1":2}'),
        ({("shop", "orders"): 1}, '{"shop.orders":1}'),
        (("a", 1), '["a",1]'),
        ({"b", "a"}, '["a","b"]'),
        (frozenset(), "[]"),
        ({2, 10}, "[10,2]"),
        ({("a", 1), ("a", 0)}, '[["a",0],["a",1]]'),
        ({"a": 1}.keys(), '["a"]'),
        (iter([1, 2]), "[1,2]"),
        (b"abc", '"3 bytes"'),
        (memoryview(b"abc"), '"3 bytes"'),
        (dt.date(2020, 1, 2), '"2020-01-02"'),
        (dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC), '"2020-01-02T03:04:05+00:00"'),
        (dt.time(1, 2), '"01:02:00"'),
        (Decimal("1.10"), '"1.10"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (pa.int64(), '"int64"'),
        (pa.table({"a": [1, 2], "b": [3, 4]}), '"2 rows of a, b"'),
        (strict({"a": [1]}), '{"a":[1]}'),
    ],
)
def test_values_are_shown_as_json(value, text):
    assert shown(value) == text


def test_long_values_are_cut():
    text = shown("x" * 1000)
    assert len(text) == LIMIT
    assert text.endswith("x…")
    assert len(shown("x" * 1000, 10)) == 10
    assert len(shown("x" * 1000, 0)) == 1002
    assert shown("x" * (LIMIT - 2)) == f'"{"x" * (LIMIT - 2)}"'


@pytest.mark.parametrize(
    ("value", "other"),
    [({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([1, (2,)], (1, [2])), ({"a", "b"}, ["a", "b"]), ({1: 2}, {"1": 2})],
)
def test_equal_values_are_written_alike(value, other):
    assert canonical(value) == canonical(other)


@pytest.mark.parametrize(
    ("value", "other"), [(1, True), (0, False), (1, "1"), (b"ab", b"cd"), (None, ""), ([1, 2], [2, 1]), (2**63, 2**64)]
)
def test_different_values_are_written_differently(value, other):
    assert canonical(value) != canonical(other)
