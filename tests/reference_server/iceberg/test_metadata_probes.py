"""Metadata builder of Java, probe by probe: agreements and differences of other implementations."""

from __future__ import annotations

from typing import Any

import pytest

from reference_server.iceberg.metadata.errors import InvalidRequirement, InvalidUpdate, RequirementFailed, StaleUpdate
from reference_server.iceberg.metadata.requirements import check_table_requirements, is_creation
from reference_server.iceberg.metadata.tables import new_table, update_table

START, BEFORE, NOW = 1_700_000_000_000, 1_700_000_001_000, 1_700_000_500_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
KEY = {"key-id": "k", "encrypted-key-metadata": "YWJj"}
STATISTICS = {
    "snapshot-id": 1,
    "statistics-path": "s3://b/t/stats",
    "file-size-in-bytes": 9,
    "file-footer-size-in-bytes": 4,
    "blob-metadata": [],
}


def column(id, name, type="long", required=False, **more):
    return {"id": id, "name": name, "type": type, "required": required, **more}


POINT = column(4, "point", {"type": "struct", "fields": [column(5, "x", "int")]})
COLUMNS = (column(1, "id", required=True), column(2, "at", "timestamp"), column(3, "name", "string"), POINT)


def schema(*columns, id=0):
    return {"type": "struct", "schema-id": id, "fields": list(columns)}


def do(action, **fields):
    return {"action": action, **{key.replace("_", "-"): value for key, value in fields.items()}}


def add_schema(*more, id=0):
    return do("add-schema", schema=schema(*COLUMNS, *more, id=id))


def use_schema(id=-1):
    return do("set-current-schema", schema_id=id)


def field(source=1, transform="bucket[4]", name="p", **more):
    return {"source-id": source, "transform": transform, "name": name, **more}


def add_spec(*fields, id=0):
    return do("add-spec", spec={**({} if id is None else {"spec-id": id}), "fields": list(fields)})


def add_order(*sources, id=1):
    ways = {"transform": "identity", "direction": "asc", "null-order": "nulls-first"}
    return do(
        "add-sort-order", sort_order={"order-id": id, "fields": [{"source-id": source, **ways} for source in sources]}
    )


def add(id, number=None, parent=None, at=None, **more):
    """Add a snapshot; its sequence number is its id unless said otherwise."""
    snapshot = {"snapshot-id": id, "timestamp-ms": at or START + id, "manifest-list": f"s3://b/t/{id}.avro"}
    snapshot |= {"sequence-number": id if number is None else number, "summary": {"operation": "append"}, **more}
    if "manifests" in snapshot:
        del snapshot["manifest-list"]
    return do("add-snapshot", snapshot=snapshot | ({"parent-snapshot-id": parent} if parent else {}))


def rows(id, first, added=5, **more):
    return add(id, **{"first-row-id": first, "added-rows": added}, **more)


def ref(id, name="main", type="branch", **more):
    return do("set-snapshot-ref", ref_name=name, type=type, snapshot_id=id, **more)


HISTORY = [add(1), ref(1), add(2, parent=1), ref(2), add(3, parent=2), ref(3)]
"""Three snapshots; each of them was once current when they come in commits of their own."""


def ids(key, id_key):
    return lambda table: [entry[id_key] for entry in table[key]]


LOOKS = {
    "schemas": ids("schemas", "schema-id"),
    "specs": ids("partition-specs", "spec-id"),
    "orders": ids("sort-orders", "order-id"),
    "snapshots": ids("snapshots", "snapshot-id"),
    "parents": ids("snapshots", "parent-snapshot-id"),
    "log": ids("snapshot-log", "snapshot-id"),
    "log times": ids("snapshot-log", "timestamp-ms"),
    "partition fields": lambda table: [field["field-id"] for field in table["partition-specs"][-1]["fields"]],
    "last type": lambda table: table["schemas"][-1]["fields"][-1]["type"],
    "last default": lambda table: table["schemas"][-1]["fields"][-1]["initial-default"],
    "last snapshot": lambda table: table["snapshots"][-1],
    "refs": lambda table: sorted(table["refs"]),
    "paths": ids("statistics", "statistics-path"),
}
SAME = object()
"""Expected of a commit that changes nothing: the metadata are the same object."""

