"""Any sequence of commits keeps metadata whole, as a property."""

from __future__ import annotations

import copy
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.iceberg.support.updates import creation
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.iceberg.metadata.table_documents import check_table, read_table
from reference_server.iceberg.metadata.tables import create_table, new_table, update_table

START = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"
UNHURRIED = settings(deadline=None)
"""Whoever shares the machine must not decide on the result."""
NEVER_FALL = (
    "format-version",
    "last-column-id",
    "last-partition-id",
    "last-sequence-number",
    "next-row-id",
    "last-updated-ms",
)
SOURCES = {"long": ["identity", "bucket[4]", "truncate[2]"], "date": ["day", "year"], "string": ["truncate[3]"]}
REF_NAMES = st.sampled_from(["main", "main", "b", "t"])


def do(action, **fields):
    return {"action": action, **{key.replace("_", "-"): value for key, value in fields.items()}}


def current(table):
    return next(schema for schema in table["schemas"] if schema["schema-id"] == table["current-schema-id"])


def columns(draw, first):
    types = st.sampled_from(
        [*SOURCES, {"type": "list", "element-id": first + 1, "element": "int", "element-required": True}]
    )
    return {"id": first, "name": f"c{first}", "type": draw(types), "required": draw(st.booleans())}


def source(draw, table):
    """Return the source and transform of a partition or sort field, or None when no column has one."""
    columns = [column for column in current(table)["fields"] if isinstance(column["type"], str)]
    if not columns:
        return None
    column = draw(st.sampled_from(columns))
    return {"source-id": column["id"], "transform": draw(st.sampled_from(SOURCES[column["type"]]))}


def schema_updates(draw, table):
    fields = list(current(table)["fields"])
    if len(fields) > 1 and draw(st.booleans()):
        fields.pop(draw(st.integers(0, len(fields) - 1)))
    else:
        fields.append(columns(draw, table["last-column-id"] + 1))
    schema = {"type": "struct", "schema-id": draw(st.integers(0, 3)), "fields": fields}
    return [do("add-schema", schema=schema), do("set-current-schema", schema_id=-1)]


def spec_updates(draw, table):
    field = source(draw, table)
    fields = [] if field is None else [{**field, "name": draw(st.sampled_from("pqr"))}]
    set_default = draw(st.sampled_from([[], [do("set-default-spec", spec_id=-1)]]))
    return [do("add-spec", spec={"fields": fields}), *set_default]


def order_updates(draw, table):
    field = source(draw, table)
    ways = {"direction": draw(st.sampled_from(["asc", "desc"])), "null-order": "nulls-first"}
    order = {"order-id": int(field is not None), "fields": [{**field, **ways}] if field else []}
    return [do("add-sort-order", sort_order=order), do("set-default-sort-order", sort_order_id=-1)]


def snapshot_updates(draw, table):
    known = [snapshot["snapshot-id"] for snapshot in table["snapshots"]]
    snapshot = {"snapshot-id": max(known, default=0) + 1, "timestamp-ms": table["last-updated-ms"] + 1}
    snapshot |= {"manifest-list": "s3://b/m.avro", "summary": {"operation": "append"}, "schema-id": 0}
    if known and draw(st.booleans()):
        snapshot["parent-snapshot-id"] = draw(st.sampled_from(known))
    if table["format-version"] > 1:
        snapshot["sequence-number"] = table["last-sequence-number"] + draw(st.integers(0, 2))
    if table["format-version"] > 2:
        snapshot |= {"first-row-id": table["next-row-id"], "added-rows": draw(st.integers(0, 5))}
    return [do("add-snapshot", snapshot=snapshot), *ref_updates(draw, {"snapshots": [snapshot]})]


def ref_updates(draw, table):
    ids = [snapshot["snapshot-id"] for snapshot in table["snapshots"]]
    if not ids:
        return []
    name = draw(REF_NAMES)
    return [
        do(
            "set-snapshot-ref",
            ref_name=name,
            type="tag" if name == "t" else "branch",
            snapshot_id=draw(st.sampled_from(ids)),
        )
    ]


