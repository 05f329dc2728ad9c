"""Bodies with one defect each: what a document with variants of a schema refuses, and nothing that it allows."""

from __future__ import annotations

import pytest

from conformance.common.fields import below_minimum, defects, wrong_types
from specs.openapi import Document

TEXT, LIST = {"type": "string"}, {"type": "array", "items": {"type": "string"}}


def _kind(name, **fields):
    return {"type": "object", "required": ["kind"], "properties": {"kind": {"const": name}, **fields}}


MADE = {
    "allOf": [{"$ref": "#/components/schemas/Named"}, {"type": "object", "properties": {"tags": LIST}}],
    "properties": {
        "store": {"oneOf": [_kind("a", role=TEXT), _kind("b", size={"type": "integer", "minimum": 1})]},
        "steps": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/Named"}]}},
    },
}
DOCUMENT = Document(
    {
        "paths": {
            "/v1/make": {
                "post": {
                    "operationId": "MakeIt",
                    "requestBody": {"content": {"application/json": {"schema": MADE}}},
                    "responses": {},
                }
            }
        },
        "components": {"schemas": {"Named": {"type": "object", "properties": {"name": TEXT}}}},
    },
    "here",
)


def defects_of(body, wrong=wrong_types):
    return [where for where, _ in defects(DOCUMENT, DOCUMENT.operation("MakeIt"), body, wrong)]


def test_fields_of_all_parts_of_a_schema_are_made_wrong():
    assert defects_of({}) == ["name 17", "tags many", "tags [17]", "store many", "steps many"]


def test_items_of_lists_are_looked_into():
    assert "steps.name 17" in defects_of({"steps": [{"name": "x"}, {}]})


@pytest.mark.parametrize(("kind", "wrong"), [("a", ["store.role 17"]), ("b", ["store.size many", "store.size 1.5"])])
def test_only_fields_of_the_variant_that_a_body_is_can_be_wrong(kind, wrong):
    assert [finding for finding in defects_of({"store": {"kind": kind}}) if finding.startswith("store.")] == wrong


def test_bounds_are_those_of_the_variant():
    assert defects_of({"store": {"kind": "b"}}, below_minimum) == ["store.size 0"]
    assert defects_of({"store": {"kind": "a"}}, below_minimum) == []


def test_fields_that_are_to_stay_are_left_alone():
    left = list(defects(DOCUMENT, DOCUMENT.operation("MakeIt"), {}, wrong_types, ("name", "store")))
    assert [where for where, _ in left] == ["tags many", "tags [17]", "steps many"]
