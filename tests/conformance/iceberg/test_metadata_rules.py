"""Every rule for metadata in answers lets good metadata pass and notices what it is about."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.iceberg.support.checks import extra_checks
from conformance.iceberg.support.metadata import TABLE_RULES, VIEW_RULES, current_snapshot, field_ids, unlike
from conformance.values.exchange import Exchange
from specs.profiles import find_profile

CHECKS = extra_checks(find_profile("iceberg"))

FIELDS = [{"id": 1, "name": "a", "type": "long", "required": False}]
TABLE: dict[str, Any] = {
    "format-version": 3,
    "table-uuid": "u",
    "location": "file:///t",
    "last-updated-ms": 2_000_000,
    "last-column-id": 1,
    "last-sequence-number": 1,
    "next-row-id": 10,
    "current-schema-id": 0,
    "schemas": [{"type": "struct", "schema-id": 0, "fields": FIELDS}],
    "default-spec-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": [{"field-id": 1000, "source-id": 1, "name": "p"}]}],
    "last-partition-id": 1000,
    "default-sort-order-id": 0,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "current-snapshot-id": 7,
    "snapshots": [{"snapshot-id": 7, "sequence-number": 1, "first-row-id": 0, "added-rows": 10}],
    "refs": {"main": {"snapshot-id": 7, "type": "branch"}},
    "snapshot-log": [{"snapshot-id": 7, "timestamp-ms": 2_000_000}],
    "statistics": [{"snapshot-id": 7}],
}
VIEW: dict[str, Any] = {
    "view-uuid": "u",
    "current-version-id": 2,
    "versions": [{"version-id": 1, "schema-id": 0}, {"version-id": 2, "schema-id": 0}],
    "version-log": [{"version-id": 1, "timestamp-ms": 1}, {"version-id": 2, "timestamp-ms": 2}],
    "schemas": [{"schema-id": 0}],
}
EARLIER = {"snapshot-id": 7, "timestamp-ms": 2_100_000}
BROKEN_TABLES: dict[str, dict[str, Any]] = {
    "metadata-version-fields": {"next-row-id": None},
    "metadata-current-schema": {"current-schema-id": 5},
    "metadata-default-spec": {"default-spec-id": 5},
    "metadata-default-order": {"default-sort-order-id": 5},
    "metadata-current-snapshot": {"current-snapshot-id": -1},
    "metadata-refs": {"refs": {"main": {"snapshot-id": 7}, "x": {"snapshot-id": 8}}},
    "metadata-ids-unique": {"snapshots": TABLE["snapshots"] * 2},
    "metadata-last-ids": {"last-partition-id": 999},
    "metadata-sequence-numbers": {"last-sequence-number": 0},
    "metadata-snapshot-log": {"snapshot-log": [EARLIER, *TABLE["snapshot-log"]]},
    "metadata-statistics": {"partition-statistics": [{"snapshot-id": 8}]},
    "metadata-v3-row-ids": {"next-row-id": 9},
    "metadata-identifier-fields": {"schemas": [{**TABLE["schemas"][0], "identifier-field-ids": [1, 2]}]},
    "metadata-log-order": {"metadata-log": [{"metadata-file": "a", "timestamp-ms": 2_100_000}]},
}
BROKEN_VIEWS: dict[str, dict[str, Any]] = {
    "view-metadata-current": {"schemas": [{"schema-id": 1}]},
    "view-metadata-log": {"version-log": [{"version-id": 1, "timestamp-ms": 1}]},
    "view-metadata-ids": {"versions": VIEW["versions"] * 2},
}


def broken_rules(name, metadata, *, url="http://t/v1", status=200):
    exchange = Exchange("loadTable", "GET", url, {}, status=status)
    return CHECKS[name](exchange, {"metadata": metadata})


@pytest.mark.parametrize("name", TABLE_RULES)
def test_rule_for_tables(name):
    assert broken_rules(f"table {name}", TABLE) == []
    assert broken_rules(f"table {name}", {**TABLE, **BROKEN_TABLES[name]})


@pytest.mark.parametrize("name", VIEW_RULES)
def test_rule_for_views(name):
    assert broken_rules(f"view {name}", VIEW) == []
    assert broken_rules(f"view {name}", {**VIEW, **BROKEN_VIEWS[name]})


def test_rules_look_at_whole_metadata_alone():
    broken = {**TABLE, **BROKEN_TABLES["metadata-statistics"]}
    assert broken_rules("table metadata-statistics", broken, url="http://t/v1?snapshots=refs") is None
    assert broken_rules("table metadata-statistics", broken, status=404) is None
    assert broken_rules("view view-metadata-ids", TABLE) is None


def test_metadata_of_a_wrong_form_are_left_to_the_schema():
    assert broken_rules("table metadata-refs", {"table-uuid": "u", "refs": 5}) == []


@pytest.mark.parametrize("spelling", [{"current-snapshot-id": -1}, {"current-snapshot-id": None}, {}])
def test_no_snapshot_has_several_spellings(spelling):
    metadata = {key: value for key, value in TABLE.items() if key != "current-snapshot-id"}
    assert current_snapshot({**metadata, **spelling}) is None


def test_ids_of_nested_fields():
    inner = {"type": "struct", "fields": [{"id": 5, "type": "int"}]}
    nested = {
        "type": "struct",
        "fields": [
            {"id": 1, "type": {"type": "list", "element-id": 2, "element": inner}},
            {"id": 3, "type": {"type": "map", "key-id": 4, "key": "string", "value-id": 6, "value": "int"}},
        ],
    }
    assert sorted(field_ids(nested)) == [1, 2, 3, 4, 5, 6]


def test_unlike_leaves_out_what_every_commit_changes():
    other = {**copy.deepcopy(TABLE), "last-updated-ms": 5, "metadata-log": [1]}
    assert unlike(other) == unlike(TABLE)


def changed(value: Any) -> Iterator[Any]:
    """Yield a JSON value changed in one place each: an odd number, text, list or object, or nothing there."""
    if isinstance(value, dict):
        yield {}
        for key, inner in value.items():
            yield {other: value[other] for other in value if other != key}
            yield from ({**value, key: odd} for odd in changed(inner))
    elif isinstance(value, list):
        yield []
        yield value * 2
        for place, inner in enumerate(value):
            yield from ([*value[:place], odd, *value[place + 1 :]] for odd in changed(inner))
    else:
        yield from (-7, 0, 2**63 - 1, "", "é", None, True, 0.5, [], {})


@pytest.mark.parametrize(("kind", "good"), [("table", TABLE), ("view", VIEW)])
def test_no_metadata_stop_a_rule(kind, good):
    rules = TABLE_RULES if kind == "table" else VIEW_RULES
    odd = list(changed(good))
    # A number below zero where nothing is counted has stopped a rule once: two changes meet there.
    odd += [{**one, **{key: -7}} for one in odd for key in good if isinstance(good[key], int)]
    for metadata in odd:
        for name in rules:
            broken_rules(f"{kind} {name}", metadata)