def removals(draw, table):
    some = st.lists(st.integers(0, 6), max_size=3)
    return [
        draw(
            st.one_of(
                st.builds(lambda ids: do("remove-snapshots", snapshot_ids=ids), some),
                st.builds(lambda ids: do("remove-schemas", schema_ids=ids), some),
                st.builds(lambda ids: do("remove-partition-specs", spec_ids=ids), some),
                st.builds(lambda name: do("remove-snapshot-ref", ref_name=name), REF_NAMES),
                st.builds(lambda id: do("remove-statistics", snapshot_id=id), st.integers(0, 6)),
            )
        )
    ]


def statistics_updates(draw, table):
    file = {"snapshot-id": draw(st.integers(1, 4)), "statistics-path": "s3://b/s", "file-size-in-bytes": 1}
    statistics = {**file, "file-footer-size-in-bytes": 1, "blob-metadata": []}
    return [do("set-statistics", statistics=statistics), do("set-partition-statistics", partition_statistics=file)]


def other_updates(draw, table):
    version = draw(st.integers(table["format-version"], 3))
    choices = [
        do("upgrade-format-version", format_version=version),
        do("set-properties", updates={"write.metadata.previous-versions-max": "2"}),
        do("set-location", location="s3://b/u"),
        do("add-encryption-key", encryption_key={"key-id": "k", "encrypted-key-metadata": "YWJj"}),
        do("remove-encryption-key", key_id="k"),
    ]
    return [draw(st.sampled_from(choices))]


KINDS = [
    schema_updates,
    spec_updates,
    order_updates,
    snapshot_updates,
    snapshot_updates,
    ref_updates,
    removals,
    statistics_updates,
    other_updates,
]


@st.composite
def commits(draw):
    """Return a new table and every state after it, with the updates in between that were taken."""
    version = draw(st.integers(1, 3))
    request = {
        "schema": {"type": "struct", "fields": [columns(draw, 1)]},
        "properties": {"format-version": str(version)},
    }
    states = [(new_table(request, location="s3://b/t", uuid=UUID, now=START), [])]
    for count in range(draw(st.integers(1, 8))):
        table = states[-1][0]
        updates = [
            update for kind in draw(st.lists(st.sampled_from(KINDS), max_size=3)) for update in kind(draw, table)
        ]
        try:
            after = update_table(table, updates, now=START + 1000 * count, previous_file=f"s3://b/t/{count}.json")
        except MetadataError:
            continue
        states.append((after, updates))
    return states


@UNHURRIED
@given(states=commits())
def test_metadata_stay_whole(states):
    for table, _ in states:
        check_table(table)
        assert read_table(copy.deepcopy(table), uuid="") == table
        assert len(table["metadata-log"]) <= 100


@UNHURRIED
@given(states=commits())
def test_last_numbers_never_fall(states):
    for (before, _), (after, _) in pairwise(states):
        for key in NEVER_FALL:
            assert after.get(key, 0) >= before.get(key, 0), key


@UNHURRIED
@given(states=commits())
def test_partition_fields_have_ids_of_their_own(states):
    table = states[-1][0]
    if table["format-version"] == 1 or states[0][0]["format-version"] == 1:
        return
    meanings = {}
    for spec in table["partition-specs"]:
        for field in spec["fields"]:
            assert meanings.setdefault(field["field-id"], (field["source-id"], field["transform"])) == (
                field["source-id"],
                field["transform"],
            )


@UNHURRIED
@given(states=commits())
def test_commits_are_functions_of_the_base(states):
    for (before, _), (after, updates) in pairwise(states):
        unchanged, now = copy.deepcopy(before), after["last-updated-ms"]
        file = None if after is before else after["metadata-log"][-1]["metadata-file"]
        assert update_table(before, copy.deepcopy(updates), now=now, previous_file=file) == after
        assert before == unchanged


@UNHURRIED
@given(states=commits())
def test_any_table_can_be_made_anew_from_its_definition(states):
    table = states[-1][0]
    created = create_table(creation(table), uuid="", now=START)
    assert created["location"] == table["location"] and created["properties"] == table["properties"]
    assert created["schemas"][0]["fields"] == current(table)["fields"]
