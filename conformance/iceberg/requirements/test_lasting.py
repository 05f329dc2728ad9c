"""Effects of updates after further writes: what was set stays, what was removed does not return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, shows
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import COMMIT, allowed_commit
from conformance.iceberg.support.content import WIDER, layout, partition, sort_field, sql, view_version
from conformance.iceberg.support.metadata import (
    MAIN,
    Metadata,
    by_id,
    comparable,
    current_schema,
    current_snapshot,
    current_version,
    default_order,
    default_spec,
    properties_of,
    refs,
)
from conformance.iceberg.support.staging import FIRST, KEPT, SECOND, new_table_with_snapshots
from conformance.iceberg.support.update_actions import ACTIONS, prepare
from conformance.iceberg.support.updates import (
    LAST_ADDED,
    TOUCH,
    Updates,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    set_properties,
    set_ref,
    update,
)
from conformance.values.outcomes import Violation

CASES = {action.replace("-", "_"): action for action in ACTIONS}


@must(
    "iceberg.update.lasting.{}",
    operations=COMMIT,
    clause="commit-visible",
    each=CASES,
    statement="The effect of {} stays when the table is written again by a commit and by a transaction.".format,
)
def test_effect_stays(catalog: IcebergCatalog, case: str) -> None:
    """The effect of an update stays when the table is written again by a commit and by a transaction."""
    catalog.revision.require_updates([{"action": case}])
    action = ACTIONS[case]
    id, files = prepare(catalog, case)
    _check(case, action.done, allowed_commit(catalog, id, [action.update(files)])["metadata"])
    catalog.update_table(id, [TOUCH])
    if not catalog.client.lacks("commitTransaction"):
        with catalog.client.preparing():
            catalog.commit_transaction([change(id, [set_properties(again="1")])])
    _check(case, action.done, catalog.metadata(id))


def _check(action: str, done: Callable[[Metadata], bool], metadata: Metadata) -> None:
    if not done(metadata):
        raise Violation(f"the metadata do not show the effect of {action}")


# Views and namespaces


def _new_version(namespace: Names) -> Updates:
    added = view_version(namespace, sql("SELECT 2"), id=2)
    return [
        update("add-view-version", view_version=added),
        update("set-current-view-version", view_version_id=LAST_ADDED),
    ]


# Going back


@dataclass(frozen=True, slots=True)
class Return:
    """Change of a table and the way back; `back` takes the metadata before the change.

    `look` finds what the change replaces.
    """

    id: str
    there: Callable[[Metadata], Updates]
    back: Callable[[Metadata], Updates]
    look: Callable[[Metadata], Any]


BY_DAY, BY_NAME = layout(partition(3, "day_month", "month")), layout(partition(2, "name_bucket", "bucket[16]"))
ON_ID, ON_NAME = layout(sort_field(1)), layout(sort_field(2))


def _chosen(action: str, field: str, current: str) -> Callable[[Metadata], Updates]:
    return lambda before: [update(action, **{field: before[current]})]


def _without_id(id: str, look: Callable[[Metadata], Metadata]) -> Callable[[Metadata], Any]:
    """Return a function that finds a definition and leaves out its id: an equal definition may get a new one."""
    return lambda metadata: {key: value for key, value in look(metadata).items() if key != id}


def _added_again(metadata: Metadata) -> Updates:
    return add_and_use_schema({key: value for key, value in current_schema(metadata).items() if key != "schema-id"})


RETURNS = {
    "schema": Return(
        "the schema id",
        lambda _: add_and_use_schema(WIDER),
        _chosen("set-current-schema", "schema_id", "current-schema-id"),
        current_schema,
    ),
    "spec": Return(
        "the partition spec id",
        lambda _: add_and_use_spec(BY_NAME),
        _chosen("set-default-spec", "spec_id", "default-spec-id"),
        default_spec,
    ),
    "order": Return(
        "the sort order id",
        lambda _: add_and_use_order(ON_NAME),
        _chosen("set-default-sort-order", "sort_order_id", "default-sort-order-id"),
        default_order,
    ),
    "schema_again": Return(
        "an equal schema",
        lambda _: add_and_use_schema(WIDER),
        _added_again,
        _without_id("schema-id", current_schema),
    ),
    "spec_again": Return(
        "an equal partition spec",
        lambda _: add_and_use_spec(BY_NAME),
        lambda _: add_and_use_spec(BY_DAY),
        _without_id("spec-id", default_spec),
    ),
    "order_again": Return(
        "an equal sort order",
        lambda _: add_and_use_order(ON_NAME),
        lambda _: add_and_use_order(ON_ID),
        _without_id("order-id", default_order),
    ),
    "properties": Return(
        "the former properties",
        lambda _: [set_properties(a="2", c="3"), update("remove-properties", removals=["b"])],
        lambda _: [set_properties(a="1", b="1"), update("remove-properties", removals=["c"])],
        lambda metadata: {key: properties_of(metadata).get(key) for key in "abc"},
    ),
}


@must("iceberg.update.back.{}", operations=COMMIT, clause="update-back", each=RETURNS)
def test_going_back(catalog: IcebergCatalog, case: Return) -> None:
    """After a change and a return to {}, updateTable and loadTable show the former definition with its field ids."""
    id = catalog.new_table(properties={"a": "1", "b": "1"})
    with catalog.client.preparing():
        made = catalog.update_table(id, [*add_and_use_spec(BY_DAY), *add_and_use_order(ON_ID)])["metadata"]
    before = comparable(case.look(made))
    catalog.update_table(id, case.there(made))
    if comparable(case.look(catalog.metadata(id))) == before:
        raise Violation("the table shows the former definition after another one was chosen")
    answer = catalog.update_table(id, case.back(made))["metadata"]
    equal(comparable(case.look(answer)), before, "what the answer shows")
    equal(comparable(case.look(catalog.metadata(id))), before, "what loadTable shows")


@must("iceberg.ref.back", operations=COMMIT, clause="update-back", kind="data", needs=KEPT)
def test_rollback_and_forward(catalog: IcebergCatalog) -> None:
    """Setting main back and forth between snapshots shows each as it was, and keeps the other."""
    id, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    there = {entry["snapshot-id"]: entry for entry in catalog.metadata(id)["snapshots"]}
    for snapshot in (FIRST, SECOND, FIRST):
        catalog.update_table(id, [set_ref(MAIN, snapshot)])
        metadata = catalog.metadata(id)
        equal(current_snapshot(metadata), snapshot, "the current snapshot")
        equal(refs(metadata), {MAIN: snapshot}, "the refs")
        for other, entry in there.items():
            shows(by_id(metadata["snapshots"], "snapshot-id", other), entry, f"the snapshot {other}")


@must("iceberg.view.commit.back", operations=["replaceView"], clause="update-back")
def test_view_goes_back(catalog: IcebergCatalog) -> None:
    """After another version, set-current-view-version to the first one shows that version as it was."""
    id = catalog.new_view()
    first = current_version(catalog.view_metadata(id))
    with catalog.client.preparing():
        catalog.replace_view(id, _new_version(catalog.home))
    catalog.replace_view(id, [update("set-current-view-version", view_version_id=first["version-id"])])
    equal(comparable(current_version(catalog.view_metadata(id))), comparable(first), "the current version")