PROBES: list[tuple[Any, ...]] = [
    # id, updates, expectation: an error, SAME, or fields and looks; then the format version and commits before
    ("add-schema-identical", [add_schema()], SAME),
    ("add-schema-identical-and-use-it", [add_schema(), use_schema()], SAME),
    (
        "add-earlier-schema-and-use-it",
        [add_schema(), use_schema()],
        {"schemas": [0, 1], "current-schema-id": 0},
        2,
        [add_schema(column(6, "new")), use_schema(1)],
    ),
    ("add-schema-id-clash", [add_schema(column(6, "new"))], {"schemas": [0, 1], "current-schema-id": 0}),
    ("add-schema-id-ignored", [add_schema(column(6, "new"), id=7)], {"schemas": [0, 1]}),
    (
        "set-current-schema-last-added",
        [add_schema(column(6, "a"), id=9), add_schema(column(6, "b"), id=5), use_schema()],
        {"schemas": [0, 1, 2], "current-schema-id": 2},
    ),
    ("set-current-schema-none-added", [use_schema()], InvalidUpdate),
    ("set-current-schema-unknown", [use_schema(9)], InvalidUpdate),
    ("v2-timestamp-ns", [add_schema(column(6, "n", "timestamp_ns"))], InvalidUpdate),
    ("v2-initial-default", [add_schema(column(6, "n", **{"initial-default": 1}))], InvalidUpdate),
    ("v3-timestamp-ns", [add_schema(column(6, "n", "timestamp_ns"))], {"last type": "timestamp_ns"}, 3),
    ("v3-initial-default", [add_schema(column(6, "n", **{"initial-default": 1}))], {"last default": 1}, 3),
    ("v3-default-of-wrong-type", [add_schema(column(6, "n", **{"initial-default": "1"}))], InvalidUpdate, 3),
    ("v3-variant", [add_schema(column(6, "n", "variant"))], {"last type": "variant"}, 3),
    ("v3-geometry", [add_schema(column(6, "n", "geometry(srid:3857)"))], {"last type": "geometry(srid:3857)"}, 3),
    ("unknown-type", [add_schema(column(6, "n", "int128"))], InvalidUpdate),
    (
        "last-column-id-never-falls",
        [do("add-schema", schema=schema(COLUMNS[0])), use_schema()],
        {"schemas": [0, 1], "last-column-id": 5},
    ),
    ("remove-schema-unknown", [do("remove-schemas", schema_ids=[7])], {"schemas": [0]}),
    ("remove-schema-current", [do("remove-schemas", schema_ids=[0])], InvalidUpdate),
    (
        "schema-clashes-with-a-partition-name",
        [add_schema(column(6, "p")), use_schema()],
        InvalidUpdate,
        2,
        [add_spec(field())],
    ),
    (
        "schema-without-the-source-of-the-default-spec",
        [do("add-schema", schema=schema(COLUMNS[1])), use_schema()],
        InvalidUpdate,
        2,
        [add_spec(field()), do("set-default-spec", spec_id=1)],
    ),
    ("add-spec-id-clash", [add_spec(field(**{"field-id": 1000}))], {"specs": [0, 1]}),
    ("add-spec-without-spec-id", [add_spec(field(), id=None)], {"specs": [0, 1], "last-partition-id": 1000}),
    ("add-spec-without-field-id", [add_spec(field())], {"partition fields": [1000]}),
    (
        "add-spec-without-field-id-keeps-ids-apart",
        [add_spec(field(2, "day", "d"), field(name="again"))],
        {"partition fields": [1001, 1000], "last-partition-id": 1001},
        2,
        [add_spec(field())],
    ),
    ("add-spec-field-ids-on-some", [add_spec(field(**{"field-id": 1000}), field(2, "day", "d"))], InvalidUpdate),
    ("add-spec-identical", [add_spec(field())], SAME, 2, [add_spec(field())]),
    (
        "add-earlier-spec-and-use-it",
        [add_spec(), do("set-default-spec", spec_id=-1)],
        {"specs": [0, 1], "default-spec-id": 0},
        2,
        [add_spec(field()), do("set-default-spec", spec_id=1)],
    ),
    ("add-spec-unknown-source", [add_spec(field(77))], InvalidUpdate),
    ("add-spec-nested-type", [add_spec(field(4, "identity"))], InvalidUpdate),
    ("add-spec-wrong-transform", [add_spec(field(3, "day"))], InvalidUpdate),
    ("add-spec-unknown-transform", [add_spec(field(3, "zorder"))], {"specs": [0, 1]}),
    ("add-spec-v1-out-of-sequence", [add_spec(field(**{"field-id": 1001}))], InvalidUpdate, 1),
    ("set-default-spec-last-added", [add_spec(field()), do("set-default-spec", spec_id=1)], {"default-spec-id": 1}),
    ("set-default-spec-unknown", [do("set-default-spec", spec_id=9)], InvalidUpdate),
    ("remove-spec-unknown", [do("remove-partition-specs", spec_ids=[7])], {"specs": [0]}),
    ("remove-spec-default", [do("remove-partition-specs", spec_ids=[0])], InvalidUpdate),
    ("add-sort-order-id-clash", [add_order(3)], {"orders": [0, 1, 2]}, 2, [add_order(1)]),
    ("add-sort-order-identical", [add_order(1, id=5)], SAME, 2, [add_order(1)]),
    (
        "add-earlier-sort-order-and-use-it",
        [add_order(id=0), do("set-default-sort-order", sort_order_id=-1)],
        {"orders": [0, 1], "default-sort-order-id": 0},
        2,
        [add_order(1), do("set-default-sort-order", sort_order_id=1)],
    ),
    ("add-sort-order-unsorted", [add_order(id=0)], SAME),
    ("add-sort-order-zero-is-reserved", [add_order(1, id=0)], InvalidUpdate),
    ("set-default-sort-order-unknown", [do("set-default-sort-order", sort_order_id=9)], InvalidUpdate),
    ("stale-sequence-v2", [add(2, 1, parent=1)], StaleUpdate, 2, [add(1, 1)]),
    ("stale-sequence-v3", [rows(2, 5, number=3, parent=1)], StaleUpdate, 3, [rows(1, 0, number=5)]),
    ("same-sequence-without-parent", [add(2, 1)], {"last-sequence-number": 1}, 2, [add(1, 1)]),
    ("earlier-sequence-without-parent", [add(2, 1)], InvalidUpdate, 2, [add(1, 2)]),
    ("v1-sequence", [add(1, 1)], InvalidUpdate, 1),
    ("v3-stale-first-row-id", [rows(2, 4, parent=1)], StaleUpdate, 3, [rows(1, 0)]),
    ("v3-missing-first-row-id", [add(1)], InvalidUpdate, 3),
    ("v3-missing-added-rows", [add(1, **{"first-row-id": 0})], InvalidUpdate, 3),
    ("v3-next-row-id", [rows(2, 5, added=7, parent=1)], {"next-row-id": 12}, 3, [rows(1, 0)]),
    ("duplicate-snapshot", [add(1, 2, parent=1)], InvalidUpdate, 2, [add(1)]),
    ("main-as-tag", [ref(1, type="tag")], InvalidUpdate, 2, [add(1)]),
    ("ref-to-unknown-snapshot", [ref(9)], InvalidUpdate),
    ("ref-identical", [ref(1)], SAME, 2, [add(1), ref(1)]),
    ("tag-with-snapshots-to-keep", [ref(1, "t", "tag", min_snapshots_to_keep=1)], InvalidUpdate, 2, [add(1)]),
    ("ref-kept-no-time", [ref(1, "b", max_ref_age_ms=0)], InvalidUpdate, 2, [add(1)]),
    ("remove-ref-missing", [do("remove-snapshot-ref", ref_name="b")], SAME),
    ("remove-snapshots-gap", [do("remove-snapshots", snapshot_ids=[2])], {"log": [3], "snapshots": [1, 3]}, 2, HISTORY),
    (
        "remove-snapshots-parents-stay",
        [do("remove-snapshots", snapshot_ids=[1, 2])],
        {"parents": [2], "log": [3], "current-snapshot-id": 3},
        2,
        HISTORY,
    ),
    ("remove-snapshots-unknown", [do("remove-snapshots", snapshot_ids=[9])], SAME, 2, [add(1)]),
    (
        "remove-snapshots-with-refs-and-statistics",
        [do("remove-snapshots", snapshot_ids=[1])],
        {"refs": [], "paths": [], "log": [], "current-snapshot-id": None},
        2,
        [add(1), ref(1), ref(1, "t", "tag"), do("set-statistics", statistics=STATISTICS)],
    ),
    (
        "remove-main",
        [do("remove-snapshot-ref", ref_name="main")],
        {"current-snapshot-id": None, "log": [1], "snapshots": [1]},
        2,
        [add(1), ref(1)],
    ),
    ("two-on-main-in-one-commit", HISTORY[:4], {"log": [2], "log times": [START + 2], "snapshots": [1, 2]}),
    (
        "rollback-has-the-time-of-the-commit",
        [ref(1)],
        {"log": [1, 2, 1], "log times": [BEFORE, BEFORE, NOW]},
        2,
        HISTORY[:4],
    ),
    ("snapshot-long-after-the-commit", [add(1, at=NOW + 60_001), ref(1)], InvalidUpdate),
    (
        "set-statistics-replaces",
        [do("set-statistics", statistics={**STATISTICS, "statistics-path": "s3://b/t/new"})],
        {"paths": ["s3://b/t/new"]},
        2,
        [do("set-statistics", statistics=STATISTICS)],
    ),
    ("remove-statistics-missing", [do("remove-statistics", snapshot_id=1)], SAME),
    ("remove-partition-statistics-missing", [do("remove-partition-statistics", snapshot_id=1)], SAME),
    (
        "remove-property-missing",
        [do("remove-properties", removals=["k"])],
        {"properties": {"write.parquet.compression-codec": "zstd"}},
    ),
    ("property-no-string", [do("set-properties", updates={"k": 5})], InvalidUpdate),
    ("properties-none", [do("set-properties", updates={})], SAME),
    ("downgrade", [do("upgrade-format-version", format_version=1)], InvalidUpdate),
    (
        "upgrade-1-to-2",
        [do("upgrade-format-version", format_version=2)],
        {"format-version": 2, "last-sequence-number": 0, "schema": None},
        1,
    ),
    ("upgrade-2-to-3", [do("upgrade-format-version", format_version=3)], {"format-version": 3, "next-row-id": 0}),
    ("upgrade-to-same", [do("upgrade-format-version", format_version=2)], SAME),
    ("upgrade-to-4", [do("upgrade-format-version", format_version=4)], InvalidUpdate, 3),
    ("add-encryption-key", [do("add-encryption-key", encryption_key=KEY)], {"encryption-keys": [KEY]}, 3),
    (
        "add-encryption-key-existing",
        [do("add-encryption-key", encryption_key=KEY)],
        SAME,
        3,
        [do("add-encryption-key", encryption_key=KEY)],
    ),
    (
        "remove-encryption-key",
        [do("remove-encryption-key", key_id="k")],
        {"encryption-keys": None},
        3,
        [do("add-encryption-key", encryption_key=KEY)],
    ),
    ("remove-encryption-key-missing", [do("remove-encryption-key", key_id="k")], SAME, 3),
    (
        "unknown-fields-are-kept",
        [add(1, **{"key-id": "k", "new": [1]})],
        {"last snapshot": add(1, **{"key-id": "k", "new": [1]})["snapshot"]},
    ),
    ("v1-manifests", [add(1, 0, manifests=["s3://b/t/m.avro"])], {"snapshots": [1]}, 1),
    ("assign-uuid", [do("assign-uuid", uuid="another")], {"table-uuid": "another"}),
    ("set-location-strips", [do("set-location", location="s3://b/u//")], {"location": "s3://b/u"}),
    ("unknown-action", [do("enable-time-travel")], InvalidUpdate),
    ("nothing", [], SAME),
]


