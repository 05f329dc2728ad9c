"""updateTable: updates of partition specs and sort orders, and unknown ids."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import above, equal, exactly, only, same_items, unequal
from conformance.author.requirement import given, must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import COMMIT, IMPOSSIBLE, LAYOUT, state, unchanged
from conformance.iceberg.support.content import layout, order, partition, sort_field
from conformance.iceberg.support.metadata import default_order, default_spec
from conformance.iceberg.support.updates import LAST_ADDED, add_and_use_order, add_and_use_spec, set_properties, update

BY_DAY = layout(partition(3, "day_month", "month"))
BY_NAME = layout(partition(2, "name_bucket", "bucket[16]"))
ON_NAME = layout(sort_field(2))


@must("iceberg.update.spec.id", operations=COMMIT, clause="update-add-spec")
@given(claimed=st.sampled_from([0, 1, 9]))
def test_added_spec_gets_an_id(catalog: IcebergCatalog, claimed: int) -> None:
    """An added spec gets a spec-id of its own; a claimed id that is taken may return 400 or 409.

    spec-id is read-only: a server may reject a request that claims a taken one.
    """
    id = catalog.new_table()
    there, before = state(catalog, id), catalog.metadata(id)["default-spec-id"]
    added = catalog.update_table(
        id, [update("add-spec", spec={**BY_DAY, "spec-id": claimed})], expect=(200, *IMPOSSIBLE)
    )
    if not added.succeeded:
        unchanged(catalog, id, there)
        return
    answer = added["metadata"]
    exactly({entry["spec-id"] for entry in answer["partition-specs"]}, 2, "the different ids of partition-specs")
    equal(answer["default-spec-id"], before, "the default-spec-id, which was not set")


@should("iceberg.update.spec.same", operations=COMMIT, clause="update-add-same")
def test_equal_spec_keeps_its_id(catalog: IcebergCatalog) -> None:
    """Adding a partition spec equal to an existing one reuses its id."""
    id = catalog.new_table()
    first = catalog.update_table(id, add_and_use_spec(BY_DAY))["metadata"]["default-spec-id"]
    second = catalog.update_table(id, add_and_use_spec(BY_NAME))["metadata"]
    again = [update("add-spec", spec=BY_DAY), update("set-default-spec", spec_id=first)]
    answer = catalog.update_table(id, again)["metadata"]
    exactly(answer["partition-specs"], len(second["partition-specs"]), "the partition-specs")
    equal([field["name"] for field in default_spec(answer)["fields"]], ["day_month"], "the fields of the default spec")


@must("iceberg.update.spec.fields", operations=COMMIT, clause="update-add-spec-fields")
def test_partition_fields_get_ids(catalog: IcebergCatalog) -> None:
    """New partition fields get ids above last-partition-id; a field equal to an existing one keeps its id."""
    id = catalog.new_table()
    first = catalog.update_table(id, add_and_use_spec(BY_DAY))["metadata"]
    day = only(default_spec(first)["fields"], "the fields of the first spec")
    both = layout(*BY_DAY["fields"], *BY_NAME["fields"])
    second = catalog.update_table(id, add_and_use_spec(both))["metadata"]
    same, new = exactly(default_spec(second)["fields"], 2, "the fields of the second spec")
    equal(same["field-id"], day["field-id"], "the field-id of the equal field")
    above(new["field-id"], first["last-partition-id"], "the field-id of the new field")
    equal(second["last-partition-id"], new["field-id"], "last-partition-id")


@must("iceberg.update.spec.last_added", operations=COMMIT, clause="update-set-default-spec")
def test_default_spec(catalog: IcebergCatalog) -> None:
    """set-default-spec selects the given spec id; -1 selects the spec added last in the same commit."""
    id = catalog.new_table()
    before = catalog.metadata(id)["default-spec-id"]
    answer = catalog.update_table(id, [update("add-spec", spec=BY_NAME), *add_and_use_spec(BY_DAY)])["metadata"]
    equal([field["name"] for field in default_spec(answer)["fields"]], ["day_month"], "the fields of the default spec")
    answer = catalog.update_table(id, [update("set-default-spec", spec_id=before)])["metadata"]
    equal(answer["default-spec-id"], before, "the default-spec-id that was set")


@must("iceberg.update.spec.removed", operations=COMMIT, clause="update-remove-specs")
def test_specs_are_removed(catalog: IcebergCatalog) -> None:
    """remove-partition-specs removes the given specs."""
    id = catalog.new_table()
    first = catalog.metadata(id)["default-spec-id"]
    before = catalog.update_table(id, add_and_use_spec(BY_DAY))["metadata"]["partition-specs"]
    answer = catalog.update_table(id, [update("remove-partition-specs", spec_ids=[first])])["metadata"]
    left = {entry["spec-id"] for entry in before} - {first}
    same_items([entry["spec-id"] for entry in answer["partition-specs"]], left, "the specs that are left")


@must("iceberg.update.spec.default_stays", operations=COMMIT, clause="update-remove-specs", kind="error")
def test_default_spec_is_not_removed(catalog: IcebergCatalog) -> None:
    """Removing the default partition spec returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    spec_id = before[1]["default-spec-id"]
    catalog.update_table(id, [update("remove-partition-specs", spec_ids=[spec_id])], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


@must("iceberg.update.order.id", operations=COMMIT, clause="update-add-sort-order")
def test_added_order_gets_an_id(catalog: IcebergCatalog) -> None:
    """add-sort-order assigns an unused order id."""
    id = catalog.new_table(**LAYOUT)
    first = catalog.metadata(id)["default-sort-order-id"]
    answer = catalog.update_table(id, add_and_use_order(ON_NAME))["metadata"]
    second = answer["default-sort-order-id"]
    for taken in (0, first):
        unequal(second, taken, "the order-id of the new sort order")


@should("iceberg.update.order.same", operations=COMMIT, clause="update-add-same")
def test_equal_order_keeps_its_id(catalog: IcebergCatalog) -> None:
    """Adding a sort order equal to an existing one reuses its id."""
    id = catalog.new_table(**LAYOUT)
    first = catalog.metadata(id)["default-sort-order-id"]
    second = catalog.update_table(id, add_and_use_order(ON_NAME))["metadata"]["default-sort-order-id"]
    equal_order = layout(*LAYOUT["write_order"]["fields"])
    again = catalog.update_table(id, [update("add-sort-order", sort_order=equal_order)])["metadata"]
    ids = [entry["order-id"] for entry in again["sort-orders"] if entry["order-id"]]
    same_items(ids, [first, second], "the ids of sort-orders but 0")


@must("iceberg.update.order.none", operations=COMMIT, clause="update-add-sort-order")
def test_order_zero_is_no_order(catalog: IcebergCatalog) -> None:
    """set-default-sort-order with 0 makes a sorted table unsorted."""
    id = catalog.new_table(**LAYOUT)
    none = [update("add-sort-order", sort_order=order()), update("set-default-sort-order", sort_order_id=0)]
    answer = catalog.update_table(id, none)["metadata"]
    equal(answer["default-sort-order-id"], 0, "the default-sort-order-id")
    equal(default_order(answer)["fields"], [], "the fields of the default sort order")


@must("iceberg.update.order.last_added", operations=COMMIT, clause="update-set-default-sort-order")
def test_default_order(catalog: IcebergCatalog) -> None:
    """set-default-sort-order selects the given order id; -1 selects the order added last in the same commit."""
    id = catalog.new_table(**LAYOUT)
    first = catalog.metadata(id)["default-sort-order-id"]
    answer = catalog.update_table(id, add_and_use_order(ON_NAME))["metadata"]
    equal(
        [field["source-id"] for field in default_order(answer)["fields"]], [2], "the columns of the default sort order"
    )
    answer = catalog.update_table(id, [update("set-default-sort-order", sort_order_id=first)])["metadata"]
    equal(answer["default-sort-order-id"], first, "the default-sort-order-id that was set")


# Invalid updates

UNKNOWN_IDS = {
    "schema": update("set-current-schema", schema_id=99),
    "schema_none_added": update("set-current-schema", schema_id=LAST_ADDED),
    "spec": update("set-default-spec", spec_id=99),
    "spec_none_added": update("set-default-spec", spec_id=LAST_ADDED),
    "order": update("set-default-sort-order", sort_order_id=99),
    "order_none_added": update("set-default-sort-order", sort_order_id=LAST_ADDED),
}


@must("iceberg.update.unknown_id.{}", operations=COMMIT, clause="update-set-unknown", kind="error", each=UNKNOWN_IDS)
def test_unknown_id_is_refused(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """Selecting an unknown id, or -1 with nothing added ({}), returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id, [set_properties(a="1"), case], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)


BAD_LAYOUTS = {
    "spec_column": update("add-spec", spec=layout(partition(99, "p"))),
    "spec_transform": update("add-spec", spec=layout(partition(2, "p", "hour"))),
    "order_column": update("add-sort-order", sort_order=layout(sort_field(99))),
}


@must(
    "iceberg.update.bad_layout.{}", operations=COMMIT, clause="update-add-spec-source", kind="error", each=BAD_LAYOUTS
)
def test_bad_layout_is_refused(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """Adding a spec or sort order that does not fit the schema ({}) returns 400 or 409 and changes nothing."""
    id = catalog.new_table()
    before = state(catalog, id)
    catalog.update_table(id, [case], expect=IMPOSSIBLE)
    unchanged(catalog, id, before)
