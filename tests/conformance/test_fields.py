"""Bodies with one defect each: what a document with variants of a schema refuses, and nothing that it allows."""

from __future__ import annotations

import pytest

from conformance.common.fields import Lack, below_minimum, defects, unusual, with_each, wrong_types
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
    assert defects_of({}) == ["name 17", "tags many", "tags [17]", "store many", "steps many", "steps [many]"]


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
    assert [where for where, _ in left] == ["tags many", "tags [17]", "steps many", "steps [many]"]


def test_a_field_that_stays_may_be_named_by_its_path():
    body = {"steps": [{"name": "x"}]}
    left = [where for where, _ in defects(DOCUMENT, DOCUMENT.operation("MakeIt"), body, wrong_types, ("/name",))]
    assert "steps.name 17" in left
    assert "name 17" not in left


@pytest.mark.parametrize(
    ("types", "wrong"),
    [
        (["string", "object"], [17]),
        (["boolean", "object", "null"], ["many"]),
        (["string", "number"], [["many"]]),
        ([], []),
    ],
)
def test_a_value_of_none_of_several_types_is_wrong(types, wrong):
    assert wrong_types({"type": types}) == wrong


def test_a_choice_has_a_type_that_can_be_wrong():
    assert wrong_types({"type": "string", "enum": ["a", "b"]}) == [17]


def test_flags_and_numbers_in_lists_or_beside_bounds_are_unusual():
    assert [-1, 0, 2**31, 2**53 + 1] in unusual({"type": "array", "items": {"type": "integer"}})
    assert {0, 1, 2} < set(unusual({"type": "integer", "minimum": 1}))
    assert unusual({"type": "boolean"})[-2:] == [True, False]


def test_what_a_body_has_already_is_not_made_again():
    schema = {"type": "object", "properties": {"on": {"type": "boolean"}, "name": TEXT}}
    told = [where for where, _ in with_each(DOCUMENT, schema, {"on": True}, unusual)]
    assert told == ["on absent", "on null", "on false", "name null"]
    assert "on true" in [where for where, _ in with_each(DOCUMENT, schema, {"on": 1}, unusual)]


def test_defects_are_told_in_json():
    """A reader of any language knows null and true; None and True are Python's."""
    schema = {"type": "object", "properties": {"on": {"type": "boolean"}, "tags": {"type": "array"}}}
    values = [Lack.ABSENT, None, [None], True, -1, "many"]
    told = [where for where, _ in with_each(DOCUMENT, schema, {}, lambda _: values)]
    assert told[:5] == ["on null", "on [null]", "on true", "on -1", "on many"]
