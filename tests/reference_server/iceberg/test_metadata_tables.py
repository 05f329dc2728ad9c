"""New tables, staged ones, replaced ones; logs, files and the speed of a commit."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.updates import creation
from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.files import metadata_file, obsolete_files
from reference_server.iceberg.metadata.tables import (
    create_table,
    new_table,
    replace_table,
    update_table,
)

NOW = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"


def column(id, name, type="long", required=False, **more):
    return {"id": id, "name": name, "type": type, "required": required, **more}


def list_of(id, element):
    return {"type": "list", "element-id": id, "element": element, "element-required": False}


def map_of(key_id, value_id, value):
    return {
        "type": "map",
        "key-id": key_id,
        "key": "string",
        "value-id": value_id,
        "value": value,
        "value-required": True,
    }


def struct(*columns):
    return {"type": "struct", "fields": list(columns)}


def make(request, location="s3://b/t", now=NOW):
    return new_table(request, location=location, uuid=UUID, now=now)


def snapshot(id, number, **more):
    return {
        "action": "add-snapshot",
        "snapshot": {
            "snapshot-id": id,
            "sequence-number": number,
            "timestamp-ms": NOW,
            "manifest-list": f"s3://b/t/{id}.avro",
            "summary": {"operation": "append"},
            **more,
        },
    }


def main(id):
    return {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": id}


NESTED = {
    **struct(
        column(70, "where", struct(column(71, "x", "double", True), column(72, "y", "double")), True),
        column(10, "key", "string", True),
        column(11, "tags", list_of(12, struct(column(13, "name", "string")))),
        column(14, "more", map_of(15, 16, list_of(17, "int"))),
        column(73, "id", "Decimal(9,2)", True, doc=None),
    ),
    "schema-id": 4,
    "identifier-field-ids": [73, 10],
}
REQUEST = {
    "name": "t",
    "schema": NESTED,
    "partition-spec": {
        "spec-id": 3,
        "fields": [
            {"source-id": 10, "transform": "truncate[3]", "name": "key_trunc", "field-id": 1040},
            {"source-id": 73, "transform": "Identity", "name": "id"},
        ][:1],
    },
    "write-order": {
        "order-id": 8,
        "fields": [{"source-id": 71, "transform": "identity", "direction": "DESC", "null-order": "nulls-last"}],
    },
    "properties": {"format-version": "3", "owner": "me", "current-schema": "0"},
}


def test_ids_are_given_out_struct_by_struct():
    fresh = make(REQUEST)["schemas"][0]
    assert [field["id"] for field in fresh["fields"]] == [1, 2, 3, 4, 5]
    where, _, tags, more, _ = fresh["fields"]
    assert [field["id"] for field in where["type"]["fields"]] == [6, 7]
    assert (tags["type"]["element-id"], tags["type"]["element"]["fields"][0]["id"]) == (8, 9)
    assert (more["type"]["key-id"], more["type"]["value-id"], more["type"]["value"]["element-id"]) == (10, 11, 12)
    assert fresh["identifier-field-ids"] == [5, 2]
    assert fresh["fields"][4] == column(5, "id", "decimal(9, 2)", True)


def test_a_new_table_has_ids_of_its_own_and_no_reserved_properties():
    table = make(REQUEST, location="s3://b/t/")
    assert table["format-version"] == 3
    assert (table["last-column-id"], table["last-partition-id"], table["next-row-id"]) == (12, 1000, 0)
    assert table["partition-specs"] == [
        {
            "spec-id": 0,
            "fields": [{"source-id": 2, "transform": "truncate[3]", "name": "key_trunc", "field-id": 1000}],
        }
    ]
    assert table["sort-orders"] == [
        {
            "order-id": 1,
            "fields": [{"source-id": 6, "transform": "identity", "direction": "desc", "null-order": "nulls-last"}],
        }
    ]
    assert table["properties"] == {"write.parquet.compression-codec": "zstd", "owner": "me"}
    assert (table["location"], table["table-uuid"], table["last-updated-ms"]) == ("s3://b/t", UUID, NOW)
    assert "current-snapshot-id" not in table


def test_without_more_than_a_schema_a_table_is_unpartitioned_unsorted_and_of_version_2():
    table = make({"schema": struct(column(1, "id"))})
    assert table["partition-specs"] == [{"spec-id": 0, "fields": []}]
    assert table["sort-orders"] == [{"order-id": 0, "fields": []}]
    assert (table["format-version"], table["last-partition-id"], table["last-sequence-number"]) == (2, 999, 0)


def test_version_1_says_schema_and_spec_twice_until_it_is_left():
    table = make({**REQUEST, "properties": {"format-version": "1"}})
    assert table["schema"] == table["schemas"][0]
    assert table["partition-spec"] == table["partition-specs"][0]["fields"]
    assert "last-sequence-number" not in table
    upgraded = update_table(table, [{"action": "upgrade-format-version", "format-version": 2}], now=NOW)
    assert not {"schema", "partition-spec"} & upgraded.keys()


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        {"schema": {"type": "list"}},
        {"schema": struct(column(1, "a"), column(1, "b"))},
        {"schema": struct(column(1, "a"), column(2, "a"))},
        {"schema": struct(column(1, "a", "unknown", True)), "properties": {"format-version": "3"}},
        {"schema": struct(column(1, "a", "variant"))},
        {"schema": {**struct(column(1, "a")), "identifier-field-ids": [1]}},
        {"schema": {**struct(column(1, "a", "float", True)), "identifier-field-ids": [1]}},
        {"schema": {**struct(column(1, "a", list_of(2, "int"), True)), "identifier-field-ids": [2]}},
        {"schema": struct(column(1, "a")), "properties": {"format-version": "4"}},
        {"schema": struct(column(1, "a")), "properties": {"format-version": "two"}},
        {"schema": struct(column(1, "a")), "properties": {"k": 1}},
        {"schema": struct(column(1, "a")), "properties": {"write.metadata.metrics.column.b": "none"}},
        {"schema": struct(column(1, "a")), "properties": {"commit.retry.num-retries": "-1"}},
        {"schema": struct(column(1, "a")), "properties": {"encryption.key-id": "k"}},
        {"schema": struct(column(1, "a"), column(2, "b")), "partition-spec": {"fields": [
            {"source-id": 1, "transform": "identity", "name": "b"}]}},
        {"schema": struct(column(1, "a", list_of(2, "int"))), "partition-spec": {"fields": [
            {"source-id": 2, "transform": "identity", "name": "p"}]}},
        {"schema": struct(column(1, "a")), "write-order": {"order-id": 1, "fields": [
            {"source-id": 1, "transform": "identity", "direction": "up", "null-order": "nulls-first"}]}},
    ],
)  # fmt: skip
def test_what_makes_no_table(request_body):
    with pytest.raises(InvalidMetadata):
        make(request_body)


def test_a_schema_that_is_too_deep_is_refused_and_does_not_overflow_the_stack():
    deep = "int"
    for id in range(2, 900):
        deep = list_of(id, deep)
    with pytest.raises(InvalidMetadata, match="deep"):
        make({"schema": struct(column(1, "a", deep))})


@pytest.mark.parametrize("version", ["1", "2", "3"])
def test_a_staged_table_is_committed_as_it_was_staged(version):
    staged = make({**REQUEST, "properties": {"format-version": version, "a": "b"}})
    assert create_table(creation(staged), uuid="another", now=NOW) == staged


def test_a_table_made_by_updates_needs_a_definition_and_a_location():
    staged = creation(make(REQUEST))
    without = [update for update in staged if update["action"] != "set-location"]
    assert create_table(without, uuid=UUID, now=NOW, location="s3://default")["location"] == "s3://default"
    for missing in ("set-location", "add-schema", "add-spec", "add-sort-order", "set-default-sort-order"):
        left = [update for update in staged if update["action"] not in (missing, missing.replace("add", "set-default"))]
        with pytest.raises(InvalidUpdate):
            create_table(left, uuid=UUID, now=NOW)


def test_a_replaced_table_keeps_its_history_and_the_ids_of_its_columns():
    table = update_table(make(REQUEST), [snapshot(1, 1, **{"first-row-id": 0, "added-rows": 1}), main(1)], now=NOW)
    request = {
        "schema": struct(column(1, "new"), column(2, "key", "string")),
        "partition-spec": {"fields": [
            {"source-id": 2, "transform": "truncate[3]", "name": "k"},
            {"source-id": 1, "transform": "bucket[2]", "name": "b"},
        ]},
        "properties": {"x": "y"},
    }  # fmt: skip
    replaced = replace_table(table, request, now=NOW + 1, location="s3://b/u", previous_file="s3://b/t/0.json")
    assert [field["id"] for field in replaced["schemas"][1]["fields"]] == [13, 2]
    assert [field["field-id"] for field in replaced["partition-specs"][1]["fields"]] == [1000, 1001]
    assert (replaced["current-schema-id"], replaced["default-spec-id"], replaced["default-sort-order-id"]) == (1, 1, 0)
    assert replaced["refs"] == {} and "current-snapshot-id" not in replaced
    assert replaced["snapshots"] == table["snapshots"] and replaced["snapshot-log"] == table["snapshot-log"]
    assert replaced["properties"] == {**table["properties"], "x": "y"}
    assert (replaced["location"], replaced["table-uuid"]) == ("s3://b/u", UUID)


def test_a_replaced_table_of_version_1_keeps_all_partition_fields_in_their_places():
    table = make({**REQUEST, "properties": {"format-version": "1"}})
    replaced = replace_table(table, {"schema": struct(column(1, "key", "string"))}, now=NOW)
    assert replaced["partition-spec"] == [
        {"source-id": 2, "transform": "void", "name": "key_trunc", "field-id": 1000},
    ]


def test_the_metadata_log_is_as_long_as_the_table_wants():
    wanted = {"write.metadata.previous-versions-max": "2", "write.metadata.delete-after-commit.enabled": "true"}
    table = make({"schema": struct(column(1, "a")), "properties": wanted})
    for count in range(4):
        before = table
        change = [{"action": "set-properties", "updates": {"n": str(count)}}]
        table = update_table(before, change, now=NOW + count, previous_file=f"file-{count}")
    assert [entry["metadata-file"] for entry in table["metadata-log"]] == ["file-2", "file-3"]
    assert [entry["timestamp-ms"] for entry in table["metadata-log"]] == [NOW + 1, NOW + 2]
    assert obsolete_files(before, table) == ["file-1"]
    with pytest.raises(InvalidUpdate):
        updates = [{"action": "set-properties", "updates": {"write.metadata.previous-versions-max": "many"}}]
        update_table(table, updates, now=NOW + 9, previous_file="file")


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, "s3://b/t/metadata/00007-u.metadata.json"),
        ({"write.metadata.path": "s3://c/m/"}, "s3://c/m/00007-u.metadata.json"),
        ({"write.metadata.compression-codec": "GZIP"}, "s3://b/t/metadata/00007-u.gz.metadata.json"),
    ],
)
def test_where_metadata_files_go(properties, expected):
    assert metadata_file(make({"schema": struct(column(1, "a")), "properties": properties}), 7, "u") == expected


def test_an_unknown_codec_has_no_metadata_file():
    table = make({"schema": struct(column(1, "a")), "properties": {"write.metadata.compression-codec": "lzma"}})
    with pytest.raises(InvalidMetadata):
        metadata_file(table, 0, "u")


def test_a_commit_shares_what_it_does_not_change():
    table = make(REQUEST)
    updated = update_table(table, [{"action": "set-properties", "updates": {"a": "b"}}], now=NOW + 1)
    changed = {key for key in updated if updated[key] is not table.get(key)}
    assert changed <= {"properties", "last-updated-ms", "location"}


def test_a_failed_update_is_named_by_its_number():
    with pytest.raises(InvalidUpdate, match="Update 2, set-location"):
        update_table(make(REQUEST), [main(1) | {"action": "remove-snapshot-ref"}, {"action": "set-location"}], now=NOW)
