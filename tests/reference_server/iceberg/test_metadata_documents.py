"""Metadata that others wrote: what is taken, in which form, and what is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.table_documents import read_table
from reference_server.iceberg.metadata.tables import update_table
from reference_server.iceberg.metadata.view_documents import read_view

NOW = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
SCHEMA: dict[str, Any] = {
    "type": "struct",
    "fields": [{"id": 1, "name": "a", "required": False, "type": "long", "doc": None}],
}
OLD: dict[str, Any] = {
    "format-version": 1,
    "location": "s3://b/t/",
    "last-updated-ms": NOW,
    "last-column-id": 1,
    "schema": SCHEMA,
    "partition-spec": [{"name": "a_bucket", "transform": "bucket[4]", "source-id": 1}],
    "current-snapshot-id": 7,
    "snapshots": [{"snapshot-id": 7, "timestamp-ms": NOW, "manifests": ["s3://b/t/m.avro"]}],
    "made-by": "an early writer",
}
NEW: dict[str, Any] = {
    "format-version": 2,
    "table-uuid": UUID,
    "location": "s3://b/t",
    "last-sequence-number": 2,
    "last-updated-ms": NOW,
    "last-column-id": 1,
    "schemas": [{**SCHEMA, "schema-id": 3}],
    "current-schema-id": 3,
    "partition-specs": [{"spec-id": 0, "fields": []}],
    "default-spec-id": 0,
    "last-partition-id": 999,
    "sort-orders": [{"order-id": 0, "fields": []}],
    "default-sort-order-id": 0,
    "current-snapshot-id": 7,
    "snapshots": [
        {
            "snapshot-id": 7,
            "sequence-number": 2,
            "timestamp-ms": NOW,
            "manifest-list": "s3://b/t/m.avro",
            "summary": {"operation": "append"},
        }
    ],
    "refs": {"main": {"type": "branch", "snapshot-id": 7}},
    "snapshot-log": [{"snapshot-id": 7, "timestamp-ms": NOW}],
}


def read(document, **changes):
    return read_table({**copy.deepcopy(document), **changes}, uuid=UUID)


def test_the_first_form_of_version_1_becomes_the_last():
    table = read(OLD)
    assert table["table-uuid"] == UUID
    assert table["location"] == "s3://b/t"
    assert table["schemas"] == [table["schema"]] and table["current-schema-id"] == 0
    assert table["schema"]["fields"] == [{"id": 1, "name": "a", "required": False, "type": "long"}]
    assert table["partition-specs"][0]["fields"] == table["partition-spec"]
    assert (table["partition-spec"][0]["field-id"], table["last-partition-id"]) == (1000, 1000)
    assert table["sort-orders"] == [{"order-id": 0, "fields": []}]
    assert table["refs"] == {"main": {"type": "branch", "snapshot-id": 7}}
    assert table["snapshot-log"] == table["metadata-log"] == table["statistics"] == []
    assert table["made-by"] == "an early writer"


def test_a_table_of_version_1_goes_all_the_way_up():
    table = read(OLD)
    for version in (2, 3):
        table = update_table(table, [{"action": "upgrade-format-version", "format-version": version}], now=NOW)
        assert read_table(table, uuid="") == table
    assert table["next-row-id"] == 0 and "schema" not in table


@pytest.mark.parametrize("none", [{"current-snapshot-id": -1}, {"current-snapshot-id": None}, {}])
def test_three_ways_to_have_no_snapshot(none):
    empty = {key: value for key, value in NEW.items() if key not in ("current-snapshot-id", "refs", "snapshot-log")}
    assert "current-snapshot-id" not in read_table({**empty, **none}, uuid=UUID)


def test_what_we_wrote_ourselves_stays_as_it_is():
    table = read(NEW)
    assert read_table(table, uuid="") == table


def test_snapshots_can_go_from_a_table_without_a_log():
    table = read(NEW, **{"snapshot-log": None, "refs": None})
    add = {**NEW["snapshots"][0], "snapshot-id": 8, "sequence-number": 3}
    updates = [{"action": "add-snapshot", "snapshot": add}, {"action": "remove-snapshots", "snapshot-ids": [8]}]
    assert update_table(table, updates, now=NOW)["snapshot-log"] == []


def test_a_log_cannot_end_elsewhere_than_at_the_current_snapshot():
    other = {**NEW["snapshots"][0], "snapshot-id": 8}
    third = {**NEW["snapshots"][0], "snapshot-id": 9}
    log = [{"snapshot-id": id, "timestamp-ms": NOW} for id in (7, 8)]
    table = read(NEW, **{"snapshots": [*NEW["snapshots"], other, third], "snapshot-log": log})
    with pytest.raises(InvalidUpdate, match="log"):
        update_table(table, [{"action": "remove-snapshots", "snapshot-ids": [9]}], now=NOW)


NEW_SCHEMA = {**SCHEMA, "schema-id": 1, "doc": "the later one"}
BUCKETS = {"spec-id": 1, "fields": [{**OLD["partition-spec"][0], "field-id": 1000}]}
LISTS = {
    "schemas": [{**SCHEMA, "schema-id": 0}, NEW_SCHEMA],
    "partition-specs": [{"spec-id": 0, "fields": []}, BUCKETS],
}


@pytest.mark.parametrize(
    ("changes", "current"),
    [
        ({"schema": {**SCHEMA, "schema-id": 0}, "partition-spec": []}, (0, 0)),
        ({"schema": NEW_SCHEMA}, (1, 1)),
        ({"schema": None, "partition-spec": BUCKETS["fields"]}, (1, 1)),
        ({"schema": None, "partition-spec": None}, (1, 0)),
        ({"partition-specs": LISTS["partition-specs"][1:], "partition-spec": None}, (1, 1)),
        ({"current-schema-id": 0, "default-spec-id": 0}, (0, 0)),
        ({"schemas": [], "partition-specs": []}, (0, 0)),
        ({"schemas": None, "partition-specs": None, "partition-spec": None}, (0, 0)),
    ],
)
def test_what_holds_in_version_1_where_no_id_says_it(changes, current):
    """The schema and the spec beside the lists, as the specification has them, else the highest id."""
    table = read({**OLD, **LISTS}, **changes)
    assert (table["current-schema-id"], table["default-spec-id"]) == current
    assert table["schema"] == next(schema for schema in table["schemas"] if schema["schema-id"] == current[0])
    assert read_table(table, uuid="") == table


@pytest.mark.parametrize(
    "document",
    [
        {**OLD, "sort-orders": []},
        {**OLD, "sort-orders": [{"order-id": 0, "fields": []}]},
        {**OLD, "sort-orders": [], "default-sort-order-id": 0},
        {**NEW, "sort-orders": []},
    ],
)
def test_the_unsorted_order_need_not_be_listed(document):
    table = read(document)
    assert (table["sort-orders"], table["default-sort-order-id"]) == ([{"order-id": 0, "fields": []}], 0)


def test_an_order_without_an_id_that_makes_it_the_default_is_none():
    order = {"transform": "identity", "source-id": 1, "direction": "asc", "null-order": "nulls-first"}
    table = read(OLD, **{"sort-orders": [{"order-id": 1, "fields": [order]}]})
    assert ([entry["order-id"] for entry in table["sort-orders"]], table["default-sort-order-id"]) == ([1, 0], 0)


@pytest.mark.parametrize("summary", [{}, {"summary": None}, {"summary": {}}])
def test_a_snapshot_without_a_summary_gets_the_one_that_allows_everything(summary):
    bare = {key: value for key, value in NEW["snapshots"][0].items() if key != "summary"}
    assert read(NEW, snapshots=[{**bare, **summary}])["snapshots"][0]["summary"] == {"operation": "overwrite"}


def test_a_manifest_list_makes_manifests_superfluous():
    both = {**OLD["snapshots"][0], "manifest-list": "s3://b/t/l.avro"}
    assert "manifests" not in read(OLD, snapshots=[both])["snapshots"][0]


ROWS = {**NEW, "format-version": 3, "next-row-id": 9}


def snapshots(*numbers):
    """Return snapshots of version 3, each with a pair of first row id and added rows; the last one is current."""
    count = len(numbers)
    return [
        {**NEW["snapshots"][0], "snapshot-id": 8 - count + position, "first-row-id": first, "added-rows": added}
        for position, (first, added) in enumerate(numbers)
    ]


@pytest.mark.parametrize(
    ("numbers", "added"),
    [
        ([(0, None)], [9]),
        ([(9, None)], [0]),
        ([(0, None), (4, None)], [4, 5]),
        ([(0, None), (4, 3)], [4, 3]),
        ([(4, None), (0, None), (4, None)], [5, 4, 5]),
        ([(None, None), (2, None)], [None, 7]),
        ([(None, 3)], [3]),
    ],
)
def test_added_rows_reach_to_where_others_begin(numbers, added):
    table = read(ROWS, snapshots=snapshots(*numbers))
    assert [snapshot.get("added-rows") for snapshot in table["snapshots"]] == added
    assert read_table(table, uuid="") == table


def test_rows_that_the_table_has_not_numbered():
    with pytest.raises(InvalidMetadata, match="next-row-id, 9"):
        read(ROWS, snapshots=snapshots((10, None)))


@pytest.mark.parametrize("source", [{"source-ids": [1]}, {"source-id": 1, "source-ids": [1]}, {"source-id": 1}])
def test_one_source_however_it_is_written(source):
    field = {"name": "p", "transform": "identity", "field-id": 1000}
    order = {"transform": "identity", "direction": "asc", "null-order": "nulls-first"}
    lists = {"partition-specs": [{"spec-id": 0, "fields": [{**field, **source}]}], "last-partition-id": 1000}
    lists |= {"sort-orders": [{"order-id": 1, "fields": [{**order, **source}]}], "default-sort-order-id": 1}
    table = read(ROWS, **lists)
    assert table["partition-specs"][0]["fields"] == [{**field, "source-id": 1}]
    assert table["sort-orders"][0]["fields"] == [{**order, "source-id": 1}]


@pytest.mark.parametrize("source", [{}, {"source-ids": []}, {"source-ids": [1, 2]}, {"source-ids": ["1"]}])
def test_no_source_or_several(source):
    field = {"name": "p", "transform": "bucket[4]", "field-id": 1000, **source}
    with pytest.raises(InvalidMetadata, match="source-id"):
        read(ROWS, **{"partition-specs": [{"spec-id": 0, "fields": [field]}]})


SPEC = {"spec-id": 0, "fields": [{"name": "p", "transform": "identity", "source-id": 1, "field-id": 1000}]}
WRONG: dict[str, Any] = {
    "format-version": [0, 4, "2", None, True],
    "table-uuid": [None, 5],
    "location": [None, ""],
    "last-sequence-number": [1, None],
    "last-updated-ms": [None, "now", NOW - 60_001],
    "last-column-id": [0, None],
    "schemas": [None, [], [SCHEMA], [NEW["schemas"][0]] * 2, [{**SCHEMA, "schema-id": 3, "type": "list"}]],
    "current-schema-id": [None, 0],
    "partition-specs": [None, [], [SPEC], [SPEC] * 2, [{"spec-id": 1, "fields": []}]],
    "default-spec-id": [None, 1],
    "last-partition-id": [None],
    "sort-orders": [None, [{"order-id": 1, "fields": []}]],
    "default-sort-order-id": [None, 1],
    "current-snapshot-id": [8, None],
    "snapshots": [[], [NEW["snapshots"][0]] * 2, [5], [{"snapshot-id": 7}]],
    "refs": [
        {"main": {"type": "tag", "snapshot-id": 7}},
        {"b": {"type": "branch", "snapshot-id": 8}},
        {"b": None},
        {"b": {"type": "twig", "snapshot-id": 7}},
    ],
    "properties": [{"a": 1}],
    "snapshot-log": [[{"snapshot-id": 7}], [{"snapshot-id": 7, "timestamp-ms": NOW + 60_001}]],
    "metadata-log": [
        [{"metadata-file": "b", "timestamp-ms": NOW}, {"metadata-file": "a", "timestamp-ms": NOW - 60_001}],
        [{"timestamp-ms": NOW}],
    ],
    "statistics": [[{"snapshot-id": 7}]],
    "encryption-keys": [[{"key-id": "k", "encrypted-key-metadata": "%"}]],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_documents_that_do_not_hold_together(key, value):
    read(NEW)
    with pytest.raises(InvalidMetadata):
        read(NEW, **{key: value})


@pytest.mark.parametrize("document", [None, [], "x", {}])
def test_no_metadata_at_all(document):
    for reader in (lambda document: read_table(document, uuid=UUID), read_view):
        with pytest.raises(InvalidMetadata):
            reader(document)


def test_version_3_counts_rows():
    with pytest.raises(InvalidMetadata, match="next-row-id"):
        read(NEW, **{"format-version": 3})
    assert read(NEW, **{"format-version": 3, "next-row-id": 5})["next-row-id"] == 5
