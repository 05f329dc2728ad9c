"""DescribeTransaction and AlterTransaction.

A transaction is named by the identifier of its table and the id that Lance gave it. Lance knows it as long as the table
keeps its file; alterations are stored beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.errors import InvalidInput, NotFound
from reference_server.lance.catalog.branch_names import location_of
from reference_server.lance.catalog.branches import branches_of
from reference_server.lance.catalog.entries import Table
from reference_server.lance.context import LanceContext
from reference_server.lance.errors import ConcurrentModification, TransactionNotFound
from reference_server.machine import machine_fault
from reference_server.storage import Readable, pack
from reference_server.storage.transactions import Transaction, transact
from specs.identifiers import IdentifierError
from specs.lance.identifiers import join_parts

Answer = dict[str, Any]
State = dict[str, Any]
TRANSACTION = "transaction"
STATUSES = {name.lower(): name for name in ("Queued", "Running", "Succeeded", "Failed", "Canceled")}
NEXT = {
    "Queued": {"Running", "Failed", "Canceled"},
    "Running": {"Succeeded", "Failed", "Canceled"},
    "Succeeded": set[str](),
    "Failed": set[str](),
    "Canceled": set[str](),
}


async def describe_transaction(context: LanceContext) -> Answer:
    """Return the state of a transaction."""
    _, state = await _state(context, context.state)
    return state


async def alter_transaction(context: LanceContext) -> Answer:
    """Apply actions to a transaction, all or none."""

    async def alter(transaction: Transaction[bytes]) -> State:
        key, state = await _state(context, transaction)
        for action in context.body["actions"]:
            apply_action(state, action)
        transaction.put(key, orjson.dumps(state))
        return state

    return await transact(context.state, alter, _contended)


def _contended() -> ConcurrentModification:
    return ConcurrentModification("Others kept altering the same transaction; try again.")


def transaction_of(context: LanceContext, dataset: Any) -> Answer:
    """Return the transaction that made the version of a dataset as `transaction_id`, as a URL names it.

    The version exists in any case: if the machine cannot read its transaction, the answer omits it.
    """
    try:
        transaction = dataset.read_transaction(dataset.version)
    except (OSError, RuntimeError, ValueError) as error:
        if machine_fault(error) is None:
            raise
        return {}
    try:
        return {"transaction_id": join_parts([*context.id, transaction.uuid], context.delimiter)} if transaction else {}
    except IdentifierError:
        return {}


def apply_action(state: State, action: dict[str, Any]) -> None:
    """Apply one action to a state in place.

    Raises InvalidInput for an unknown action, ConcurrentModification for one that the state does not allow.
    """
    chosen = [name for name in ACTIONS if action.get(name) is not None]
    if len(chosen) != 1:
        raise InvalidInput(f"An action is exactly one of {', '.join(ACTIONS)}.")
    ACTIONS[chosen[0]](state, action[chosen[0]])


def _set_status(state: State, action: dict[str, Any]) -> None:
    wanted = STATUSES.get(str(action.get("status", "")).replace("_", "").lower())
    if wanted is None:
        raise InvalidInput(f"The status must be one of {', '.join(STATUSES.values())}.")
    if wanted != state["status"] and wanted not in NEXT[state["status"]]:
        raise ConcurrentModification(f"A transaction that is {state['status']} cannot become {wanted}.")
    state["status"] = wanted


def _set_property(state: State, action: dict[str, Any]) -> None:
    key, value = action.get("key"), action.get("value")
    if key is None or value is None:
        raise InvalidInput("Setting a property needs a key and a value.")
    mode = _mode(action, "overwrite", "fail", "skip")
    if key in state["properties"] and mode == "fail":
        raise ConcurrentModification(f"The transaction has a property {key!r} already.")
    if key not in state["properties"] or mode == "overwrite":
        state["properties"][key] = value


def _unset_property(state: State, action: dict[str, Any]) -> None:
    key = action.get("key")
    if key is None:
        raise InvalidInput("Unsetting a property needs a key.")
    if key not in state["properties"] and _mode(action, "skip", "fail") == "fail":
        raise ConcurrentModification(f"The transaction has no property {key!r}.")
    state["properties"].pop(key, None)


ACTIONS: dict[str, Callable[[State, dict[str, Any]], None]] = {
    "setStatusAction": _set_status,
    "setPropertyAction": _set_property,
    "unsetPropertyAction": _unset_property,
}


def _mode(action: dict[str, Any], default: str, *others: str) -> str:
    text = str(action.get("mode") or default).replace("_", "").lower()
    if text not in (default, *others):
        raise InvalidInput(f"The mode must be one of {', '.join((default, *others))}, not {text!r}.")
    return text


async def _state(context: LanceContext, states: Readable[bytes]) -> tuple[bytes, State]:
    """Return the storage key of a transaction's state, and the state. Raises TransactionNotFound."""
    *path, uuid = context.id or ("",)
    try:
        table = context.catalog.table(tuple(path)) if path else None
    except NotFound:
        table = None
    properties = await _properties(context, table, uuid) if table else None
    if properties is None:
        raise TransactionNotFound(f"There is no transaction {uuid!r} of the table {path}.")
    key = pack(TRANSACTION, uuid)
    kept = states.get(key)
    return key, orjson.loads(kept) if kept is not None else {"status": "Succeeded", "properties": properties}


async def _properties(context: LanceContext, table: Table, uuid: str) -> dict[str, str] | None:
    """Return the properties of a transaction of a table or of one of its branches, None for an unknown id."""
    found = await context.run(context.data.transaction, table.location, uuid)
    if found is not None or not table.created:
        return found
    for branch in await branches_of(context, table):
        found = await context.run(context.data.transaction, location_of(table.location, branch), uuid)
        if found is not None:
            return found
    return None
