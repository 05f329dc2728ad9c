"""PyIceberg reads the metadata that we make, and writes them back as they were."""

from __future__ import annotations

import orjson
import pytest
from pyiceberg.table.metadata import TableMetadataUtil
from pyiceberg.view.metadata import ViewMetadata

from reference_server.iceberg.metadata.tables import new_table, update_table
from reference_server.iceberg.metadata.views import new_view, update_view

NOW = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
TYPES = [
    *(
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "string",
        "uuid",
        "binary",
    ),
    *("fixed[16]", "decimal(9, 2)"),
    {"type": "list", "element-id": 90, "element": "int", "element-required": True},
    {
        "type": "map",
        "key-id": 91,
        "key": "string",
        "value-id": 92,
        "value": {"type": "struct", "fields": [{"id": 93, "name": "x", "required": True, "type": "long"}]},
        "value-required": False,
    },
]
"""What every format version and PyIceberg know."""


def schema():
    fields = [{"id": id, "name": f"c{id}", "required": id < 4, "type": type} for id, type in enumerate(TYPES, 1)]
    return {"type": "struct", "schema-id": 0, "identifier-field-ids": [1, 2], "fields": fields}


def request(version):
    way = {"direction": "desc", "null-order": "nulls-last"}
    return {
        "schema": schema(),
        "partition-spec": {"fields": [
            {"source-id": 8, "transform": "day", "name": "d"},
            {"source-id": 10, "transform": "bucket[16]", "name": "b"},
        ]},
        "write-order": {"order-id": 1, "fields": [{"source-id": 3, "transform": "identity", **way}]},
        "properties": {"format-version": str(version), "owner": "me"},
    }  # fmt: skip


def snapshots(version):
    for id in (11, 12):
        snapshot = {
            "snapshot-id": id,
            "timestamp-ms": NOW + id,
            "manifest-list": f"s3://b/t/{id}.avro",
            "summary": {"operation": "append", "added-files": "1"},
            "schema-id": 0,
        }
        if id == 12:
            snapshot["parent-snapshot-id"] = 11
        if version > 1:
            snapshot["sequence-number"] = id
        if version > 2:
            snapshot |= {"first-row-id": (id - 11) * 5, "added-rows": 5}
        yield {"action": "add-snapshot", "snapshot": snapshot}
        yield {"action": "set-snapshot-ref", "ref-name": "main", "type": "branch", "snapshot-id": id}


def table(version):
    metadata = new_table(request(version), location="s3://b/t", uuid=UUID, now=NOW)
    last = [field for field in metadata["schemas"][0]["fields"] if field["name"] != "c12"]
    tag = {"action": "set-snapshot-ref", "ref-name": "t", "type": "tag", "snapshot-id": 11, "max-ref-age-ms": 5}
    statistics = {"snapshot-id": 12, "statistics-path": "s3://b/s", "file-size-in-bytes": 9}
    for count, update in enumerate([
        *snapshots(version),
        tag,
        {"action": "set-statistics", "statistics": {**statistics, "file-footer-size-in-bytes": 4, "blob-metadata": []}},
        {"action": "set-partition-statistics", "partition-statistics": statistics},
        {"action": "add-schema", "schema": {**metadata["schemas"][0], "fields": last}},
        {"action": "set-current-schema", "schema-id": 1},
    ]):  # fmt: skip
        metadata = update_table(metadata, [update], now=NOW + 100 + count, previous_file=f"s3://b/t/{count}.json")
    return metadata


def shown(metadata):
    """Return metadata without what PyIceberg writes in another way."""
    rest = {key: value for key, value in metadata.items() if value not in (None, [], {})}
    for key in ("schemas", "schema"):
        rest.pop(key, None)  # the order of keys within types, and empty identifier lists
    return rest


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(
    "make", [table, lambda version: new_table(request(version), location="s3://b", uuid=UUID, now=NOW)]
)
def test_pyiceberg_reads_our_tables(make, version):
    metadata = make(version)
    read = TableMetadataUtil.parse_raw(orjson.dumps(metadata).decode())
    assert read.format_version == version
    assert str(read.table_uuid) == UUID
    assert read.current_snapshot_id == metadata.get("current-snapshot-id")
    assert {read_schema.schema_id: read_schema.highest_field_id for read_schema in read.schemas}.keys() == {
        schema["schema-id"] for schema in metadata["schemas"]
    }
    assert [entry.metadata_file for entry in read.metadata_log] == [
        entry["metadata-file"] for entry in metadata["metadata-log"]
    ]
    assert read.schema().find_field("c10").field_id == 10
    assert read.spec().spec_id == 0 and read.sort_order_by_id(1) is not None


@pytest.mark.parametrize("version", [1, 2])
def test_pyiceberg_writes_our_tables_back(version):
    metadata = table(version)
    written = TableMetadataUtil.parse_raw(orjson.dumps(metadata).decode()).model_dump_json()
    assert shown(orjson.loads(written)) == shown(metadata)
    again = [TableMetadataUtil.parse_raw(text) for text in (written, orjson.dumps(metadata).decode())]
    assert again[0].schemas == again[1].schemas


def test_pyiceberg_reads_our_views():
    version = {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": NOW,
        "summary": {"engine-name": "e"},
        "default-namespace": ["ns"],
        "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
    }
    metadata = new_view({"schema": schema(), "view-version": version}, location="s3://b/v", uuid=UUID, now=NOW)
    change = {**version, "timestamp-ms": NOW + 1, "summary": {"engine-name": "f"}}
    use = {"action": "set-current-view-version", "view-version-id": -1}
    metadata = update_view(metadata, [{"action": "add-view-version", "view-version": change}, use], now=NOW + 2)
    read = ViewMetadata.model_validate(metadata)
    assert read.current_version_id == 2
    assert [entry.version_id for entry in read.version_log] == [1, 2]
    assert str(read.view_uuid) == UUID
