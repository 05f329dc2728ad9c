"""updateTable: requirements, responses and rejections of commits. test_updates.py tests the updates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import contains, equal, exactly, lacks, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import (
    COMMIT,
    FAILED,
    LAYOUT,
    UNKNOWN,
    VIEW_UUID,
    columns_are,
    same_metadata,
    state,
    type_is,
    unchanged,
)
from conformance.iceberg.support.content import SCHEMA, WIDER, view_version
from conformance.iceberg.support.metadata import Metadata, previous_files, properties_of, refs
from conformance.iceberg.support.updates import (
    OTHER_UUID,
    TOUCH,
    add_and_use_schema,
    requirement,
    set_properties,
    update,
)

Fields = Callable[[Metadata], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Assertion:
    """Requirement type of a commit, with fields for which it holds on a table and fields for which it fails."""

    type: str
    holds: Fields
    fails: Fields

    @property
    def id(self) -> str:
        """The requirement type, which statements show."""
        return self.type


def _of(type: str, field: str) -> Assertion:
    """Return the assertion of a requirement type about an id field of the metadata."""
    asserted = type.removeprefix("assert-").replace("-", "_")
    return Assertion(type, lambda table: {asserted: table[field]}, lambda table: {asserted: table[field] + 1})


ASSERTIONS = {
    "table_uuid": Assertion(
        "assert-table-uuid", lambda table: {"uuid": table["table-uuid"]}, lambda _: {"uuid": OTHER_UUID}
    ),
    "ref_snapshot_id": Assertion(
        "assert-ref-snapshot-id",
        lambda _: {"ref": "main", "snapshot_id": None},
        lambda _: {"ref": "main", "snapshot_id": 3_055_729_675_574_597_004},
    ),
    "last_assigned_field_id": _of("assert-last-assigned-field-id", "last-column-id"),
    "current_schema_id": _of("assert-current-schema-id", "current-schema-id"),
    "last_assigned_partition_id": _of("assert-last-assigned-partition-id", "last-partition-id"),
    "default_spec_id": _of("assert-default-spec-id", "default-spec-id"),
    "default_sort_order_id": _of("assert-default-sort-order-id", "default-sort-order-id"),
}


def _clause(case: Assertion) -> str:
    return case.type


@must("iceberg.commit.assert.{}.holds", operations=COMMIT, clause=_clause, each=ASSERTIONS)
def test_requirement_holds(catalog: IcebergCatalog, case: Assertion) -> None:
    """updateTable applies a commit whose {} requirement holds."""
    id = catalog.new_table(**LAYOUT)
    wanted = requirement(case.type, **case.holds(catalog.metadata(id)))
    catalog.update_table(id, [TOUCH], [wanted])
    equal(properties_of(catalog.metadata(id)).get("touched"), "1", "the property that the commit set")


@must("iceberg.commit.assert.{}.fails", operations=COMMIT, clause="commit-requirements", kind="data", each=ASSERTIONS)
def test_requirement_fails(catalog: IcebergCatalog, case: Assertion) -> None:
    """updateTable returns 409 with type CommitFailedException when {} does not hold, and changes nothing."""
    id = catalog.new_table(**LAYOUT)
    before = state(catalog, id)
    wanted = requirement(case.type, **case.fails(catalog.metadata(id)))
    refused = catalog.update_table(id, [TOUCH], [wanted], expect=409)
    type_is(refused, FAILED)
    unchanged(catalog, id, before)


@should("iceberg.commit.assert.uuid_case", operations=COMMIT, clause="assert-uuid-case")
def test_uuid_in_upper_case(catalog: IcebergCatalog) -> None:
    """assert-table-uuid accepts the table's UUID in upper case."""
    id = catalog.new_table()
    wanted = requirement("assert-table-uuid", uuid=catalog.metadata(id)["table-uuid"].upper())
    catalog.update_table(id, [TOUCH], [wanted])


@must("iceberg.commit.assert.null_ref", operations=COMMIT, clause="assert-ref-snapshot-id-null")
def test_missing_refs(catalog: IcebergCatalog) -> None:
    """assert-ref-snapshot-id with null holds for a ref that does not exist, including main of an empty table."""
    id = catalog.new_table()
    with catalog.client.preparing():
        there = refs(catalog.metadata(id))
    names = [name for name in ("main", "audit") if name not in there]
    absent = [requirement("assert-ref-snapshot-id", ref=name, snapshot_id=None) for name in names]
    catalog.update_table(id, [TOUCH], absent)


