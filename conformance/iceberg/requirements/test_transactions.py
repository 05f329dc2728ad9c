"""commitTransaction: several tables, all or none."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, unequal
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import FAILED, IMPOSSIBLE, UNKNOWN, VIEW_UUID, state, type_is, unchanged
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.metadata import properties_of
from conformance.iceberg.support.staging import FIRST, SECOND, new_table_with_snapshots
from conformance.iceberg.support.updates import (
    CREATE,
    OTHER_UUID,
    TOUCH,
    creation,
    requirement,
    set_properties,
    set_ref,
    update,
)
from conformance.target.hostile import UNUSED

COMMIT = ["commitTransaction"]
NOT_THE_UUID = requirement("assert-table-uuid", uuid=OTHER_UUID)


def _tables(catalog: IcebergCatalog, *names: str) -> list[Names]:
    return [catalog.new_table(name) for name in names or ("a", "b", "c")]


def _states(catalog: IcebergCatalog, ids: list[Names]) -> list[tuple[Any, Any]]:
    return [state(catalog, id) for id in ids]


def _unchanged(catalog: IcebergCatalog, ids: list[Names], before: list[tuple[Any, Any]]) -> None:
    """Check that tables have the states that `_states` returned before, and accept a valid transaction."""
    for id, former in zip(ids, before, strict=True):
        unchanged(catalog, id, former)
    catalog.control(lambda: catalog.commit_transaction([change(id, [set_properties(twin="2")]) for id in ids]))


def _touched(catalog: IcebergCatalog, id: Names) -> str | None:
    value = properties_of(catalog.metadata(id)).get("touched")
    return None if value is None else str(value)


MANY = [f"t{number}" for number in range(8)]


@must("iceberg.transaction.many", operations=COMMIT, clause="transaction", kind="data")
def test_many_tables(catalog: IcebergCatalog) -> None:
    """commitTransaction with eight tables changes all of them."""
    ids = _tables(catalog, *MANY)
    catalog.commit_transaction([change(id, [TOUCH]) for id in ids])
    touched = [properties_of(catalog.metadata(id)).get("touched") for id in ids]
    equal(touched, ["1"] * len(ids), "the property that the transaction set, table by table")


@must("iceberg.transaction.files", operations=COMMIT, clause="transaction")
def test_metadata_files_are_new(catalog: IcebergCatalog) -> None:
    """commitTransaction changes metadata-location of each of its tables and of no other table."""
    a, b, other = _tables(catalog)
    before = [state(catalog, id)[0] for id in (a, b, other)]
    catalog.commit_transaction([change(a, [TOUCH]), change(b, [TOUCH])])
    after = [state(catalog, id)[0] for id in (a, b, other)]
    for old, new in zip(before[:2], after[:2], strict=True):
        unequal(new, old, "the metadata-location of a table in the transaction")
    equal(after[2], before[2], "the metadata-location of the table beside the transaction")


@must("iceberg.transaction.assert_ref", operations=COMMIT, clause="assert-ref-snapshot-id", kind="data")
def test_branch_has_moved(catalog: IcebergCatalog) -> None:
    """If a branch no longer points to its asserted snapshot, commitTransaction returns 409 and changes no table."""
    first, _ = new_table_with_snapshots(catalog, FIRST, SECOND)
    other = catalog.new_table("other")
    with catalog.client.preparing():
        catalog.update_table(first, [set_ref("audit", SECOND)])
    before = _states(catalog, [first, other])
    stale = requirement("assert-ref-snapshot-id", ref="audit", snapshot_id=FIRST)
    changes = [change(other, [TOUCH]), change(first, [set_ref("audit", FIRST)], [stale])]
    type_is(catalog.commit_transaction(changes, expect=409), FAILED)
    _unchanged(catalog, [first, other], before)


INVALID = {
    "unknown_schema": (update("set-current-schema", schema_id=99), IMPOSSIBLE),
    "unknown_update": (update("paint-it-black"), (400,)),
}


@must("iceberg.transaction.invalid.{}", operations=COMMIT, clause="transaction-refused", kind="error", each=INVALID)
def test_one_update_is_invalid(catalog: IcebergCatalog, case: tuple[dict[str, Any], tuple[int, ...]]) -> None:
    """If the last table's update is invalid ({}), commitTransaction returns 400 or 409 and changes no table."""
    ids = _tables(catalog)
    before = _states(catalog, ids)
    bad, statuses = case
    changes = [*(change(id, [TOUCH]) for id in ids[:-1]), change(ids[-1], [bad])]
    catalog.commit_transaction(changes, expect=statuses)
    _unchanged(catalog, ids, before)


