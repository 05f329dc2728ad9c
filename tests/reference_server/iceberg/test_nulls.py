"""Null for what a client does not set, as iceberg-go and others write it, and the nulls that mean something."""

from __future__ import annotations

import pytest

from tests.reference_server.iceberg.conftest import SCHEMA

TABLES, TABLE, PROPERTIES = "namespaces/a/tables", "namespaces/a/tables/t", "namespaces/a/properties"
NULL_SCHEMA = {**SCHEMA, "identifier-field-ids": None, "fields": [{**f, "doc": None} for f in SCHEMA["fields"]]}
BRANCH = {"type": "assert-ref-snapshot-id", "ref": "main"}


def test_namespaces_with_nulls(api):
    assert api.call("POST", "namespaces", {"namespace": ["n"], "properties": None}, expect=200).body["properties"] == {}
    set_up = api.call("POST", PROPERTIES, {"updates": {"k": "v"}, "removals": None}, expect=200)
    assert set_up.body == {"updated": ["k"], "removed": [], "missing": []}
    removed = api.call("POST", PROPERTIES, {"updates": None, "removals": ["k"]}, expect=200)
    assert removed.body == {"updated": [], "removed": ["k"], "missing": []}


def test_tables_with_nulls(api):
    unset = dict.fromkeys(["location", "partition-spec", "write-order", "stage-create", "properties"])
    created = api.call("POST", TABLES, {"name": "t", "schema": NULL_SCHEMA, **unset}, expect=200).body["metadata"]
    plain = api.table("a/tables/u").body["metadata"]
    named = {"table-uuid", "location", "last-updated-ms"}
    assert {**created, **dict.fromkeys(named)} == {**plain, **dict.fromkeys(named)}


def test_commits_with_nulls(api):
    api.table()
    added = {"action": "add-schema", "schema": {**NULL_SCHEMA, "schema-id": None}, "last-column-id": None}
    body = {"identifier": None, "requirements": [{**BRANCH, "snapshot-id": None}], "updates": [added]}
    schema = api.call("POST", TABLE, body, expect=200).body["metadata"]["schemas"][1]
    assert schema == {**SCHEMA, "schema-id": 1}
    api.call("POST", TABLE, {**body, "requirements": [BRANCH]}, expect=400)  # its null means something


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("namespaces", {"namespace": None}),
        ("namespaces", {"namespace": ["n"], "properties": {"k": None}}),
        (PROPERTIES, {"updates": {"k": None}}),
        (PROPERTIES, {"removals": [None]}),
        (TABLES, {"name": None, "schema": SCHEMA}),
        (TABLES, {"name": "u", "schema": None}),
        (TABLES, {"name": "u", "schema": {**SCHEMA, "fields": None}}),
        (TABLE, {"requirements": None, "updates": []}),
        (TABLE, {"requirements": [{"type": "assert-table-uuid", "uuid": None}], "updates": []}),
        (TABLE, {"requirements": [], "updates": [{"action": "set-properties", "updates": None}]}),
        (f"{TABLE}/plan", {"filter": {"type": "eq", "term": "id", "value": None}}),
        (f"{TABLE}/plan", {"filter": {"type": "not", "child": None}}),
    ],
)
def test_required_nulls_are_refused(api, path, body):
    api.table()
    api.call("POST", path, body, expect=400)
