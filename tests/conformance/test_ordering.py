"""Requirements are judged after what they need, and else in the order in which they stand."""

from __future__ import annotations

import pytest
from conformance.values.requirement import Requirement

from conformance.run.ordering import ranks


def requirement(name, *needs, kind="behaviour"):
    return Requirement(f"lance.{name}", "MUST", kind, (), "c", "It holds.", "m:f", tuple(f"lance.{n}" for n in needs))


def in_order(*requirements):
    places = ranks(requirements)
    return [rule.id.removeprefix("lance.") for rule in sorted(requirements, key=lambda rule: places[rule.id])]


def test_what_is_offered_is_first_and_races_and_what_sums_up_are_last():
    given = requirement("w", kind="wire"), requirement("r", kind="race"), requirement("a"), requirement("offered.a")
    assert in_order(*given) == ["offered.a", "a", "r", "w"]


def test_what_is_free_keeps_its_place():
    assert in_order(*map(requirement, "cab")) == ["c", "a", "b"]


def test_needs_come_first_at_any_depth():
    assert in_order(requirement("a", "b"), requirement("b", "c"), requirement("c", "d"), requirement("d")) == [*"dcba"]


def test_chains_are_as_long_as_they_like():
    chain = [requirement(str(number), str(number + 1)) for number in range(3000)]
    assert in_order(*chain)[0] == "2999"


def test_needs_come_first_across_the_parts_of_a_run():
    order = in_order(requirement("offered.a", "b"), requirement("b", "w"), requirement("w", kind="wire"))
    assert order == ["w", "b", "offered.a"]


def test_needs_that_are_not_in_the_run_decide_nothing():
    assert in_order(requirement("a", "none"), requirement("b")) == ["a", "b"]


def test_requirements_that_need_each_other_are_an_error():
    circle = [requirement("a", "b"), requirement("b", "c"), requirement("c", "a")]
    with pytest.raises(ValueError, match="need each other: lance"):
        ranks(circle)
