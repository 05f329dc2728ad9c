"""Table and view metadata: the stricter rules, by format version."""

from __future__ import annotations

import copy

import pytest

from specs.profiles import find_profile
from specs.validation import Validators

REVISIONS = ["1.6", "1.11", "2026-08"]
VALIDATORS = {revision: Validators(find_profile(f"iceberg/{revision}").document()) for revision in REVISIONS}
UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"


# Table metadata


def fields(*types):
    return [{"id": n, "name": f"c{n}", "type": kind, "required": False} for n, kind in enumerate(types, 1)]


def metadata(version=2, **changes):
    document = {
        "format-version": version,
        "table-uuid": UUID,
        "location": "s3://b/t",
        "last-sequence-number": 0,
        "last-updated-ms": 1,
        "last-column-id": 1,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields("long")}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "last-partition-id": 999,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": {},
        "current-snapshot-id": None,
    }
    if version == 3:
        document["next-row-id"] = 0
    document |= {key.replace("_", "-"): value for key, value in changes.items()}
    return {key: value for key, value in document.items() if value != "absent"}


def loaded(metadata, revision="2026-08"):
    return VALIDATORS[revision].response_mismatches("loadTable", 200, {"metadata": metadata, "metadata-location": None})


@pytest.mark.parametrize("revision", REVISIONS)
def test_whole_metadata_pass(revision):
    assert loaded(metadata(2), revision) == []
    assert loaded(metadata(1), revision) == []
    assert (loaded(metadata(3), revision) == []) is (revision != "1.6")


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    "field",
    [
        "table-uuid",
        "location",
        "last-sequence-number",
        "last-updated-ms",
        "last-column-id",
        "schemas",
        "current-schema-id",
        "partition-specs",
        "default-spec-id",
        "last-partition-id",
        "sort-orders",
        "default-sort-order-id",
    ],
)
def test_version_2_needs(revision, field):
    assert loaded(metadata(2, **{field: "absent"}), revision)


def test_version_1_may_have_one_schema_and_spec():
    old = {"schemas": "absent", "current_schema_id": "absent", "partition_specs": "absent", "default_spec_id": "absent"}
    schema = {"type": "struct", "fields": fields("long")}
    assert loaded(metadata(1, **old, schema=schema, partition_spec=[])) == []
    assert loaded(metadata(1, **old))
    assert loaded(metadata(1, last_sequence_number="absent", sort_orders="absent")) == []


def test_version_3_needs_next_row_id():
    assert loaded(metadata(3, next_row_id="absent"))
    assert loaded(metadata(3, next_row_id=-1))


def with_schema(version, *types, **field):
    columns = fields(*types)
    columns[0] |= {key.replace("_", "-"): value for key, value in field.items()}
    return metadata(version, schemas=[{"type": "struct", "schema-id": 0, "fields": columns}])


LIST = {"type": "list", "element-id": 2, "element": "timestamp_ns", "element-required": False}


@pytest.mark.parametrize(
    "kind", ["variant", "timestamp_ns", "timestamptz_ns", "unknown", "geometry", "geography(srid:1)", LIST]
)
def test_types_of_version_3(kind):
    assert loaded(with_schema(3, kind)) == []
    assert loaded(with_schema(2, kind))


@pytest.mark.parametrize(
    "kind", ["decimal(9,2)", "decimal(9, 2)", "fixed[16]", "uuid", {**LIST, "element": "timestamptz"}]
)
def test_types_of_version_2(kind):
    assert loaded(with_schema(2, kind)) == []


@pytest.mark.parametrize("kind", ["bigint", "decimal", "fixed", "LONG", "", {"type": "list"}, 5, None])
def test_what_is_no_type(kind):
    assert loaded(with_schema(3, kind))


def test_defaults_came_with_version_3():
    assert loaded(with_schema(3, "long", initial_default=5, write_default=None)) == []
    assert loaded(with_schema(2, "long", initial_default=5))
    assert loaded(with_schema(2, "long", write_default=5))


@pytest.mark.parametrize(
    "changes",
    [
        {"table_uuid": "not-a-uuid"},
        {"location": ""},
        {"schemas": []},
        {"schemas": [{"type": "struct", "fields": []}]},
        {"partition_specs": [{"fields": []}]},
        {"partition_specs": [{"spec-id": 0, "fields": [{"source-id": 1, "transform": "day", "name": "d"}]}]},
        {"sort_orders": [{"fields": []}]},
        {"sort_orders": []},
        {"refs": {"main": {"type": "tag", "snapshot-id": 1}}},
        {"refs": {"t": {"type": "tag", "snapshot-id": 1, "min-snapshots-to-keep": 1}}},
        {"refs": {"b": {"type": "branch", "snapshot-id": 1, "max-ref-age-ms": 0}}},
        {"last_sequence_number": -1},
        {"properties": {"k": 1}},
        {"current_snapshot_id": "7"},
        {"format_version": 9},
    ],
)
def test_metadata_that_break_a_rule(changes):
    assert loaded(metadata(2, **changes))


def test_sorted_rows_need_an_order_of_their_own():
    key = {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}
    assert loaded(metadata(2, sort_orders=[{"order-id": 0, "fields": []}, {"order-id": 1, "fields": [key]}])) == []
    assert loaded(metadata(2, sort_orders=[{"order-id": 0, "fields": [key]}]))


def test_a_snapshot_from_before_an_upgrade_has_no_sequence_number():
    snapshot = {"snapshot-id": 1, "timestamp-ms": 1, "manifest-list": "m", "summary": {"operation": "append"}}
    assert loaded(metadata(3, snapshots=[snapshot])) == []
    assert loaded(metadata(3, snapshots=[{**snapshot, "added-rows": -1}]))


# View metadata

VIEW = {
    "view-uuid": UUID,
    "format-version": 1,
    "location": "s3://b/v",
    "current-version-id": 1,
    "versions": [
        {
            "version-id": 1,
            "timestamp-ms": 1,
            "schema-id": 0,
            "summary": {},
            "representations": [{"type": "sql", "sql": "select 1", "dialect": "spark"}],
            "default-namespace": [],
        }
    ],
    "version-log": [{"version-id": 1, "timestamp-ms": 1}],
    "schemas": [{"type": "struct", "schema-id": 0, "fields": fields("long")}],
}


def view_findings(view, revision):
    return VALIDATORS[revision].response_mismatches("loadView", 200, {"metadata": view, "metadata-location": "l"})


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.update({"view-uuid": "v"}),
        lambda view: view.update({"versions": []}),
        lambda view: view.update({"version-log": []}),
        lambda view: view.update({"schemas": []}),
        lambda view: view["schemas"][0].pop("schema-id"),
        lambda view: view["versions"][0].pop("default-namespace"),
        lambda view: view["versions"][0].update(representations=[]),
        lambda view: view["versions"][0]["representations"][0].update(type="prose"),
        lambda view: view.pop("location"),
    ],
)
def test_views_that_break_a_rule(revision, change):
    assert view_findings(VIEW, revision) == []
    broken = copy.deepcopy(VIEW)
    change(broken)
    assert view_findings(broken, revision)
