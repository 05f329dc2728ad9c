"""updateTable: field ids over several partition specs, equal definitions, refs set anew, and format versions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import above, at_least, equal, same_items, unequal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, IMPOSSIBLE, LAYOUT, POLICY, allowed_commit, state, unchanged
from conformance.iceberg.support.content import SCHEMA, WIDER, field, layout, partition, schema, sort_field
from conformance.iceberg.support.metadata import (
    MAIN,
    Metadata,
    column_names,
    default_order,
    default_spec,
    properties_of,
    refs,
)
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import (
    Updates,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    set_properties,
    set_ref,
    update,
)
from conformance.iceberg.worlds import all_but
from conformance.values.json_values import Keyed
from conformance.values.outcomes import Violation

BY_DAY, BY_NAME, BY_ID = (
    partition(3, "day_month", "month"),
    partition(2, "name_bucket", "bucket[16]"),
    partition(1, "id"),
)
V2: dict[str, Any] = {"properties": {"format-version": "2"}}


def _field_ids(metadata: Metadata) -> dict[str, int]:
    """Return the field ids of the default spec by name. Raises Violation for the id of a missing field."""
    return Keyed({part["name"]: part["field-id"] for part in default_spec(metadata)["fields"]})


@must(
    "iceberg.update.spec.fields_over_specs",
    operations=COMMIT,
    clause="update-add-spec-fields",
    world=all_but(form=("spelled",)),  # it names the ids of fields
)
def test_field_ids_over_specs(catalog: IcebergCatalog) -> None:
    """In format version 2, a partition field keeps its id in each later spec, and new fields get new ids."""
    catalog.require_given_ids("spec")
    id = catalog.new_table(**V2)
    known: dict[str, int] = {}
    for parts in ((BY_DAY,), (BY_NAME,), (BY_NAME, BY_DAY), (BY_ID, BY_DAY), (BY_DAY, BY_ID, BY_NAME)):
        last = catalog.metadata(id)["last-partition-id"]
        metadata = catalog.update_table(id, add_and_use_spec(layout(*parts)))["metadata"]
        found = _field_ids(metadata)
        same_items(found, [part["name"] for part in parts], "the partition fields of the default spec")
        equal({name: found[name] for name in known if name in found}, {n: known[n] for n in known if n in found}, IDS)
        for name in found.keys() - known.keys():
            above(found[name], last, f"the field-id of the new field {name}")
        known |= found
        equal(metadata["last-partition-id"], max(known.values()), "last-partition-id")


IDS = "the field-ids of the fields that an earlier spec has"


@must(
    "iceberg.update.spec.fields_of_removed",
    operations=COMMIT,
    clause="update-add-spec-fields",
    world=all_but(form=("spelled",)),  # it names the ids of fields
)
def test_field_ids_are_not_given_again(catalog: IcebergCatalog) -> None:
    """After a partition spec was removed, last-partition-id stays, and a new field gets an id above it."""
    catalog.require_given_ids("spec")
    id = catalog.new_table(**V2)
    first = catalog.metadata(id)["default-spec-id"]
    added = catalog.update_table(id, add_and_use_spec(layout(BY_DAY)))["metadata"]
    used, last = added["default-spec-id"], added["last-partition-id"]
    catalog.update_table(id, [update("set-default-spec", spec_id=first)])
    removed = allowed_commit(catalog, id, [update("remove-partition-specs", spec_ids=[used])])["metadata"]
    equal(removed["last-partition-id"], last, "last-partition-id after the removal")
    metadata = catalog.update_table(id, add_and_use_spec(layout(BY_NAME)))["metadata"]
    above(_field_ids(metadata)["name_bucket"], last, "the field-id of the new field")


@must("iceberg.update.schema.ids_of_removed", operations=COMMIT, clause="update-add-schema-evolution")
def test_column_ids_are_not_given_again(catalog: IcebergCatalog) -> None:
    """After a schema with the highest column id was removed, last-column-id stays."""
    id = catalog.new_table()
    first = catalog.metadata(id)["current-schema-id"]
    added = catalog.update_table(id, add_and_use_schema(schema(*SCHEMA["fields"], field(30, "far"))))["metadata"]
    used = added["current-schema-id"]
    catalog.update_table(id, [update("set-current-schema", schema_id=first)])
    removed = allowed_commit(catalog, id, [update("remove-schemas", schema_ids=[used])])["metadata"]
    at_least(removed["last-column-id"], 30, "last-column-id after the removal")
    equal(len(removed["schemas"]), len(added["schemas"]) - 1, "the number of schemas")


# -1 after something that the table has already


@dataclass(frozen=True, slots=True)
class Readded:
    """Definition of a table that is added once more and selected by -1.

    `other` makes another one current, `again` adds the first and selects -1; `look` finds what is current.
    """

    id: str
    other: Updates
    again: Updates
    look: Callable[[Metadata], Any]
    due: Any


READDED = {
    "schema": Readded(
        "schema", add_and_use_schema(WIDER), add_and_use_schema(SCHEMA), column_names, ["id", "name", "day"]
    ),
    "spec": Readded(
        "partition spec",
        add_and_use_spec(layout(BY_NAME)),
        add_and_use_spec(layout(*LAYOUT["partition_spec"]["fields"])),
        lambda metadata: [part["name"] for part in default_spec(metadata)["fields"]],
        ["day"],
    ),
    "order": Readded(
        "sort order",
        add_and_use_order(layout(sort_field(2))),
        add_and_use_order(layout(*LAYOUT["write_order"]["fields"])),
        lambda metadata: [part["source-id"] for part in default_order(metadata)["fields"]],
        [1],
    ),
}


@must("iceberg.update.again.{}", operations=COMMIT, clause="update-last-added-equal", each=READDED)
def test_last_added_is_an_equal_one(catalog: IcebergCatalog, case: Readded) -> None:
    """-1 after adding a {} equal to an earlier one selects that one, or returns 400 or 409 and changes nothing."""
    id = catalog.new_table(**LAYOUT)
    catalog.update_table(id, case.other)
    before = state(catalog, id)
    answer = catalog.update_table(id, case.again, expect=(200, *IMPOSSIBLE))
    if answer.succeeded:
        equal(case.look(catalog.metadata(id)), case.due, f"the current {case.id}")
    else:
        unchanged(catalog, id, before)


# Refs


@must("iceberg.ref.removed_again", operations=COMMIT, clause="update-remove-ref", kind="data", needs=KEPT)
def test_removed_ref_is_set_again(catalog: IcebergCatalog) -> None:
    """A branch that is set again after its removal has the given snapshot and nothing of its former retention."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    catalog.update_table(id, [set_ref("audit", FIRST, max_ref_age_ms=9_000_000)])
    catalog.update_table(id, [update("remove-snapshot-ref", ref_name="audit")])
    equal(refs(catalog.metadata(id)), {MAIN: SECOND}, "the refs after the removal")
    catalog.update_table(id, [set_ref("audit", SECOND)])
    branch = catalog.metadata(id)["refs"]["audit"]
    equal(branch["snapshot-id"], SECOND, "the snapshot of the branch")
    unequal(branch.get("max-ref-age-ms"), 9_000_000, "the max-ref-age-ms of the branch")


