"""Conditions decided on rows."""

from __future__ import annotations

from uuid import UUID

import pytest

from conformance.iceberg.support.scans.predicates import RowEvaluator, among, both, compared, either, opposite, unary
from conformance.iceberg.support.scans.samples import EVENTS, NAN, ROWS

EVALUATOR = RowEvaluator(EVENTS["fields"])
FIRST, EMPTY, STRANGE = ROWS[0], ROWS[2], ROWS[3]
IS_21 = compared("eq", "id", -21)
REFERENCE = {"type": "reference", "name": "id"}


@pytest.mark.parametrize(
    ("condition", "row", "outcome"),
    [
        (True, FIRST, True),
        (False, FIRST, False),
        ({"type": "true"}, FIRST, True),
        ({"type": "false"}, FIRST, False),
        (IS_21, FIRST, True),
        (opposite(IS_21), FIRST, False),
        (compared("lt", "id", -21), FIRST, False),
        (compared("lt-eq", "id", -21), FIRST, True),
        (compared("gt", "price", "-0.02"), FIRST, True),
        (compared("gt-eq", "day", "1970-01-01"), FIRST, False),
        (compared("eq", "at", "1969-12-31T23:59:59.999999+00:00"), FIRST, True),
        (compared("starts-with", "name", "app"), FIRST, True),
        (compared("not-starts-with", "name", "app"), FIRST, False),
        (compared("starts-with", "name", "a"), STRANGE, False),
        (among("in", "name", ["apple", "pear"]), FIRST, True),
        (among("not-in", "name", ["apple", "pear"]), FIRST, False),
        (compared("eq", "place.x", 0), FIRST, True),
        # what is not there
        (unary("is-null", "name"), EMPTY, True),
        (unary("not-null", "name"), EMPTY, False),
        (unary("is-null", "place.x"), EMPTY, True),
        (compared("eq", "name", "a"), EMPTY, None),
        (compared("not-eq", "name", "a"), EMPTY, None),
        (opposite(compared("eq", "name", "a")), EMPTY, None),
        (both(compared("eq", "name", "a"), False), EMPTY, False),
        (both(compared("eq", "name", "a"), True), EMPTY, None),
        (either(compared("eq", "name", "a"), True), EMPTY, True),
        (either(compared("eq", "name", "a"), False), EMPTY, None),
        (unary("is-nan", "amount"), EMPTY, None),
        # NaN
        (unary("is-nan", "amount"), {"amount": NAN}, True),
        (unary("not-nan", "amount"), {"amount": 1.0}, True),
        (compared("lt", "amount", 1.0), {"amount": NAN}, None),
        (compared("not-eq", "amount", 1.0), {"amount": NAN}, True),
        (among("not-in", "amount", [1.0]), {"amount": NAN}, True),
        # other spellings
        ({"type": "eq", "left": REFERENCE, "right": -21}, FIRST, True),
        (
            {"type": "eq", "left": {"type": "reference", "id": 1}, "right": {"type": "literal", "value": 1}},
            FIRST,
            False,
        ),
        ({"type": "in", "child": REFERENCE, "values": {"type": "literals", "values": [-21]}}, FIRST, True),
        ({"type": "is-null", "child": REFERENCE}, FIRST, False),
        (
            {**compared("eq", "", "ap"), "term": {"type": "transform", "transform": "truncate[2]", "term": "name"}},
            FIRST,
            True,
        ),
    ],
)
def test_decisions(condition, row, outcome):
    assert EVALUATOR.decide(condition, row) is outcome


@pytest.mark.parametrize(
    "condition",
    [7, "id = 1", {"type": "like", "term": "id", "value": 1}, {"type": "eq", "value": 1}, compared("eq", "no", 1)],
)
def test_what_is_no_condition_is_refused(condition):
    with pytest.raises(ValueError, match=r"\w"):
        EVALUATOR.decide(condition, FIRST)


def test_uuids_of_which_orders_differ():
    evaluator = RowEvaluator([{"id": 1, "name": "v", "type": "uuid"}])
    low, high = "0f79c3e0-6bc7-4b5a-8b1e-000000000001", "f79c3e09-677c-4bbd-a479-3f349cb785e7"
    row = {"v": UUID(low)}
    assert evaluator.decide(compared("lt", "v", high), row) is None
    assert evaluator.decide(compared("eq", "v", high), row) is False
    assert evaluator.decide(compared("lt-eq", "v", low), row) is True
