"""DescribeTransaction and AlterTransaction.

A transaction can only be looked at where an operation tells its id: all of these requirements start
from a change that does, and are not offered by servers that never do.
"""

from __future__ import annotations

from typing import Any

from conformance.lance.arrow import stream
from conformance.lance.catalog import LanceCatalog, Names
from conformance.outcomes import Unoffered
from conformance.requirement import must, should
from conformance.strategies import tables
from specs.identifiers import join_parts, split_parts

DESCRIBE, ALTER = ["DescribeTransaction"], ["AlterTransaction"]
STATUSES = ("queued", "running", "succeeded", "failed", "canceled")


def new_transaction(catalog: LanceCatalog) -> str:
    """Change a table and return the id of the transaction that did it. Raises Unoffered where none is told."""
    id = catalog.new_table()
    for answer in (
        catalog.restore_table(id, version=catalog.version(id), expect=None),
        catalog.insert_into_table(id, stream(tables(1)), expect=None),
    ):
        found = answer.get("transaction_id") if answer.status == 200 else None
        if found:
            return _known(catalog, id, str(found))
    raise Unoffered("no change of a table tells the id of its transaction")


def _known(catalog: LanceCatalog, table: Names, told: str) -> str:
    """Return an id of a transaction in the form that its server takes: as it was told, or after the table's."""
    if catalog.describe_transaction(told, expect=None).status == 200:
        return told
    return join_parts((*table, told))


def status_of(answer: Any) -> str:
    """Return the status in an answer, without regard to case and underscores."""
    return str(answer["status"]).replace("_", "").lower()


def set_property(key: str, value: str, **mode: str) -> dict[str, Any]:
    """Return the action that sets a property."""
    return {"setPropertyAction": {"key": key, "value": value, **mode}}


def unset_property(key: str, **mode: str) -> dict[str, Any]:
    """Return the action that removes a property."""
    return {"unsetPropertyAction": {"key": key, **mode}}


def set_status(status: str) -> dict[str, Any]:
    """Return the action that gives a status."""
    return {"setStatusAction": {"status": status}}


@must("lance.transaction.describe.status", operations=DESCRIBE, clause="describe-transaction")
def test_describe_transaction(catalog: LanceCatalog) -> None:
    """A transaction that was answered as done has succeeded."""
    answer = catalog.describe_transaction(new_transaction(catalog))
    assert status_of(answer) in STATUSES
    assert status_of(answer) == "succeeded"


@must("lance.transaction.describe.missing", operations=DESCRIBE, clause="transaction-not-found", kind="error")
def test_describe_missing_transaction(catalog: LanceCatalog) -> None:
    """A transaction that does not exist is refused with 404 and code 10."""
    id = (*catalog.new_table(), "00000000-0000-0000-0000-000000000000")
    assert catalog.describe_transaction(id, expect=404).code == 10


@should("lance.transaction.describe.other_table", operations=DESCRIBE, clause="transaction-not-found", kind="error")
def test_transaction_of_another_table(catalog: LanceCatalog) -> None:
    """A transaction of one table is none of another: 404 and code 10, also after it was altered."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_property("k", "v")], expect=None)
    other = (*catalog.new_table("other"), split_parts(id)[-1])
    assert catalog.describe_transaction(other, expect=404).code == 10


@must("lance.transaction.alter.property", operations=ALTER, clause="alter-transaction-properties")
def test_set_and_unset_properties(catalog: LanceCatalog) -> None:
    """Properties are set and removed; the answer and DescribeTransaction tell the same."""
    id = new_transaction(catalog)
    altered = catalog.alter_transaction(id, actions=[set_property("a", "1"), set_property("b", "2")])
    assert {"a": "1", "b": "2"}.items() <= altered["properties"].items()
    catalog.alter_transaction(id, actions=[unset_property("a")])
    kept = catalog.describe_transaction(id)["properties"]
    assert kept.get("b") == "2"
    assert "a" not in kept


@must("lance.transaction.alter.order", operations=ALTER, clause="alter-transaction-atomic")
def test_actions_are_done_in_order(catalog: LanceCatalog) -> None:
    """The actions of a request are done in order: the last word counts."""
    id = new_transaction(catalog)
    actions = [set_property("a", "1"), unset_property("a"), set_property("a", "2")]
    catalog.alter_transaction(id, actions=actions)
    assert catalog.describe_transaction(id)["properties"].get("a") == "2"


MODES: dict[str, tuple[dict[str, str], str]] = {
    "default": ({}, "new"),
    "overwrite": ({"mode": "Overwrite"}, "new"),
    "overwrite_lower": ({"mode": "overwrite"}, "new"),
    "skip": ({"mode": "Skip"}, "old"),
    "skip_upper": ({"mode": "SKIP"}, "old"),
}


@must("lance.transaction.alter.mode.{}", operations=ALTER, clause="alter-transaction-modes", each=MODES)
def test_modes_of_set(catalog: LanceCatalog, case: tuple[dict[str, str], str]) -> None:
    """Setting a property that is there overwrites it, or leaves it as it is, as the mode says ({})."""
    mode, expected = case
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_property("k", "old")])
    altered = catalog.alter_transaction(id, actions=[set_property("k", "new", **mode)])
    assert altered["properties"]["k"] == expected


FAILING: dict[str, dict[str, Any]] = {
    "set_existing": set_property("k", "new", mode="Fail"),
    "unset_missing": unset_property("nowhere", mode="Fail"),
}


@must("lance.transaction.alter.fail.{}", operations=ALTER, clause="alter-transaction-modes", kind="error", each=FAILING)
def test_mode_fail(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """In mode Fail an action that finds a property otherwise than it wants it ({}) is refused; nothing is altered."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_property("k", "old")])
    catalog.alter_transaction(id, actions=[set_property("more", "x"), case], expect=(400, 409))
    kept = catalog.describe_transaction(id)["properties"]
    assert kept.get("k") == "old"
    assert "more" not in kept