@must("iceberg.commit.assert.one_of_many", operations=COMMIT, clause="commit-refused-unchanged", kind="error")
def test_one_requirement_of_many_fails(catalog: IcebergCatalog) -> None:
    """If only the last of several requirements fails, updateTable returns 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    holding = [requirement(assertion.type, **assertion.holds(before[1])) for assertion in ASSERTIONS.values()]
    failing = requirement("assert-table-uuid", uuid=OTHER_UUID)
    catalog.update_table(id, [*add_and_use_schema(WIDER), TOUCH], [*holding, failing], expect=409)
    unchanged(catalog, id, before)


@must("iceberg.commit.recreated", operations=COMMIT, clause="commit-conflict-unchanged", kind="error")
def test_commit_to_a_table_created_again(catalog: IcebergCatalog) -> None:
    """A commit with the UUID of a dropped table returns 409 and does not change a new table of the same name."""
    id = catalog.new_table()
    former = requirement("assert-table-uuid", uuid=catalog.metadata(id)["table-uuid"])
    catalog.drop_table(id)
    catalog.new_table()
    before = state(catalog, id)
    refused = catalog.update_table(id, [TOUCH], [former], expect=409)
    type_is(refused, FAILED)
    unchanged(catalog, id, before)


# Rejections


@must("iceberg.commit.unknown_requirement", operations=COMMIT, clause="commit-unknown-requirement", kind="error")
def test_unknown_requirement(catalog: IcebergCatalog) -> None:
    """A commit with an unknown requirement type returns 400 and applies no update."""
    id = catalog.new_table()
    catalog.update_table(id, [TOUCH], [UNKNOWN], expect=400)
    lacks(properties_of(catalog.metadata(id)), ["touched"], "the properties of the table")


@must("iceberg.commit.view_requirement", operations=COMMIT, clause="assert-kind", kind="error")
def test_requirement_of_views(catalog: IcebergCatalog) -> None:
    """A table commit with the view requirement assert-view-uuid returns 400 or 409 and applies no update."""
    id = catalog.new_table()
    catalog.update_table(id, [TOUCH], [VIEW_UUID], expect=(400, 409))
    lacks(properties_of(catalog.metadata(id)), ["touched"], "the properties of the table")


FOREIGN = {
    "unknown": update("paint-it-black"),
    "add_view_version": update("add-view-version", view_version=view_version(("n",))),
    "set_current_view_version": update("set-current-view-version", view_version_id=1),
}


@must("iceberg.commit.unknown_update.{}", operations=COMMIT, clause="commit-unknown-update", kind="error", each=FOREIGN)
def test_unknown_update(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """A table commit with an update that tables do not support ({}) returns 400 and applies no other update."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id, [TOUCH, case], expect=400)
    unchanged(catalog, id, before)


BAD_BODIES: dict[str, Any] = {
    "updates_object": {"updates": {"action": "set-properties"}},
    "requirements_text": {"requirements": "none"},
    "update_text": {"updates": ["set-properties"]},
    "update_without_action": {"updates": [{"updates": {"a": "1"}}]},
    "update_without_field": {"updates": [{"action": "add-schema"}]},
    "requirement_without_type": {"requirements": [{"uuid": OTHER_UUID}]},
    "requirement_without_field": {"requirements": [{"type": "assert-table-uuid"}]},
    "id_text": {"updates": [{"action": "set-current-schema", "schema-id": "zero"}]},
}


