"""Whatever stands at whatever place of a request or a document: it is taken, or refused by an error of ours."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.iceberg.support.updates import creation
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.iceberg.metadata.requirements import (
    check_table_requirements,
    check_view_requirements,
    is_creation,
)
from reference_server.iceberg.metadata.table_documents import read_table
from reference_server.iceberg.metadata.tables import (
    create_table,
    new_table,
    replace_table,
    update_table,
)
from reference_server.iceberg.metadata.updates import TABLE_UPDATES
from reference_server.iceberg.metadata.view_documents import read_view
from reference_server.iceberg.metadata.view_updates import VIEW_UPDATES
from reference_server.iceberg.metadata.views import new_view, update_view

NOW = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
UNHURRIED = settings(deadline=None)
"""Whoever shares the machine must not decide on the result."""
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "identifier-field-ids": [1],
    "fields": [
        {"id": 1, "name": "a", "required": True, "type": "long", "initial-default": 5, "doc": "d"},
        {"id": 2, "name": "b", "required": False, "type": {
            "type": "map", "key-id": 5, "key": "string", "value-id": 6, "value-required": True, "value": {
                "type": "list", "element-id": 7, "element": "geography(srid:1, karney)", "element-required": True}}},
        {"id": 3, "name": "c", "required": False, "type": "decimal(9, 2)", "write-default": "1.25"},
        {"id": 4, "name": "d", "required": False, "type": "timestamptz"},
    ],
}  # fmt: skip
SPEC = {"spec-id": 0, "fields": [{"source-id": 4, "transform": "day", "name": "day", "field-id": 1000}]}
ORDER = {
    "order-id": 1,
    "fields": [{"source-id": 1, "transform": "bucket[4]", "direction": "asc", "null-order": "nulls-first"}],
}
SNAPSHOT = {
    "snapshot-id": 1,
    "parent-snapshot-id": 9,
    "sequence-number": 1,
    "timestamp-ms": NOW,
    "manifest-list": "s3://b/1.avro",
    "summary": {"operation": "append"},
    "schema-id": 0,
    "first-row-id": 0,
    "added-rows": 3,
}
FILE = {"snapshot-id": 1, "statistics-path": "s3://b/s", "file-size-in-bytes": 1}
BLOB = {"type": "t", "snapshot-id": 1, "sequence-number": 1, "fields": [1], "properties": {"a": "b"}}
STATISTICS = {**FILE, "file-footer-size-in-bytes": 1, "blob-metadata": [BLOB]}
UPDATES: list[dict[str, Any]] = [
    {"action": "assign-uuid", "uuid": UUID},
    {"action": "upgrade-format-version", "format-version": 3},
    {"action": "add-snapshot", "snapshot": SNAPSHOT},
    {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": 1, "max-ref-age-ms": 7},
    {"action": "set-statistics", "statistics": STATISTICS},
    {"action": "set-partition-statistics", "partition-statistics": FILE},
    {"action": "add-encryption-key", "encryption-key": {"key-id": "k", "encrypted-key-metadata": "YWJj"}},
    {"action": "set-properties", "updates": {"write.metadata.previous-versions-max": "2"}},
    {"action": "remove-properties", "removals": ["a"]},
    {"action": "add-schema", "schema": SCHEMA},
    {"action": "set-current-schema", "schema-id": 0},
    {"action": "add-spec", "spec": SPEC},
    {"action": "set-default-spec", "spec-id": 0},
    {"action": "add-sort-order", "sort-order": ORDER},
    {"action": "set-default-sort-order", "sort-order-id": 1},
    {"action": "set-location", "location": "s3://b/u"},
    {"action": "remove-snapshots", "snapshot-ids": [9]},
    {"action": "remove-schemas", "schema-ids": [9]},
    {"action": "remove-partition-specs", "spec-ids": [9]},
    {"action": "remove-snapshot-ref", "ref-name": "b"},
    {"action": "remove-statistics", "snapshot-id": 9},
    {"action": "remove-partition-statistics", "snapshot-id": 9},
    {"action": "remove-encryption-key", "key-id": "k"},
]
CREATION = {
    "schema": SCHEMA,
    "partition-spec": SPEC,
    "write-order": ORDER,
    "properties": {"format-version": "3", "commit.retry.num-retries": "1"},
}
TABLE = new_table(CREATION, location="s3://b/t", uuid=UUID, now=NOW)
FULL_TABLE = update_table(TABLE, UPDATES[:9], now=NOW, previous_file="s3://b/0.json")
VERSION = {
    "version-id": 1,
    "schema-id": 0,
    "timestamp-ms": NOW,
    "summary": {"a": "b"},
    "default-namespace": ["ns"],
    "default-catalog": "c",
    "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
}
VIEW_CREATION = {"schema": SCHEMA, "view-version": VERSION, "properties": {"version.history.num-entries": "2"}}
VIEW = new_view(VIEW_CREATION, location="s3://b/v", uuid=UUID, now=NOW)
NEWER = {**VERSION, "representations": [{"type": "sql", "sql": "select 2", "dialect": "spark"}]}
VIEW_UPDATES_SENT: list[dict[str, Any]] = [
    {"action": "assign-uuid", "uuid": UUID},
    {"action": "upgrade-format-version", "format-version": 1},
    {"action": "add-schema", "schema": SCHEMA},
    {"action": "add-view-version", "view-version": NEWER},
    {"action": "set-current-view-version", "view-version-id": -1},
    {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}},
    {"action": "remove-properties", "removals": ["a"]},
    {"action": "set-location", "location": "s3://b/w"},
]
REQUIREMENTS = [
    {"type": "assert-table-uuid", "uuid": UUID},
    {"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 1},
    {"type": "assert-current-schema-id", "current-schema-id": 0},
]

NUMBERS = [0, 1, -1, 2**31, 2**70, 1.5, float("nan")]
TEXTS = ["", "x", "2", "\ud800", "decimal(99999999999,1)", "bucket[99999999999]"]
LISTS = [[], [[]], [{}], [None], ["a", "a"], [1, 1]]
OBJECTS = [{}, {"type": []}, {"a": 1}, {"": None}]
VALUES = st.sampled_from([None, True, *NUMBERS, *TEXTS, *LISTS, *OBJECTS])


def places(node, path=()):
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@st.composite
def spoilt(draw, document):
    """Return a copy with another value, or none, at one or two of its places."""
    node = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from([*places(node)] or [None]))
        if path is None:
            continue
        parent = node
        for key in path[:-1]:
            parent = parent[key]
        if draw(st.booleans()):
            parent[path[-1]] = copy.deepcopy(draw(VALUES))
        else:
            del parent[path[-1]]
    return node


def attempt(function, *arguments, **more):
    try:
        return function(*arguments, **more)
    except MetadataError:
        return None


@UNHURRIED
@given(document=spoilt(FULL_TABLE), updates=spoilt(UPDATES))
def test_tables(document, updates):
    attempt(update_table, TABLE, updates, now=NOW, previous_file="s3://b/0.json")
    table = attempt(read_table, document, uuid=UUID)
    if table is not None:
        attempt(update_table, table, UPDATES, now=NOW, previous_file="s3://b/0.json")


@UNHURRIED
@given(request=spoilt(CREATION), updates=spoilt(creation(TABLE) + UPDATES))
def test_creation(request, updates):
    attempt(new_table, request, location="s3://b/t", uuid=UUID, now=NOW)
    attempt(replace_table, FULL_TABLE, request, now=NOW)
    attempt(create_table, updates, uuid=UUID, now=NOW)


@UNHURRIED
@given(document=spoilt(VIEW), request=spoilt(VIEW_CREATION), updates=spoilt(VIEW_UPDATES_SENT))
def test_views(document, request, updates):
    attempt(new_view, request, location="s3://b/v", uuid=UUID, now=NOW)
    attempt(update_view, VIEW, updates, now=NOW)
    view = attempt(read_view, document)
    if view is not None:
        attempt(update_view, view, VIEW_UPDATES_SENT, now=NOW)


@UNHURRIED
@given(requirements=spoilt(REQUIREMENTS))
def test_requirements(requirements):
    attempt(is_creation, requirements)
    attempt(check_table_requirements, FULL_TABLE, requirements)
    attempt(check_view_requirements, VIEW, requirements)


def test_every_update_is_among_those_sent():
    assert {update["action"] for update in UPDATES} == TABLE_UPDATES.keys()
    assert {update["action"] for update in VIEW_UPDATES_SENT} == VIEW_UPDATES.keys()
    assert update_table(TABLE, UPDATES, now=NOW)["current-snapshot-id"] == 1
    assert update_view(VIEW, VIEW_UPDATES_SENT, now=NOW)["current-version-id"] == 2