@must("iceberg.transaction.unknown_requirement", operations=COMMIT, clause="commit-unknown-requirement", kind="error")
def test_unknown_requirement(catalog: IcebergCatalog) -> None:
    """commitTransaction with a requirement that tables do not support returns 400 and changes no table."""
    ids = _tables(catalog, "a", "b")
    before = _states(catalog, ids)
    for unknown in (UNKNOWN, VIEW_UUID):
        changes = [change(ids[0], [TOUCH]), change(ids[1], [TOUCH], [unknown])]
        catalog.commit_transaction(changes, expect=400)
    _unchanged(catalog, ids, before)


@must("iceberg.transaction.identifier", operations=COMMIT, clause="transaction-identifier", kind="error")
def test_change_without_a_name(catalog: IcebergCatalog) -> None:
    """commitTransaction with a change without identifier returns 400 and changes no table."""
    id = catalog.new_table("a")
    before = _states(catalog, [id])
    nameless = {"requirements": [], "updates": [TOUCH]}
    catalog.commit_transaction([change(id, [TOUCH]), nameless], expect=400)
    _unchanged(catalog, [id], before)


BAD_BODIES: dict[str, Any] = {
    "no_changes": {},
    "changes_object": {"table-changes": {}},
    "change_text": {"table-changes": ["a"]},
    "updates_text": {
        "table-changes": [{"identifier": {"namespace": [UNUSED], "name": "b"}, "requirements": [], "updates": "x"}]
    },
}


@must("iceberg.transaction.bad_body.{}", operations=COMMIT, clause="bad-body", kind="error", each=BAD_BODIES)
def test_bad_body(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """commitTransaction with a body that violates its schema ({}) returns 400."""
    catalog.send("commitTransaction", body=case or b"{}", expect=400)
    id = catalog.new_table()
    catalog.control(lambda: catalog.commit_transaction([change(id, [TOUCH])]))


@should("iceberg.transaction.create", operations=COMMIT, clause="transaction-create")
def test_transaction_creates_a_table(catalog: IcebergCatalog) -> None:
    """commitTransaction creates a table with assert-create and changes another; if it fails, it creates none."""
    id = catalog.new_table("a")
    new = catalog.table_id("new")
    staged = catalog.create_table(new, schema=SCHEMA, stage_create=True)["metadata"]
    created = change(new, creation(staged), [CREATE])
    catalog.commit_transaction([created, change(id, [TOUCH], [NOT_THE_UUID])], expect=409)
    catalog.load_table(new, expect=404)
    catalog.commit_transaction([created, change(id, [TOUCH])])
    equal(catalog.metadata(new)["table-uuid"], staged["table-uuid"], "the table-uuid of the created table")
    equal(_touched(catalog, id), "1", 'the property "touched" of the changed table')


@must("iceberg.transaction.create_taken", operations=COMMIT, clause="assert-create", kind="error")
def test_create_assertion_fails(catalog: IcebergCatalog) -> None:
    """commitTransaction with assert-create on an existing table returns 409 and changes no table."""
    ids = _tables(catalog, "a", "b")
    new = catalog.table_id("new")
    with catalog.client.preparing():
        staged = catalog.create_table(new, schema=SCHEMA, stage_create=True)["metadata"]
    catalog.control(lambda: catalog.commit_transaction([change(new, creation(staged), [CREATE])]))
    before = _states(catalog, ids)
    catalog.commit_transaction([change(ids[0], [TOUCH]), change(ids[1], [TOUCH], [CREATE])], expect=409)
    _unchanged(catalog, ids, before)


@should("iceberg.transaction.doubled", operations=COMMIT, clause="transaction-doubled")
def test_table_stands_twice(catalog: IcebergCatalog) -> None:
    """commitTransaction with two changes to one table applies both, or returns 400, 409 or 422 and changes nothing."""
    id = catalog.new_table("a")
    before = _states(catalog, [id])
    both = [change(id, [set_properties(x="1")]), change(id, [set_properties(y="1")])]
    if catalog.commit_transaction(both, expect=(204, 400, 409, 422)).succeeded:
        properties = properties_of(catalog.metadata(id))
        for name in ("x", "y"):
            equal(properties.get(name), "1", f'the property "{name}"')
    else:
        _unchanged(catalog, [id], before)


@should("iceberg.transaction.empty", operations=COMMIT, clause="transaction-empty", kind="error")
def test_transaction_without_changes(catalog: IcebergCatalog) -> None:
    """commitTransaction without changes returns 204 or 400."""
    catalog.commit_transaction([], expect=(204, 400))


@must("iceberg.transaction.namespaces", operations=COMMIT, clause="transaction")
def test_tables_of_several_namespaces(catalog: IcebergCatalog) -> None:
    """commitTransaction accepts tables of the same name in several namespaces."""
    id = catalog.new_table("t")
    other = (*catalog.new_namespace(), "t")
    catalog.create_table(other, schema=SCHEMA)
    catalog.commit_transaction([change(id, [set_properties(x="1")]), change(other, [set_properties(x="2")])])
    for table, value in ((id, "1"), (other, "2")):
        equal(properties_of(catalog.metadata(table)).get("x"), value, f'the property "x" in the namespace {table[0]}')
