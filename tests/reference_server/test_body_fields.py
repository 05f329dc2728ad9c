"""Nulls of optional fields: which ones requests lose, and which ones stay, for the schema to judge them."""

from __future__ import annotations

import copy
from typing import Any

import orjson
import pytest

from conformance.target.minimal import minimal_value
from lakeproof import serve
from reference_server import api
from reference_server.body_fields import drop_nulls, known_fields
from specs.openapi import JSON_TYPE
from specs.profiles import find_profile, profiles
from specs.variants import variants

FIELD = {"id": 1, "name": "n", "type": "int", "required": False}
CASES = [
    ("lance", "CreateNamespace", {"mode": None, "properties": None}, {}),
    ("lance", "CreateNamespace", {"properties": {"a": None}}, {"properties": {"a": None}}),
    ("lance", "RegisterTable", {"location": None, "mode": None}, {"location": None}),
    ("lance", "DescribeTable", {"from_the_future": None, "version": None}, {"from_the_future": None}),
    ("lance", "DescribeTable", {"identity": {"api_key": None}}, {"identity": {}}),
    (
        "lance",
        "BatchCommitTables",
        {"operations": [{"declare_table": {"id": ["t"], "location": None}, "deregister_table": None}]},
        {"operations": [{"declare_table": {"id": ["t"]}}]},
    ),
    (
        "lance",
        "QueryTable",
        {"k": 1, "vector": None, "full_text_query": {"string_query": {"query": "x", "columns": None}}},
        {"k": 1, "full_text_query": {"string_query": {"query": "x"}}},
    ),
    ("lance", "DescribeTable", [None, 17], [None, 17]),
    ("lance", "DescribeTable", None, None),
    ("iceberg", "createNamespace", {"namespace": ["a"], "properties": None}, {"namespace": ["a"]}),
    ("iceberg", "createNamespace", {"namespace": None}, {"namespace": None}),
    ("iceberg", "updateProperties", {"updates": None, "removals": None}, {}),
    ("iceberg", "updateProperties", {"updates": {"k": None}}, {"updates": {"k": None}}),
    (
        "iceberg",
        "createTable",
        {"name": "t", "schema": {"type": "struct", "fields": [{**FIELD, "doc": None}], "schema-id": None}},
        {"name": "t", "schema": {"type": "struct", "fields": [FIELD]}},
    ),
    (
        "iceberg",
        "createTable",
        {"partition-spec": {"spec-id": None, "fields": [{"source-id": 1, "field-id": None, "transform": None}]}},
        {"partition-spec": {"fields": [{"source-id": 1, "transform": None}]}},
    ),
    (
        "iceberg",
        "createTable",
        {"schema": {"fields": [{"type": {"type": "list", "element-id": 1, "element": {"doc": None}, "x": None}}]}},
        {"schema": {"fields": [{"type": {"type": "list", "element-id": 1, "element": {"doc": None}, "x": None}}]}},
    ),
    (
        "iceberg",
        "updateTable",
        {"identifier": None, "requirements": [{"type": "assert-ref-snapshot-id", "ref": "b", "snapshot-id": None}]},
        {"requirements": [{"type": "assert-ref-snapshot-id", "ref": "b", "snapshot-id": None}]},
    ),
    (
        "iceberg",
        "commitTransaction",
        {"table-changes": [{"updates": [{"action": "add-schema", "schema": {}, "last-column-id": None}]}]},
        {"table-changes": [{"updates": [{"action": "add-schema", "schema": {}}]}]},
    ),
    (
        "iceberg",
        "planTableScan",
        {"snapshot-id": None, "select": None, "filter": {"type": "is-null", "term": "x", "value": None}},
        {"filter": {"type": "is-null", "term": "x"}},
    ),
    (
        "polaris",
        "createGenericTable",
        {"name": "g", "format": "delta", "base-location": None, "doc": None, "properties": None},
        {"name": "g", "format": "delta"},
    ),
    (
        "polaris",
        "createCatalog",
        {"catalog": {"type": "INTERNAL", "storageConfigInfo": {"storageType": "S3", "region": None, "roleArn": None}}},
        {"catalog": {"type": "INTERNAL", "storageConfigInfo": {"storageType": "S3"}}},
    ),
    (
        "polaris",
        "updatePolicy",
        {"content": "{}", "description": None, "current-policy-version": None},
        {"content": "{}"},
    ),
]
"""API, operation, body, and what is left of it."""

OPERATIONS = [
    (name, operation.id)
    for name, profile in profiles().items()
    for operation in profile.document().operations.values()
    if operation.request and JSON_TYPE in operation.request.content
]


def without_nulls(profile, operation, body):
    document, left = find_profile(profile).document(), copy.deepcopy(body)
    drop_nulls(document, document.operations[operation], left)
    return left


@pytest.mark.parametrize(("profile", "operation", "body", "left"), CASES)
def test_optional_fields_lose_their_nulls(profile, operation, body, left):
    assert without_nulls(profile, operation, body) == left


@pytest.mark.parametrize(("profile", "operation"), OPERATIONS)
def test_nulls_change_no_body(profile, operation):
    """A smallest body with null for every optional field is that body."""
    document = find_profile(profile).document()
    schema = document.operations[operation].request.content[JSON_TYPE]
    smallest = minimal_value(document, schema, "x")
    parts = [part for part, _ in variants(document, schema)]
    required = {name for part in parts for name in part.get("required", ())}
    optional = {name for part in parts for name in part.get("properties", {})} - required
    assert without_nulls(profile, operation, {**dict.fromkeys(optional), **smallest}) == smallest


def test_depth_is_no_matter():
    innermost = {"match": {"terms": "x", "column": None}}
    query: dict[str, Any] = innermost
    for _ in range(5000):
        query = {"boolean": {"must": [query], "should": [], "must_not": []}}
    document = find_profile("lance").document()
    body = {"k": 1, "full_text_query": {"structured_query": {"query": query}}}
    drop_nulls(document, document.operations["QueryTable"], body)
    assert innermost == {"match": {"terms": "x"}}


def test_of_a_choice_only_what_the_value_may_be_counts():
    """Another update requires what add-schema may leave out."""
    document = find_profile("iceberg").document()
    body = {"updates": [{"action": action, "schema-id": None, "spec": None} for action in ("add-spec", "add-schema")]}
    fields = known_fields(document, document.operations["updateTable"], body)
    known = {(field.holder.get("action"), field.name, field.required) for field in fields}
    assert {("add-spec", "spec", True), ("add-schema", "action", True)} <= known
    assert not {name for action, name, _ in known if action == "add-schema"} & {"spec", "schema-id"}


def test_bodies_without_null_are_not_walked_through(http, monkeypatch):
    walked = []
    monkeypatch.setattr(api, "drop_nulls", lambda *_: walked.append(1))
    with serve("iceberg") as server:

        def create(body):
            sent = orjson.dumps(body)
            return http("POST", f"{server.url}/v1/namespaces", body=sent, headers={"Content-Type": JSON_TYPE}).status

        assert create({"namespace": ["a"], "properties": {"k": "v"}}) == 200
        assert walked == []
        assert create({"namespace": ["b"], "properties": {"k": "null"}}) == 200
        assert walked == [1]
