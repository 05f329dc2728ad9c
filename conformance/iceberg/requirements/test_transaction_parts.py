"""commitTransaction: every requirement type and every kind of update, as in commits of one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import (
    FAILED,
    IMPOSSIBLE,
    LAYOUT,
    POLICY,
    state,
    type_is,
    unchanged,
)
from conformance.iceberg.support.content import SCHEMA, WIDER, layout, partition, sort_field
from conformance.iceberg.support.metadata import (
    Metadata,
    column_names,
    default_order,
    default_spec,
    properties_of,
)
from conformance.iceberg.support.update_actions import ACTIONS, prepare
from conformance.iceberg.support.updates import (
    OTHER_UUID,
    TOUCH,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    requirement,
    set_properties,
    update,
)
from conformance.values.outcomes import Unoffered, Violation

COMMIT = ["commitTransaction"]
WRONG_ID = 77


def _of(type: str, **fields: Any) -> dict[str, Any]:
    return requirement(type, **fields)


CLAIMS = {
    "table_uuid": (_of("assert-table-uuid", uuid=OTHER_UUID), "table-uuid"),
    "ref_snapshot_id": (_of("assert-ref-snapshot-id", ref="main", snapshot_id=WRONG_ID), ""),
    "last_assigned_field_id": (_of("assert-last-assigned-field-id", last_assigned_field_id=WRONG_ID), "last-column-id"),
    "current_schema_id": (_of("assert-current-schema-id", current_schema_id=WRONG_ID), "current-schema-id"),
    "last_assigned_partition_id": (
        _of("assert-last-assigned-partition-id", last_assigned_partition_id=WRONG_ID),
        "last-partition-id",
    ),
    "default_spec_id": (_of("assert-default-spec-id", default_spec_id=WRONG_ID), "default-spec-id"),
    "default_sort_order_id": (
        _of("assert-default-sort-order-id", default_sort_order_id=WRONG_ID),
        "default-sort-order-id",
    ),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """Requirement of a transaction that does not hold, and the field of the metadata for which it would."""

    id: str
    fails: dict[str, Any]
    field: str

    def holds(self, metadata: Metadata) -> dict[str, Any]:
        """Return the requirement as it holds for a table without snapshots."""
        value = metadata[self.field] if self.field else None
        (key,) = (name for name in self.fails if name not in ("type", "ref"))
        return {**self.fails, key: value}


CASES = {name: Claim(fails["type"], fails, field) for name, (fails, field) in CLAIMS.items()}


@must("iceberg.transaction.assert.{}", operations=COMMIT, clause="transaction-refused", kind="data", each=CASES)
def test_requirement_of_one_table_fails(catalog: IcebergCatalog, case: Claim) -> None:
    """commitTransaction returns 409 when {} fails for one table, and changes none; when it holds, it changes all."""
    first, second = catalog.new_table("a"), catalog.new_table("b", **LAYOUT)
    before = [state(catalog, id) for id in (first, second)]
    changes = [change(first, [TOUCH]), change(second, [TOUCH], [case.fails])]
    type_is(catalog.commit_transaction(changes, expect=409), FAILED)
    equal([state(catalog, id)[0] for id in (first, second)], [location for location, _ in before], "the files")
    holding = case.holds(before[1][1])
    catalog.commit_transaction([change(first, [TOUCH]), change(second, [TOUCH], [holding])])
    for id in (first, second):
        equal(properties_of(catalog.metadata(id)).get("touched"), "1", "the property that the transaction set")


# One of each kind of updates; test_lasting.py tests all of them in commits of one table.
PARTS = (
    *("add-schema", "add-spec", "set-default-sort-order", "add-snapshot", "set-snapshot-ref", "remove-snapshots"),
    *("remove-properties", "set-location", "set-statistics", "add-encryption-key"),
)
ACTION_CASES = {action.replace("-", "_"): action for action in PARTS}


@must(
    "iceberg.transaction.action.{}",
    operations=COMMIT,
    clause="transaction",
    each=ACTION_CASES,
    statement="A transaction applies {} beside a change of another table, or is rejected and changes neither.".format,
)
def test_action_in_a_transaction(catalog: IcebergCatalog, case: str) -> None:
    """A transaction applies an update beside a change of another table, or is rejected and changes neither."""
    catalog.revision.require_updates([{"action": case}])
    action, other = ACTIONS[case], catalog.new_table("other")
    id, files = prepare(catalog, case)
    before = [state(catalog, table)[0] for table in (id, other)]
    answer = catalog.commit_transaction(
        [change(other, [TOUCH]), change(id, [action.update(files)])], expect=(204, *POLICY)
    )
    if not answer.succeeded:
        equal([state(catalog, table)[0] for table in (id, other)], before, "the metadata files after the rejection")
        raise Unoffered(f"the server refuses {case} in a transaction")
    if not action.done(catalog.metadata(id)):
        raise Violation(f"{case} was passed over: the answer is 204, but the metadata do not show it")
    equal(properties_of(catalog.metadata(other)).get("touched"), "1", "the property of the other table")


@must("iceberg.transaction.definitions", operations=COMMIT, clause="transaction")
def test_definitions_in_a_transaction(catalog: IcebergCatalog) -> None:
    """In a transaction, -1 selects the schema, spec and order that the same change added, not those of another table.

    Each table gets another number of them.
    """
    first, second = catalog.new_table("a"), catalog.new_table("b")
    more = [
        update("add-spec", spec=layout(partition(2, "n"))),
        *add_and_use_spec(layout(partition(3, "day_month", "month"))),
    ]
    both = [*more, *add_and_use_order(layout(sort_field(2)))]
    partitions = _layout(catalog.metadata(second))[1]
    catalog.commit_transaction(
        [change(first, [*both, *add_and_use_schema(WIDER)]), change(second, add_and_use_order(layout(sort_field(1))))]
    )
    wide, narrow = catalog.metadata(first), catalog.metadata(second)
    equal(_layout(wide), (WIDER["fields"][-1]["name"], ["day_month"], [2]), "what the first table has")
    equal(_layout(narrow), (SCHEMA["fields"][-1]["name"], partitions, [1]), "what the second table has")


def _layout(metadata: Metadata) -> tuple[Any, list[Any], list[Any]]:
    """Return the last column, the partition fields and the columns of the sort order that are current."""
    return (
        column_names(metadata)[-1],
        [part["name"] for part in default_spec(metadata)["fields"]],
        [part["source-id"] for part in default_order(metadata)["fields"]],
    )


@must("iceberg.transaction.nested", operations=COMMIT, clause="transaction-identifier")
def test_tables_in_nested_namespaces(catalog: IcebergCatalog) -> None:
    """commitTransaction changes a table in a nested namespace, and not one of its name in the namespace above."""
    catalog.require_nested()
    above, inner = catalog.new_table("t"), catalog.table_id("inner")
    with catalog.client.preparing():
        catalog.create_namespace(inner)
        catalog.create_table((*inner, "t"), schema=SCHEMA)
    before = state(catalog, above)
    catalog.commit_transaction([change((*inner, "t"), [TOUCH])])
    equal(properties_of(catalog.metadata((*inner, "t"))).get("touched"), "1", "the property of the inner table")
    unchanged(catalog, above, before)


@must("iceberg.transaction.view", operations=COMMIT, clause="transaction-refused", kind="error")
def test_view_in_a_transaction(catalog: IcebergCatalog) -> None:
    """commitTransaction with the name of a view returns 400 or 404 and changes neither the view nor a table."""
    table, view = catalog.new_table(), catalog.new_view()
    before, location = state(catalog, table), catalog.load_view(view).get("metadata-location")
    catalog.control(lambda: catalog.commit_transaction([change(catalog.new_table("other"), [TOUCH])]))
    catalog.commit_transaction([change(table, [TOUCH]), change(view, [TOUCH])], expect=(400, 404))
    equal(catalog.load_view(view).get("metadata-location"), location, "the metadata-location of the view")
    unchanged(catalog, table, before)


@dataclass(frozen=True, slots=True)
class Ending:
    """Last change of a transaction that fails, given a table that exists, and the statuses that fit."""

    id: str
    change: Callable[[IcebergCatalog, Names], dict[str, Any]]
    statuses: tuple[int, ...]


ENDINGS = {
    "missing": Ending("missing", lambda catalog, _: change(catalog.table_id("missing"), [TOUCH]), (404,)),
    "namespace_missing": Ending(
        "in a missing namespace", lambda catalog, _: change((*catalog.missing_namespace(), "t"), [TOUCH]), (404,)
    ),
    "update": Ending(
        "given an unknown snapshot",
        lambda _, id: change(id, [TOUCH, update("set-snapshot-ref", ref_name="v1", type="tag", snapshot_id=WRONG_ID)]),
        IMPOSSIBLE,
    ),
    "claim": Ending(
        "changed meanwhile", lambda _, id: change(id, [TOUCH], [_of("assert-table-uuid", uuid=OTHER_UUID)]), (409,)
    ),
}


@must("iceberg.transaction.ending.{}", operations=COMMIT, clause="transaction-refused", kind="error", each=ENDINGS)
def test_last_part_fails(catalog: IcebergCatalog, case: Ending) -> None:
    """If the last table of a transaction is {}, it fails, and the next transaction applies nothing of it."""
    first, second = catalog.new_table("a"), catalog.new_table("b")
    before = [state(catalog, id)[0] for id in (first, second)]
    changes = [change(first, [set_properties(failed="1")]), case.change(catalog, second)]
    catalog.commit_transaction(changes, expect=case.statuses)
    equal([state(catalog, id)[0] for id in (first, second)], before, "the metadata files after the failure")
    catalog.commit_transaction([change(first, [TOUCH]), change(second, [TOUCH])])
    for id in (first, second):
        properties = properties_of(catalog.metadata(id))
        equal(
            [properties.get(name) for name in ("touched", "failed")], ["1", None], "the properties touched and failed"
        )
