"""The checks that every error of an Iceberg catalog goes through."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.checks import BODY, CODE, TEXT, TYPE, extra_checks
from conformance.values.exchange import Exchange
from specs.profiles import find_profile

CHECKS = extra_checks(find_profile("iceberg"))


def error(status=404, method="GET", operation="loadTable", **fields):
    body = {"message": "There is no such table.", "type": "NoSuchTableException", "code": status, **fields}
    return Exchange(operation, method, "http://t/v1", {}, status=status), {"error": body}


def names(exchange, value):
    return [name for name in (BODY, CODE, TYPE, TEXT) if CHECKS[name](exchange, value)]


def test_good_error_passes():
    assert names(*error()) == []


@pytest.mark.parametrize(
    ("fields", "noticed"),
    [
        ({"code": 400}, CODE),
        ({"code": "404"}, CODE),
        ({"type": "SomethingElse"}, TYPE),
        ({"message": "java.lang.NullPointerException"}, TEXT),
        ({"message": "x\n\tat org.apache.Foo.bar(Foo.java:3)"}, TEXT),
    ],
)
def test_bad_error_is_noticed(fields, noticed):
    assert names(*error(**fields)) == [noticed]


@pytest.mark.parametrize("value", [None, "text", {}, {"error": "text"}, {"error": {"message": "m", "type": "t"}}])
def test_error_without_a_body_is_noticed(value):
    exchange, _ = error()
    assert BODY in names(exchange, value)


def test_further_fields_beside_error_are_noticed():
    exchange, value = error()
    assert names(exchange, {**value, "path": "/v1"}) == [BODY]


def test_common_types_are_examples():
    assert names(*error(400, type="OurOwnException")) == []
    assert names(*error(500, operation="updateTable", type="OurOwnException")) == []


def test_head_and_tokens_are_left_out():
    assert names(error(method="HEAD")[0], None) == []
    assert names(error(400, operation="getToken")[0], {"error": "invalid_client"}) == []
