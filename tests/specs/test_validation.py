"""Validators, discriminators, and a second validator that must agree."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

from specs.expansions import expand_discriminators
from specs.openapi import Document
from specs.profiles import find_profile
from specs.validation import Validators, pointer

LANCE = find_profile("lance").document()
VALIDATORS = Validators(LANCE)

# operation, path, status, body, is it valid?
ANSWERS = [
    ("ListNamespaces", "get", "/v1/namespace/a/list", 200, {"namespaces": ["a"]}, True),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 200, {"namespaces": ["a"], "page_token": None}, True),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 200, {"namespaces": ["a", "a"]}, False),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 200, {}, False),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 200, {"namespaces": [1]}, False),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 404, {"code": 1, "error": "none"}, True),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 404, {"error": "none"}, False),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 404, {"code": "1"}, False),
    ("ListNamespaces", "get", "/v1/namespace/a/list", 429, {"code": 21}, True),
    ("DescribeNamespace", "post", "/v1/namespace/a/describe", 200, {"properties": None}, True),
    ("DescribeNamespace", "post", "/v1/namespace/a/describe", 200, {"properties": {"k": 1}}, False),
    ("CreateNamespace", "post", "/v1/namespace/a/create", 200, {"properties": None}, True),
    ("DescribeTable", "post", "/v1/table/a/describe", 200, {"location": "/x", "version": -1}, False),
    ("DescribeTable", "post", "/v1/table/a/describe", 200, {"stats": {"num_fragments": 1}}, False),
    ("CountTableRows", "post", "/v1/table/a/count_rows", 200, 3, True),
    ("CountTableRows", "post", "/v1/table/a/count_rows", 200, {"count": 3}, False),
    ("CountTableRows", "post", "/v1/table/a/count_rows", 200, "3", False),
]


@pytest.fixture(scope="module")
def second_opinion() -> OpenAPI:
    raw = json.loads(json.dumps(LANCE.raw))
    raw["servers"] = [{"url": "http://localhost"}]
    raw.pop("security")
    return OpenAPI.from_dict(raw)


@pytest.mark.parametrize(("operation", "method", "path", "status", "body", "valid"), ANSWERS)
def test_two_validators_agree(second_opinion, operation, method, path, status, body, valid):
    assert (VALIDATORS.response_mismatches(operation, status, body) == []) is valid
    request = MockRequest("http://localhost", method, path)
    response = MockResponse(json.dumps(body).encode(), status_code=status, content_type="application/json")
    try:
        second_opinion.validate_response(request, response)
        errors = []
    except OpenAPIError as error:
        errors = [error]
    assert (errors == []) is valid


def test_findings_point_at_the_field():
    (finding,) = VALIDATORS.response_mismatches("DescribeNamespace", 200, {"properties": {"a/b": 1}})
    assert finding.pointer == "/properties/a~1b"
    assert "string" in finding.message


def test_requests_are_checked():
    assert VALIDATORS.first_request_mismatch("RegisterTable", {"location": "x"}) is None
    assert VALIDATORS.first_request_mismatch("RegisterTable", {}) is not None


def test_pointers_are_escaped():
    assert pointer(["a/b", 0, "c~d"]) == "/a~1b/0/c~0d"


BASE: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/a": {
            "post": {
                "operationId": "A",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Update"}}}},
                "responses": {"200": {"description": "d"}},
            }
        }
    },
    "components": {
        "schemas": {
            "Update": {
                "type": "object",
                "required": ["action"],
                "properties": {"action": {"type": "string"}, "shared": {"type": "integer"}},
                "discriminator": {
                    "propertyName": "action",
                    "mapping": {"add": "#/components/schemas/Add", "drop": "#/components/schemas/Drop"},
                },
            },
            "Add": {
                "allOf": [{"$ref": "#/components/schemas/Update"}],
                "required": ["value"],
                "properties": {"value": {"type": "integer"}},
            },
            "Drop": {"allOf": [{"$ref": "#/components/schemas/Update"}]},
        }
    },
}


@pytest.mark.parametrize(
    ("body", "valid"),
    [
        ({"action": "add", "value": 1}, True),
        ({"action": "add"}, False),
        ({"action": "add", "value": "x"}, False),
        ({"action": "drop"}, True),
        ({"action": "drop", "shared": "x"}, False),
        ({"action": "nonsense"}, False),
        ({}, False),
    ],
)
def test_discriminators_decide(body, valid):
    document = Document(expand_discriminators(BASE), "test")
    assert (Validators(document).first_request_mismatch("A", body) is None) is valid
    assert "discriminator" in BASE["components"]["schemas"]["Update"], "the document itself is left alone"


def test_an_error_in_a_choice_names_the_field():
    validators = Validators(Document(expand_discriminators(BASE), "test"))
    for body, place, word in (
        ({"action": "add"}, "", '"value" is a required property'),
        ({"action": "add", "value": "x"}, "/value", '"x" is not of type "integer"'),
        ({"action": "drop", "shared": "x"}, "/shared", '"x" is not of type "integer"'),
        ({"action": "nonsense"}, "/action", 'it must be "add" or "drop"'),
        ({}, "", '"action" is a required property'),
        (5, "", "5 is not valid under any"),
    ):
        found = validators.first_request_mismatch("A", body)
        assert (found.pointer, found.message[: len(word)]) == (place, word), body
    assert validators.first_request_mismatch("A", {"action": "drop"}) is None


@pytest.mark.parametrize(
    ("filter_", "place", "word"),
    [
        ({"type": "nope"}, "/filter/type", '"true" or "false" or "and"'),
        ({"type": "and", "left": {"type": "eq", "term": 5}, "right": True}, "/filter/left", "5 is not valid"),
    ],
)
def test_an_error_in_a_choice_of_choices(filter_, place, word):
    validators = Validators(find_profile("iceberg/2026-08").document())
    found = validators.first_request_mismatch("planTableScan", {"filter": filter_})
    assert found.pointer.startswith(place)
    assert word in found.message


def test_an_error_in_a_choice_of_texts_names_all_that_fit():
    validators = Validators(find_profile("iceberg/2026-08").document())
    column = {"id": 1, "name": "x", "required": False}
    nested = {"type": "list", "element-id": 2, "element": "lng", "element-required": False}
    for type_, place in (("lng", "type"), (nested, "type/element")):
        body = {"name": "t", "schema": {"type": "struct", "fields": [{**column, "type": type_}]}}
        found = validators.first_request_mismatch("createTable", body)
        assert found.pointer == f"/schema/fields/0/{place}"
        assert found.message.startswith('it must be "variant" or match ^(boolean|int|long|')


def test_a_message_that_may_quote_nothing():
    validators = Validators(Document(expand_discriminators(BASE), "test"))
    for body in ({"action": "add", "value": "hidden"}, "hidden"):
        assert "hidden" in f"{validators.first_request_mismatch('A', body)}"
        assert "hidden" not in f"{validators.first_request_mismatch('A', body, quoted=False)}"
    assert (
        validators.first_request_mismatch("A", {"action": "add", "value": "hidden"}, quoted=False).pointer == "/value"
    )
