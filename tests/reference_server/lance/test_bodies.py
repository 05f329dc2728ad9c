"""Nulls of optional fields: which are taken out of a request, and which stay to be refused."""

from __future__ import annotations

import pytest

from reference_server.lance.bodies import simplify
from specs.profiles import find_profile

DOCUMENT = find_profile("lance").document()
CASES = [
    ("CreateNamespace", {"mode": None, "properties": None}, {}),
    ("CreateNamespace", {"properties": {"a": None}}, {"properties": {"a": None}}),
    ("RegisterTable", {"location": None, "mode": None}, {"location": None}),
    ("DescribeTable", {"from_the_future": None, "version": None}, {"from_the_future": None}),
    ("DescribeTable", {"identity": {"api_key": None}}, {"identity": {}}),
    (
        "BatchCommitTables",
        {"operations": [{"declare_table": {"id": ["t"], "location": None}, "deregister_table": None}]},
        {"operations": [{"declare_table": {"id": ["t"]}}]},
    ),
    (
        "QueryTable",
        {"k": 1, "vector": None, "full_text_query": {"string_query": {"query": "x", "columns": None}}},
        {"k": 1, "full_text_query": {"string_query": {"query": "x"}}},
    ),
    ("DescribeTable", [None, 17], [None, 17]),
    ("DescribeTable", None, None),
]


@pytest.mark.parametrize(("operation", "body", "left"), CASES)
def test_optional_fields_lose_their_nulls(operation, body, left):
    simplify(DOCUMENT, DOCUMENT.operations[operation], body)
    assert body == left


def test_depth_is_no_matter():
    innermost = {"match": {"terms": "x", "column": None}}
    query = innermost
    for _ in range(5000):
        query = {"boolean": {"must": [query], "should": [], "must_not": []}}
    body = {"k": 1, "full_text_query": {"structured_query": {"query": query}}}
    simplify(DOCUMENT, DOCUMENT.operations["QueryTable"], body)
    assert innermost == {"match": {"terms": "x"}}


def test_integers_are_ints():
    body = {"version": 2.0, "metadata": {"a": "1"}, "manifest_size": 7.0}
    simplify(DOCUMENT, DOCUMENT.operations["CreateTableVersion"], body)
    assert [body["version"], body["manifest_size"]] == [2, 7]
    assert type(body["version"]) is type(body["manifest_size"]) is int


@pytest.mark.parametrize("number", [1.5, float("inf")])
def test_what_is_no_integer_is_left_to_the_check(number):
    body = {"version": number}
    simplify(DOCUMENT, DOCUMENT.operations["CreateTableVersion"], body)
    assert body == {"version": number}


def test_other_numbers_stay_as_they_are():
    body = {"k": 2.0, "vector": {"single_vector": [1.0, 2.5]}, "distance_range": None, "lower_bound": 1.0}
    simplify(DOCUMENT, DOCUMENT.operations["QueryTable"], body)
    assert [type(number) for number in (body["lower_bound"], *body["vector"]["single_vector"])] == [float] * 3
