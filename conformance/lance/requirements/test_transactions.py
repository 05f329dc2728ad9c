"""DescribeTransaction and AlterTransaction.

Every requirement starts from the transaction_id of a table change. Servers that return none do not offer them.
"""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, holds, lacks, text
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.versions import new_transaction
from specs.lance.identifiers import DELIMITER

DESCRIBE, ALTER = ["DescribeTransaction"], ["AlterTransaction"]


def status_of(answer: Answer) -> str:
    """Return the status of a response, in lower case without underscores."""
    return text(answer["status"], "the status of the transaction").replace("_", "").lower()


def properties_of(answer: Answer) -> dict[str, Any]:
    """Return the properties of a response."""
    properties = answer["properties"]
    holds(isinstance(properties, dict), "the properties are an object")
    return dict(properties)


def set_property(key: str, value: str, **mode: str) -> dict[str, Any]:
    """Return the action that sets a property."""
    return {"setPropertyAction": {"key": key, "value": value, **mode}}


def unset_property(key: str, **mode: str) -> dict[str, Any]:
    """Return the action that removes a property."""
    return {"unsetPropertyAction": {"key": key, **mode}}


def set_status(status: str) -> dict[str, Any]:
    """Return the action that sets the status."""
    return {"setStatusAction": {"status": status}}


@must("lance.transaction.describe.status", operations=DESCRIBE, clause="describe-transaction", twin=True)
def test_describe_transaction(catalog: LanceCatalog) -> None:
    """DescribeTransaction returns the status Succeeded for a completed change."""
    answer = catalog.describe_transaction(new_transaction(catalog))
    equal(status_of(answer), "succeeded", "the status of the transaction")


@should("lance.transaction.describe.properties", operations=DESCRIBE, clause="describe-transaction-properties")
def test_describe_properties(catalog: LanceCatalog) -> None:
    """DescribeTransaction returns the properties that AlterTransaction has set."""
    id = new_transaction(catalog)
    with catalog.client.preparing():
        catalog.alter_transaction(id, actions=[set_property("owner", "somebody")])
    equal(properties_of(catalog.describe_transaction(id)).get("owner"), "somebody", "the property owner")


@must(
    "lance.transaction.describe.missing", operations=DESCRIBE, clause="transaction-not-found", kind="error", reads=True
)
def test_describe_missing_transaction(catalog: LanceCatalog) -> None:
    """DescribeTransaction of a missing transaction returns 404 with code 10."""
    id = (*catalog.new_table(), "00000000-0000-0000-0000-000000000000")
    equal(catalog.describe_transaction(id, expect=404).code, 10, "the code of the error")


@should("lance.transaction.describe.other_table", operations=DESCRIBE, clause="transaction-not-found", kind="error")
def test_transaction_of_another_table(catalog: LanceCatalog) -> None:
    """DescribeTransaction of one table's transaction under another table returns 404 with code 10."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_property("k", "v")], expect=None)
    other = (*catalog.new_table("other"), id.rpartition(DELIMITER)[2])
    equal(catalog.describe_transaction(other, expect=404).code, 10, "the code of the error")


@must("lance.transaction.alter.property", operations=ALTER, clause="alter-transaction-properties", twin=True)
def test_set_and_unset_properties(catalog: LanceCatalog) -> None:
    """AlterTransaction sets and removes properties, and returns the same as DescribeTransaction."""
    id = new_transaction(catalog)
    properties = properties_of(catalog.alter_transaction(id, actions=[set_property("a", "1"), set_property("b", "2")]))
    equal(properties.get("a"), "1", "the property a in the answer")
    equal(properties.get("b"), "2", "the property b in the answer")
    catalog.alter_transaction(id, actions=[unset_property("a")])
    kept = properties_of(catalog.describe_transaction(id))
    equal(kept.get("b"), "2", "the property b")
    lacks(kept, ["a"], "the properties of the transaction")


@must("lance.transaction.alter.again", operations=ALTER, clause="alter-transaction-properties")
def test_set_property_again(catalog: LanceCatalog) -> None:
    """AlterTransaction sets a property again after it was removed."""
    id, actions = new_transaction(catalog), [set_property("a", "1")]
    catalog.alter_transaction(id, actions=actions)
    with catalog.client.preparing():
        catalog.alter_transaction(id, actions=[unset_property("a")])
    catalog.alter_transaction(id, actions=actions)
    equal(properties_of(catalog.describe_transaction(id)).get("a"), "1", "the property a")


@must("lance.transaction.alter.answer", operations=ALTER, clause="alter-transaction-properties")
def test_answer_is_the_transaction(catalog: LanceCatalog) -> None:
    """AlterTransaction returns the status and the property that DescribeTransaction then returns."""
    id = new_transaction(catalog)
    answer = catalog.alter_transaction(id, actions=[set_property("a", "1")])
    described = catalog.describe_transaction(id)
    equal(status_of(answer), status_of(described), "the status of the answer")
    equal(properties_of(answer).get("a"), properties_of(described).get("a"), "the property a in the answer")


@should("lance.transaction.alter.order", operations=ALTER, clause="alter-transaction-atomic")
def test_actions_are_done_in_order(catalog: LanceCatalog) -> None:
    """AlterTransaction applies its actions in order: the last action on a property wins."""
    id = new_transaction(catalog)
    actions = [set_property("a", "1"), unset_property("a"), set_property("a", "2")]
    catalog.alter_transaction(id, actions=actions)
    equal(properties_of(catalog.describe_transaction(id)).get("a"), "2", "the property a")


MODES: dict[str, tuple[dict[str, str], str]] = {
    "default": ({}, "new"),
    "overwrite": ({"mode": "Overwrite"}, "new"),
    "overwrite_lower": ({"mode": "overwrite"}, "new"),
    "skip": ({"mode": "Skip"}, "old"),
    "skip_upper": ({"mode": "SKIP"}, "old"),
}


@must("lance.transaction.alter.mode.{}", operations=ALTER, clause="alter-transaction-modes", each=MODES)
def test_modes_of_set(catalog: LanceCatalog, case: tuple[dict[str, str], str]) -> None:
    """AlterTransaction that sets an existing property overwrites or keeps it, according to the mode ({})."""
    mode, expected = case
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_property("k", "old")])
    altered = catalog.alter_transaction(id, actions=[set_property("k", "new", **mode)])
    equal(properties_of(altered).get("k"), expected, "the property k")


FAILING: dict[str, dict[str, Any]] = {
    "set_existing": set_property("k", "new", mode="Fail"),
    "unset_missing": unset_property("nowhere", mode="Fail"),
}


@must("lance.transaction.alter.fail.{}", operations=ALTER, clause="alter-transaction-modes", kind="error", each=FAILING)
def test_mode_fail(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """AlterTransaction in mode Fail returns 400 or 409 and alters nothing where its action cannot apply ({})."""
    id = new_transaction(catalog)
    catalog.control(lambda: catalog.alter_transaction(id, actions=[set_property("k", "old")]))
    catalog.alter_transaction(id, actions=[set_property("more", "x"), case], expect=(400, 409))
    kept = properties_of(catalog.describe_transaction(id))
    equal(kept.get("k"), "old", "the property k")
    lacks(kept, ["more"], "the properties of the transaction")


@must("lance.transaction.alter.skip_missing", operations=ALTER, clause="alter-transaction-modes")
def test_unset_missing_property(catalog: LanceCatalog) -> None:
    """AlterTransaction that removes a missing property succeeds without a mode."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[unset_property("nowhere")])


