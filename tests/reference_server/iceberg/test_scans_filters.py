"""Filters in every form that the document has: what is read of them shows in what is left of them."""

from __future__ import annotations

import pytest

from tests.reference_server.iceberg.staged_tables import TABLE, Staged, is_bad
from tests.reference_server.iceberg.written_manifests import File, Written

FIELDS = {
    "id": ("long", True),
    "name": ("string", False),
    "day": ("date", False),
    "price": ("decimal(9, 2)", False),
    "ratio": ("double", False),
    "at": ("timestamptz", False),
}
SCHEMA = {
    "type": "struct",
    "fields": [
        {"id": place, "name": name, "type": kind, "required": required}
        for place, (name, (kind, required)) in enumerate(FIELDS.items(), 1)
    ],
}


def name(field):
    return {"type": "reference", "name": field}


def apply(function, *arguments):
    return {"type": "apply", "function": function, "arguments": list(arguments)}


def literal(value, **more):
    return {"type": "literal", "value": value, **more}


EQ = {"type": "eq", "term": "id", "value": 7}
BUCKET = {"type": "eq", "term": {"type": "transform", "transform": "bucket[4]", "term": "id"}, "value": 2}
YEAR = {"type": "lt", "term": {"type": "transform", "transform": "year", "term": "day"}, "value": 50}
COLUMNS = {"type": "lt", "left": name("id"), "right": name("ratio")}
CASES = [
    (True, True),
    ({"type": "false"}, False),
    ({"type": "not", "child": {"type": "true"}}, False),
    (EQ, EQ),
    ({"type": "eq", "left": name("id"), "right": 7}, EQ),
    ({"type": "eq", "left": 7, "right": name("id")}, EQ),
    ({"type": "eq", "left": {"type": "reference", "id": 1}, "right": literal(7)}, EQ),
    ({"type": "eq", "left": name("id"), "right": literal(7, **{"data-type": "int"})}, EQ),
    ({"type": "gt", "left": 7, "right": name("id")}, {"type": "lt", "term": "id", "value": 7}),
    (
        {"type": "not", "child": {"type": "gt", "left": 7, "right": name("id")}},
        {"type": "gt-eq", "term": "id", "value": 7},
    ),
    ({"type": "in", "child": name("id"), "values": [7]}, EQ),
    ({"type": "in", "child": name("id"), "values": [literal(7), 7]}, EQ),
    ({"type": "in", "term": "id", "values": []}, False),
    ({"type": "not-in", "term": "id", "values": []}, True),
    (
        {
            "type": "in",
            "term": "day",
            "values": {"type": "literals", "values": ["2026-01-01", "2026-01-02"], "data-type": "date"},
        },
        {"type": "in", "term": "day", "values": ["2026-01-01", "2026-01-02"]},
    ),
    ({"type": "is-null", "term": "id"}, False),
    ({"type": "not-null", "child": name("id")}, True),
    ({"type": "is-nan", "term": "id"}, False),
    ({"type": "not", "child": {"type": "is-nan", "child": name("ratio")}}, {"type": "not-nan", "term": "ratio"}),
    (
        {
            "type": "not",
            "child": {"type": "and", "left": {"type": "starts-with", "term": "name", "value": "x"}, "right": EQ},
        },
        {
            "type": "or",
            "left": {"type": "not-starts-with", "term": "name", "value": "x"},
            "right": {"type": "not-eq", "term": "id", "value": 7},
        },
    ),
    ({"type": "or", "left": EQ, "right": {"type": "true"}}, True),
    ({"type": "and", "left": EQ, "right": True}, EQ),
    (BUCKET, BUCKET),
    ({"type": "eq", "left": apply("bucket", 4, name("id")), "right": 2}, BUCKET),
    (
        {"type": "eq", "left": apply(["system", "bucket"], literal(4), {"type": "reference", "id": 1}), "right": 2},
        BUCKET,
    ),
    ({"type": "gt", "left": 50, "right": apply({"identifier": ["years"]}, name("day"))}, YEAR),
    (COLUMNS, COLUMNS),
    ({"type": "not", "child": COLUMNS}, {**COLUMNS, "type": "gt-eq"}),
    (
        {"type": "starts-with", "left": "xyz", "right": name("name")},
        {"type": "starts-with", "left": "xyz", "right": name("name")},
    ),
    ({"type": "lt", "term": "price", "value": 1.5}, {"type": "lt", "term": "price", "value": "1.50"}),
    (
        {"type": "lt", "term": "at", "value": "2026-08-31T12:00:00+02:00"},
        {"type": "lt", "term": "at", "value": "2026-08-31T10:00:00.000000+00:00"},
    ),
]
WRONG = [
    {"type": "lt", "term": "price", "value": "1e99"},
    {"type": "lt", "term": "id", "value": 1e30},
    {"type": "lt", "term": "day", "value": 1 << 40},
    {"type": "lt", "left": apply("bucket", name("id")), "right": 1},
    {"type": "lt", "left": apply("bucket", 0, name("id")), "right": 1},
    {"type": "lt", "left": apply("day", name("name")), "right": 1},
    {"type": "lt", "left": apply("day", name("day"), name("id")), "right": 1},
    {"type": "lt", "left": apply([], name("day")), "right": 1},
    {"type": "in", "term": "id"},
    {"type": "not"},
    {"type": "and", "left": EQ},
    "id = 7",
    7,
]