def table(version=2, before=()):
    metadata = new_table(
        {"schema": schema(*COLUMNS), "properties": {"format-version": str(version)}},
        location="s3://b/t",
        uuid=UUID,
        now=START,
    )
    for update in before:
        metadata = update_table(metadata, [update], now=BEFORE)
    return metadata


@pytest.mark.parametrize(
    ("updates", "expected", "version", "before"),
    [(*probe[1:], *(2, [])[len(probe) - 3 :]) for probe in PROBES],
    ids=[probe[0] for probe in PROBES],
)
def test_updates(updates, expected, version, before):
    base = table(version, before)
    if isinstance(expected, type):
        with pytest.raises(expected):
            update_table(base, updates, now=NOW)
        return
    updated = update_table(base, updates, now=NOW)
    if expected is SAME:
        assert updated is base
        return
    assert {
        what: LOOKS.get(what, lambda metadata, key=what: metadata.get(key))(updated) for what in expected
    } == expected
    assert updated["last-updated-ms"] == NOW
    assert base == table(version, before), "the base is not changed in place"


def test_there_are_as_many_probes_as_promised():
    assert len({probe[0] for probe in PROBES}) == len(PROBES) >= 61


def require(type, **fields):
    return {"type": f"assert-{type}", **{key.replace("_", "-"): value for key, value in fields.items()}}