@must("iceberg.commit.bad_body.{}", operations=COMMIT, clause="bad-body", kind="error", each=BAD_BODIES)
def test_bad_body(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """A commit whose body violates its schema ({}) returns 400 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    body = {"requirements": [], "updates": [TOUCH], **case}
    catalog.send("updateTable", catalog.table_path(id), body, expect=400)
    unchanged(catalog, id, before)


# Results


@must("iceberg.commit.answer", operations=COMMIT, clause="commit-answer")
def test_answer_is_the_new_state(catalog: IcebergCatalog) -> None:
    """updateTable returns the metadata after the commit, as loadTable then returns it."""
    id = catalog.new_table()
    catalog.load_table(id)
    answer = catalog.update_table(id, [TOUCH])
    same_metadata(catalog, answer["metadata"], catalog.metadata(id), "the metadata in the answer to the commit")


@should("iceberg.commit.answer_location", operations=COMMIT, clause="load-table-metadata-location")
def test_answer_tells_the_metadata_file(catalog: IcebergCatalog) -> None:
    """updateTable returns the metadata-location that loadTable then returns."""
    id = catalog.new_table()
    location = catalog.update_table(id, [TOUCH])["metadata-location"]
    equal(location, catalog.load_table(id).get("metadata-location"), "metadata-location in the answer to the commit")


@must("iceberg.commit.location", operations=COMMIT, clause="metadata-location-changes")
def test_location_changes(catalog: IcebergCatalog) -> None:
    """Every commit returns a new metadata-location."""
    id = catalog.new_table()
    locations = [catalog.update_table(id, [set_properties(n=str(n))])["metadata-location"] for n in range(3)]
    exactly(set(locations), 3, "the different metadata files after three commits")


@must("iceberg.commit.order", operations=COMMIT, clause="commit-order")
def test_updates_apply_in_order(catalog: IcebergCatalog) -> None:
    """updateTable applies updates in order, each to the result of the previous one."""
    id = catalog.new_table()
    first, gone = set_properties(a="1", b="1", c="1"), update("remove-properties", removals=["a", "c"])
    catalog.update_table(id, [first, gone, set_properties(b="2"), set_properties(c="3")])
    properties = properties_of(catalog.metadata(id))
    left = {key: properties[key] for key in "abc" if properties.get(key) is not None}
    equal(left, {"b": "2", "c": "3"}, "the properties a, b and c after the commit")


@should("iceberg.commit.empty", operations=COMMIT, clause="commit-empty")
def test_commit_without_updates(catalog: IcebergCatalog) -> None:
    """A commit without updates returns 200 and changes neither metadata nor metadata-location."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id)
    unchanged(catalog, id, before)


@should("iceberg.commit.disjoint", operations=COMMIT, clause="commit-disjoint")
def test_stale_but_disjoint_commit(catalog: IcebergCatalog) -> None:
    """A commit whose requirements hold succeeds even if other commits happened since the client loaded the table."""
    id = catalog.new_table()
    same = requirement("assert-table-uuid", uuid=catalog.metadata(id)["table-uuid"])
    catalog.update_table(id, [set_properties(first="1")], [same])
    catalog.update_table(id, [set_properties(second="1")], [same])
    contains(properties_of(catalog.metadata(id)), ["first", "second"], "the properties of the table")


@should("iceberg.commit.log", operations=COMMIT, clause="metadata-log")
def test_log_has_the_file_before(catalog: IcebergCatalog) -> None:
    """Every commit adds the previous metadata file to metadata-log."""
    id = catalog.new_table()
    made = catalog.load_table(id)
    files = [*previous_files(made["metadata"]), made["metadata-location"]]
    files += [catalog.update_table(id, [set_properties(n=str(n))])["metadata-location"] for n in range(2)]
    same_items(previous_files(catalog.metadata(id)), files[:-1], "the files of the metadata-log")


@should("iceberg.commit.log_length", operations=COMMIT, clause="metadata-log")
def test_log_is_not_longer(catalog: IcebergCatalog) -> None:
    """With write.metadata.previous-versions-max=2, metadata-log contains the two latest previous files."""
    id = catalog.new_table(properties={"write.metadata.previous-versions-max": "2"})
    files = [catalog.update_table(id, [set_properties(n=str(n))])["metadata-location"] for n in range(4)]
    same_items(previous_files(catalog.metadata(id)), files[1:3], "the files of the metadata-log")


@should("iceberg.commit.one_file", operations=COMMIT, clause="metadata-log-one")
def test_several_updates_make_one_file(catalog: IcebergCatalog) -> None:
    """A commit with several updates adds one entry to metadata-log."""
    id = catalog.new_table()
    with catalog.client.preparing():
        earlier = previous_files(catalog.metadata(id))
    catalog.update_table(id, [set_properties(a="1"), *add_and_use_schema(WIDER), set_properties(b="1")])
    exactly(previous_files(catalog.metadata(id)), len(earlier) + 1, "the files of the metadata-log after one commit")


@should("iceberg.commit.time", operations=COMMIT, clause="metadata-updated")
def test_time_does_not_run_backwards(catalog: IcebergCatalog) -> None:
    """last-updated-ms never decreases from one commit to the next."""
    id = catalog.new_table()
    times = [catalog.metadata(id)["last-updated-ms"]]
    times += [catalog.update_table(id, [set_properties(n=str(n))])["metadata"]["last-updated-ms"] for n in range(3)]
    equal(times, sorted(times), "last-updated-ms after the creation and each commit")


@must("iceberg.commit.visible", operations=COMMIT, clause="commit-visible")
def test_commit_is_visible(catalog: IcebergCatalog) -> None:
    """Loads after the response to a commit return its changes, and other tables stay unchanged."""
    id, other = catalog.new_table("a"), catalog.new_table("b")
    columns_are(catalog.metadata(id), SCHEMA)
    before = state(catalog, other)
    catalog.update_table(id, add_and_use_schema(WIDER))
    columns_are(catalog.metadata(id), WIDER)
    unchanged(catalog, other, before)