@pytest.fixture
def staged(api):
    return Staged(api, schema=SCHEMA).commit(File("f"))


@pytest.mark.parametrize(("sent", "left"), CASES)
def test_filters(staged, sent, left):
    tasks = staged.plan(filter=sent).body["file-scan-tasks"]
    assert [task["residual-filter"] for task in tasks] == ([] if left is False else [left])


@pytest.mark.parametrize("sent", WRONG)
def test_wrong_filters(staged, sent):
    assert is_bad(staged.plan(None, filter=sent))


def test_no_number_beyond_the_largest(staged):
    """1e400 is a number of JSON, but none that could be written again."""
    body = '{"filter": {"type": "lt", "term": "ratio", "value": 1e400}}'
    sent = {"body": body, "headers": {"Content-Type": "application/json"}}
    assert staged.api.http("POST", f"{staged.api.url}/v1/{TABLE}/plan", **sent).status == 400


SPEC = {
    "fields": [
        {"name": "b", "transform": "bucket[4]", "source-id": 1},
        {"name": "d", "transform": "month", "source-id": 3},
        {"name": "n", "transform": "truncate[2]", "source-id": 2},
        {"name": "r", "transform": "identity", "source-id": 5},
        {"name": "z", "transform": "void", "source-id": 4},
    ]
}
TYPES = {"b": "int", "d": "int", "n": "string", "r": "double", "z": "bytes"}
AVRO = [(name, ["null", kind], 1000 + place) for place, (name, kind) in enumerate(TYPES.items())]
VALUES = {"b": 2, "d": 672, "n": "ab", "r": float("nan"), "z": None}
DECIDED = [
    ({"type": "eq", "left": apply("bucket", 4, name("id")), "right": 2}, True),
    ({"type": "eq", "left": apply("bucket", 4, name("id")), "right": 3}, False),
    ({"type": "eq", "left": apply("year", name("day")), "right": 56}, True),
    ({"type": "lt", "term": "day", "value": "2026-01-01"}, False),
    ({"type": "lt", "term": "day", "value": "2026-02-01"}, True),
    ({"type": "starts-with", "term": "name", "value": "a"}, True),
    ({"type": "eq", "term": "name", "value": "b"}, False),
    ({"type": "is-nan", "term": "ratio"}, True),
    ({"type": "is-null", "term": "ratio"}, False),
    ({"type": "gt", "term": "ratio", "value": 1.0}, None),
    ({"type": "eq", "term": "price", "value": "1.00"}, None),
    ({"type": "eq", "term": "name", "value": "abc"}, None),
    ({"type": "is-null", "term": "day"}, False),
    ({"type": "not-null", "term": "day"}, True),
]


@pytest.mark.parametrize(("sent", "outcome"), DECIDED)
def test_what_partitions_decide(api, sent, outcome):
    """True: nothing is left to test, false: the file is left out, none: the rows have to be looked at."""
    staged = Staged(api, schema=SCHEMA, **{"partition-spec": SPEC})
    staged.commit(manifests=[Written([File("f", partition=VALUES)], 1, partition=AVRO, snapshot=1)])
    (task, *_) = staged.plan().body["file-scan-tasks"]
    assert task["data-file"]["partition"] == [2, 672, "ab", "NaN", None]
    tasks = staged.plan(filter=sent).body["file-scan-tasks"]
    assert [task["residual-filter"] for task in tasks] == ([] if outcome is False else [outcome or sent])


def test_nulls_of_a_partition_leave_negated_tests_open(api):
    staged = Staged(api, schema=SCHEMA, **{"partition-spec": SPEC})
    nothing = dict.fromkeys(VALUES)
    staged.commit(manifests=[Written([File("f", partition=nothing)], 1, partition=AVRO, snapshot=1)])
    other = {"type": "not-eq", "term": "ratio", "value": 1.0}
    assert [task["residual-filter"] for task in staged.plan(filter=other).body["file-scan-tasks"]] == [other]
    assert staged.files(filter={"type": "eq", "term": "ratio", "value": 1.0}) == []
    assert staged.files(filter={"type": "is-null", "term": "ratio"}) == ["f"]