# Format versions

ALL = "update-all-or-refused"
DOWNGRADES = {"v3_to_v2": (3, 2), "v2_to_v1": (2, 1), "v3_to_v1": (3, 1)}


@must(
    "iceberg.update.format.lower.{}", operations=COMMIT, clause="update-all-or-refused", kind="error", each=DOWNGRADES
)
def test_lower_format_version(catalog: IcebergCatalog, case: tuple[int, int]) -> None:
    """upgrade-format-version to a lower version ({}) is rejected, with the rest of its commit: never passed over."""
    first, second = case
    catalog.revision.require_format_version(first)
    id = catalog.new_table(properties={"format-version": str(first)})
    before = state(catalog, id)
    updates = [set_properties(a="1"), update("upgrade-format-version", format_version=second)]
    answer = catalog.update_table(id, updates, expect=(200, *POLICY))
    if not answer.succeeded:
        unchanged(catalog, id, before)
    elif catalog.metadata(id)["format-version"] != second:
        raise Violation("the downgrade was passed over: the answer is 200, and the format-version is as before")


@must("iceberg.update.format.kept", operations=COMMIT, clause="update-upgrade-format")
def test_upgrade_keeps_the_rest(catalog: IcebergCatalog) -> None:
    """upgrade-format-version keeps columns, partition fields, sort order, properties and UUID."""
    id = catalog.new_table(**LAYOUT, properties={"format-version": "1", "a": "1"})
    before = catalog.metadata(id)
    after = catalog.update_table(id, [update("upgrade-format-version", format_version=2)])["metadata"]
    equal(after["format-version"], 2, "the format-version")
    equal(column_names(after), column_names(before), "the columns")
    equal(_field_ids(after), _field_ids(before), "the partition fields")
    equal(default_order(after)["fields"], default_order(before)["fields"], "the fields of the sort order")
    equal(properties_of(after).get("a"), "1", 'the property "a"')
    equal(after["table-uuid"], before["table-uuid"], "the table-uuid")
