"""Updates with several ids, several updates of one kind in a commit, and neighbours of what a commit changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import (
    COMMIT,
    FAILED,
    IMPOSSIBLE,
    allowed_commit,
    state,
    type_is,
    unchanged,
)
from conformance.iceberg.support.content import (
    WIDER,
    field,
    layout,
    partition,
    partition_statistics,
    schema,
    statistics,
)
from conformance.iceberg.support.metadata import MAIN, Metadata, properties_of, refs, snapshot_ids
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, THIRD, new_table_with_snapshots
from conformance.iceberg.support.updates import (
    OTHER_UUID,
    TOUCH,
    Updates,
    add_and_use_schema,
    add_and_use_spec,
    add_schema,
    requirement,
    set_properties,
    set_ref,
    update,
)

WIDEST = schema(*WIDER["fields"], field(5, "more", "string"))
BY_DAY, BY_NAME = layout(partition(3, "day_month", "month")), layout(partition(2, "name_bucket", "bucket[16]"))
KEYS = [{"key-id": f"k{number}", "encrypted-key-metadata": "c2VjcmV0"} for number in range(3)]


@dataclass(frozen=True, slots=True)
class Several:
    """Updates of a table that name several things, or one beside others of its kind.

    `there` are the updates before, given the metadata of the new table, and `updates` those that are tested, given the
    metadata then. `look` finds the things, and `left` are those that are due afterwards. The table has the snapshots
    on main.
    """

    id: str
    there: Callable[[Metadata], Updates]
    updates: Callable[[Metadata], Updates]
    look: Callable[[Metadata], Any]
    left: Any
    snapshots: tuple[int, ...] = ()
    version: int = 0


def _ids(entries: str, id: str) -> Callable[[Metadata], list[Any]]:
    return lambda metadata: sorted(entry[id] for entry in metadata.get(entries) or ())


def _others(entries: str, id: str, current: str) -> Callable[[Metadata], list[Any]]:
    """Return a function that finds all ids but the current one."""
    return lambda metadata: [entry[id] for entry in metadata[entries] if entry[id] != metadata[current]]


def _folder(table: Metadata) -> str:
    return f"{str(table['location']).rstrip('/')}/metadata"


def _statistics(table: Metadata, *snapshots: int) -> Updates:
    return [
        update("set-statistics", snapshot_id=snapshot, statistics=statistics(_folder(table), snapshot))
        for snapshot in snapshots
    ]


def _partition_statistics(table: Metadata, *snapshots: int) -> Updates:
    return [
        update("set-partition-statistics", partition_statistics=partition_statistics(_folder(table), snapshot))
        for snapshot in snapshots
    ]


def _both_statistics(metadata: Metadata) -> dict[str, list[int]]:
    return {
        name: sorted(entry["snapshot-id"] for entry in metadata.get(name) or ())
        for name in ("statistics", "partition-statistics")
    }


OTHER_SCHEMAS = _others("schemas", "schema-id", "current-schema-id")
OTHER_SPECS = _others("partition-specs", "spec-id", "default-spec-id")
SEVERAL = {
    "snapshots": Several(
        "remove-snapshots with two ids",
        lambda _: [],
        lambda _: [update("remove-snapshots", snapshot_ids=[FIRST, SECOND])],
        snapshot_ids,
        [THIRD],
        (FIRST, SECOND, THIRD),
    ),
    "schemas": Several(
        "remove-schemas with two ids",
        lambda _: [add_schema(WIDER), *add_and_use_schema(WIDEST)],
        lambda before: [update("remove-schemas", schema_ids=OTHER_SCHEMAS(before))],
        OTHER_SCHEMAS,
        [],
    ),
    "specs": Several(
        "remove-partition-specs with two ids",
        lambda _: [update("add-spec", spec=BY_NAME), *add_and_use_spec(BY_DAY)],
        lambda before: [update("remove-partition-specs", spec_ids=OTHER_SPECS(before))],
        OTHER_SPECS,
        [],
    ),
    "properties": Several(
        "remove-properties with two keys",
        lambda _: [set_properties(a="1", b="1", c="1")],
        lambda _: [update("remove-properties", removals=["a", "c"])],
        lambda metadata: [key for key in "abc" if key in properties_of(metadata)],
        ["b"],
    ),
    "unreferenced_snapshot": Several(
        "remove-snapshots of a snapshot without a ref",
        lambda _: [set_ref("v1", FIRST, "tag")],
        lambda _: [update("remove-snapshots", snapshot_ids=[SECOND])],
        lambda metadata: {"snapshots": sorted(snapshot_ids(metadata)), "refs": refs(metadata)},
        {"snapshots": sorted((FIRST, THIRD)), "refs": {MAIN: THIRD, "v1": FIRST}},
        (FIRST, SECOND, THIRD),
    ),
    "statistics": Several(
        "two set-statistics in one commit",
        lambda table: _partition_statistics(table, FIRST),
        lambda table: _statistics(table, FIRST, SECOND),
        _both_statistics,
        {"statistics": sorted((FIRST, SECOND)), "partition-statistics": [FIRST]},
        (FIRST, SECOND),
    ),
    "statistics_apart": Several(
        "remove-statistics beside partition statistics of the same snapshot",
        lambda table: [*_statistics(table, FIRST), *_partition_statistics(table, FIRST)],
        lambda _: [update("remove-statistics", snapshot_id=FIRST)],
        _both_statistics,
        {"statistics": [], "partition-statistics": [FIRST]},
        (FIRST,),
    ),
    "partition_statistics_apart": Several(
        "remove-partition-statistics beside statistics of the same snapshot",
        lambda table: [*_statistics(table, FIRST), *_partition_statistics(table, FIRST)],
        lambda _: [update("remove-partition-statistics", snapshot_id=FIRST)],
        _both_statistics,
        {"statistics": [FIRST], "partition-statistics": []},
        (FIRST,),
    ),
    "keys_added": Several(
        "two add-encryption-key in one commit",
        lambda _: [update("add-encryption-key", encryption_key=KEYS[0])],
        lambda _: [update("add-encryption-key", encryption_key=key) for key in KEYS[1:]],
        _ids("encryption-keys", "key-id"),
        ["k0", "k1", "k2"],
        version=3,
    ),
    "one_key_removed": Several(
        "remove-encryption-key of one of three keys",
        lambda _: [update("add-encryption-key", encryption_key=key) for key in KEYS],
        lambda _: [update("remove-encryption-key", key_id="k1")],
        _ids("encryption-keys", "key-id"),
        ["k0", "k2"],
        version=3,
    ),
}


def _new_table(catalog: IcebergCatalog, case: Several) -> Names:
    if case.snapshots:
        return new_table_with_snapshots(catalog, *case.snapshots)[0]
    return catalog.new_table(properties={"format-version": str(case.version)} if case.version else {})


@must("iceberg.update.several.{}", operations=COMMIT, clause="update-several", each=SEVERAL, needs=KEPT)
def test_several_take_effect(catalog: IcebergCatalog, case: Several) -> None:
    """After {}, updateTable and loadTable show that all that was named has changed, and nothing else."""
    id = _new_table(catalog, case)
    before = case.there(catalog.metadata(id))
    if before:
        allowed_commit(catalog, id, before)
    answer = allowed_commit(catalog, id, case.updates(catalog.metadata(id)))["metadata"]
    for metadata in (answer, catalog.metadata(id)):
        found = case.look(metadata)
        equal(sorted(found) if isinstance(found, list) else found, case.left, "what is left of it")


PROTECTED = {
    "schema": ("remove-schemas", "schema_ids", OTHER_SCHEMAS, "current-schema-id", [*add_and_use_schema(WIDER)]),
    "spec": ("remove-partition-specs", "spec_ids", OTHER_SPECS, "default-spec-id", [*add_and_use_spec(BY_DAY)]),
}


@must("iceberg.update.several.current_{}", operations=COMMIT, clause="update-several", kind="error", each=PROTECTED)
def test_list_with_the_current_one(catalog: IcebergCatalog, case: tuple[Any, ...]) -> None:
    """Removing the current {} and another one in one list returns 400 or 409 and removes neither."""
    action, ids, others, current, updates = case
    id = catalog.new_table()
    with catalog.client.preparing():
        catalog.update_table(id, updates)
    before = state(catalog, id)
    named = [*others(before[1]), before[1][current]]
    catalog.update_table(id, [update(action, **{ids: named})], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


# Several properties of views and namespaces


# Several requirements of one commit


@dataclass(frozen=True, slots=True)
class Claims:
    """Requirements of a commit to a table whose refs main and audit point to FIRST, one of which does not hold."""

    id: str
    requirements: Callable[[str], Updates]


def _ref(name: str, snapshot: int | None) -> dict[str, Any]:
    return requirement("assert-ref-snapshot-id", ref=name, snapshot_id=snapshot)


def _uuid(uuid: str) -> dict[str, Any]:
    return requirement("assert-table-uuid", uuid=uuid)


CLAIMS = {
    "first": Claims("the first", lambda uuid: [_uuid(OTHER_UUID), _ref(MAIN, FIRST), _ref("audit", FIRST)]),
    "middle": Claims("the middle one", lambda uuid: [_uuid(uuid), _ref(MAIN, SECOND), _ref("audit", FIRST)]),
    "first_of_a_type": Claims("the first of two of its type", lambda _: [_ref("audit", SECOND), _ref(MAIN, FIRST)]),
    "last_of_a_type": Claims("the last of two of its type", lambda _: [_ref(MAIN, FIRST), _ref("audit", SECOND)]),
    "absent_of_a_type": Claims("null for a ref beside another", lambda _: [_ref(MAIN, FIRST), _ref("audit", None)]),
    "present_of_a_type": Claims("a missing ref beside another", lambda _: [_ref("never", FIRST), _ref(MAIN, FIRST)]),
}


@must("iceberg.commit.assert.several.{}", operations=COMMIT, clause="commit-requirements", kind="data", each=CLAIMS)
def test_one_of_several_requirements_fails(catalog: IcebergCatalog, case: Claims) -> None:
    """If only {} of several requirements fails, updateTable returns 409 and changes nothing."""
    id, _ = new_table_with_snapshots(catalog, FIRST)
    with catalog.client.preparing():
        catalog.update_table(id, [set_ref("audit", FIRST)])
    before = state(catalog, id)
    claims = case.requirements(before[1]["table-uuid"])
    type_is(catalog.update_table(id, [TOUCH], claims, expect=409), FAILED)
    unchanged(catalog, id, before)