@should("lance.transaction.alter.finished", operations=ALTER, clause="alter-transaction-status", kind="error")
def test_finished_transaction_stays_finished(catalog: LanceCatalog) -> None:
    """AlterTransaction from Succeeded to Running returns 400 or 409 and keeps the status."""
    id = new_transaction(catalog)
    catalog.alter_transaction(id, actions=[set_status("Running")], expect=(400, 409))
    equal(status_of(catalog.describe_transaction(id)), "succeeded", "the status of the transaction")


@should("lance.transaction.alter.finished_code", operations=ALTER, clause="alter-transaction-code", kind="error")
def test_code_of_a_status_that_cannot_follow(catalog: LanceCatalog) -> None:
    """AlterTransaction from Succeeded to Running returns 409 with code 14."""
    id = new_transaction(catalog)
    equal(catalog.alter_transaction(id, actions=[set_status("Running")], expect=409).code, 14, "the code of the error")


@must("lance.transaction.alter.missing", operations=ALTER, clause="transaction-not-found", kind="error")
def test_alter_missing_transaction(catalog: LanceCatalog) -> None:
    """AlterTransaction of a missing transaction returns 404 with code 10."""
    id = (*catalog.new_table(), "00000000-0000-0000-0000-000000000000")
    equal(catalog.alter_transaction(id, actions=[set_property("k", "v")], expect=404).code, 10, "the code of the error")


WRONG: dict[str, list[Any]] = {
    "no_action": [],
    "unknown_status": [set_status("Perhaps")],
    "unknown_mode": [set_property("k", "v", mode="Perhaps")],
    "no_object": ["setStatusAction"],
}


@must("lance.transaction.alter.body.{}", operations=ALTER, clause="alter-transaction-actions", kind="error", each=WRONG)
def test_wrong_actions(catalog: LanceCatalog, case: list[Any]) -> None:
    """AlterTransaction with an invalid list of actions ({}) returns 400 with code 13 and alters nothing."""
    id = new_transaction(catalog)
    catalog.control(lambda: catalog.alter_transaction(id, actions=[set_property("k", "old")]))
    before = catalog.describe_transaction(id).json
    equal(catalog.alter_transaction(id, actions=case, expect=400).code, 13, "the code of the error")
    equal(catalog.describe_transaction(id).json, before, "the description of the transaction")


NOT_ONE: dict[str, Any] = {"empty": {}, "two": {**set_property("k", "v"), **unset_property("x")}}


@should("lance.transaction.alter.one.{}", operations=ALTER, clause="alter-transaction-one", kind="error", each=NOT_ONE)
def test_action_is_one_of_three(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """AlterTransaction with an action that is not exactly one change ({}) returns 400 with code 13 and no change."""
    id = new_transaction(catalog)
    before = catalog.describe_transaction(id).json
    equal(catalog.alter_transaction(id, actions=[case], expect=400).code, 13, "the code of the error")
    equal(catalog.describe_transaction(id).json, before, "the description of the transaction")


IN_BODY: dict[str, tuple[str, dict[str, Any]]] = {
    "describe": ("DescribeTransaction", {}),
    "alter": ("AlterTransaction", {"actions": [set_property("k", "v")]}),
}


@should("lance.transaction.{}.body_id", operations=lambda case: [case[0]], clause="transaction-id-body", each=IN_BODY)
def test_id_in_the_body(catalog: LanceCatalog, case: tuple[str, dict[str, Any]]) -> None:
    """A transaction request ({}) accepts the transaction_id as the only item of the body's id."""
    operation, body = case
    id = new_transaction(catalog)
    catalog.send(operation, id, body)
    catalog.send(operation, id, {**body, "id": [id]})
