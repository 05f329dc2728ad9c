"""Whole numbers of requests, as handlers take them."""

from __future__ import annotations

from typing import Any

import pytest

from reference_server.body_fields import make_integers
from specs.profiles import find_profile

DOCUMENT = find_profile("lance").document()


def test_integers_are_ints():
    body = {"version": 2.0, "metadata": {"a": "1"}, "manifest_size": 7.0}
    make_integers(DOCUMENT, DOCUMENT.operations["CreateTableVersion"], body)
    assert [body["version"], body["manifest_size"]] == [2, 7]
    assert type(body["version"]) is type(body["manifest_size"]) is int


@pytest.mark.parametrize("number", [1.5, float("inf")])
def test_what_is_no_integer_is_left_to_the_check(number):
    body = {"version": number}
    make_integers(DOCUMENT, DOCUMENT.operations["CreateTableVersion"], body)
    assert body == {"version": number}


def test_other_numbers_stay_as_they_are():
    body: dict[str, Any] = {
        "k": 2.0,
        "vector": {"single_vector": [1.0, 2.5]},
        "distance_range": None,
        "lower_bound": 1.0,
    }
    make_integers(DOCUMENT, DOCUMENT.operations["QueryTable"], body)
    assert [type(number) for number in (body["lower_bound"], *body["vector"]["single_vector"])] == [float] * 3