@should("lance.transaction.alter.skip_missing", operations=ALTER, clause="alter-transaction-modes")
def test_unset_missing_property(catalog: LanceCatalog) -> None:
    """Removing a property that is not there does nothing, unless the mode says otherwise."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[unset_property("nowhere")])


@should("lance.transaction.alter.finished", operations=ALTER, clause="alter-transaction-status", kind="error")
def test_finished_transaction_stays_finished(catalog: LanceCatalog) -> None:
    """A transaction that has succeeded cannot go back to Running: 400 or 409, and it stays as it was."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_status("Running")], expect=(400, 409))
    assert status_of(catalog.describe_transaction(id)) == "succeeded"


@should("lance.transaction.alter.finished_code", operations=ALTER, clause="alter-transaction-code", kind="error")
def test_code_of_a_status_that_cannot_follow(catalog: LanceCatalog) -> None:
    """A status that cannot follow the present one is refused with 409 and code 14."""
    id = new_transaction(catalog)
    assert catalog.alter_transaction(id, actions=[set_status("Running")], expect=409).code == 14


@must("lance.transaction.alter.missing", operations=ALTER, clause="transaction-not-found", kind="error")
def test_alter_missing_transaction(catalog: LanceCatalog) -> None:
    """Altering a transaction that does not exist is refused with 404 and code 10."""
    id = (*catalog.new_table(), "00000000-0000-0000-0000-000000000000")
    assert catalog.alter_transaction(id, actions=[set_property("k", "v")], expect=404).code == 10


WRONG: dict[str, list[Any]] = {
    "no_action": [],
    "unknown_status": [set_status("Perhaps")],
    "unknown_mode": [set_property("k", "v", mode="Perhaps")],
    "no_object": ["setStatusAction"],
}


@must("lance.transaction.alter.body.{}", operations=ALTER, clause="alter-transaction-actions", kind="error", each=WRONG)
def test_wrong_actions(catalog: LanceCatalog, case: list[Any]) -> None:
    """What is no list of actions ({}) is refused with 400 and code 13, and nothing is altered."""
    id = new_transaction(catalog)
    before = catalog.describe_transaction(id).json
    assert catalog.alter_transaction(id, actions=case, expect=400).code == 13
    assert catalog.describe_transaction(id).json == before


NOT_ONE: dict[str, Any] = {"empty": {}, "two": {**set_property("k", "v"), **unset_property("x")}}


@should("lance.transaction.alter.one.{}", operations=ALTER, clause="alter-transaction-one", kind="error", each=NOT_ONE)
def test_action_is_one_of_three(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """An action that is not exactly one change ({}) is refused with 400 and code 13, and nothing is altered."""
    id = new_transaction(catalog)
    before = catalog.describe_transaction(id).json
    assert catalog.alter_transaction(id, actions=[case], expect=400).code == 13
    assert catalog.describe_transaction(id).json == before