REQUIREMENTS = [
    ("create", require("create"), RequirementFailed),
    ("uuid", require("table-uuid", uuid=UUID), None),
    ("uuid-case", require("table-uuid", uuid=UUID.upper()), None),
    ("uuid-other", require("table-uuid", uuid="other"), RequirementFailed),
    ("uuid-missing", require("table-uuid"), InvalidRequirement),
    ("ref", require("ref-snapshot-id", ref="main", snapshot_id=3), None),
    ("ref-moved", require("ref-snapshot-id", ref="main", snapshot_id=2), RequirementFailed),
    ("ref-created", require("ref-snapshot-id", ref="main", snapshot_id=None), RequirementFailed),
    ("ref-absent", require("ref-snapshot-id", ref="b", snapshot_id=None), None),
    ("ref-absent-by-absence", require("ref-snapshot-id", ref="b"), None),
    ("ref-gone", require("ref-snapshot-id", ref="b", snapshot_id=1), RequirementFailed),
    ("ref-no-number", require("ref-snapshot-id", ref="main", snapshot_id="3"), InvalidRequirement),
    ("field-id", require("last-assigned-field-id", last_assigned_field_id=5), None),
    ("field-id-other", require("last-assigned-field-id", last_assigned_field_id=4), RequirementFailed),
    ("schema", require("current-schema-id", current_schema_id=0), None),
    ("schema-other", require("current-schema-id", current_schema_id=1), RequirementFailed),
    ("schema-true", require("current-schema-id", current_schema_id=True), InvalidRequirement),
    ("partition-id", require("last-assigned-partition-id", last_assigned_partition_id=999), None),
    ("partition-id-other", require("last-assigned-partition-id", last_assigned_partition_id=1000), RequirementFailed),
    ("spec", require("default-spec-id", default_spec_id=0), None),
    ("spec-other", require("default-spec-id", default_spec_id=1), RequirementFailed),
    ("order", require("default-sort-order-id", default_sort_order_id=0), None),
    ("order-other", require("default-sort-order-id", default_sort_order_id=1), RequirementFailed),
    ("unknown", require("full-moon"), InvalidRequirement),
    ("of-a-view", require("view-uuid", uuid=UUID), InvalidRequirement),
    ("no-object", "assert-create", InvalidRequirement),
]


@pytest.mark.parametrize(
    ("requirement", "error"), [case[1:] for case in REQUIREMENTS], ids=[case[0] for case in REQUIREMENTS]
)
def test_requirements(requirement, error):
    metadata = table(before=HISTORY)
    if error is None:
        check_table_requirements(metadata, [requirement])
        return
    with pytest.raises(error):
        check_table_requirements(metadata, [requirement])


def test_a_new_branch_on_an_empty_table_is_required_to_be_absent():
    check_table_requirements(table(), [require("ref-snapshot-id", ref="main", snapshot_id=None)])


def test_creation_goes_alone():
    assert is_creation([require("create")])
    assert not is_creation([require("table-uuid", uuid=UUID)])
    with pytest.raises(InvalidRequirement):
        is_creation([require("create"), require("table-uuid", uuid=UUID)])
