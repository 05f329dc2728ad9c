"""Snapshots added, removed, counted and shown carelessly."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    again,
    answer_follows,
    commit_follows,
    each_update,
    metadata_become,
    refuses_when,
    updates_become,
    updates_of,
)
from reference_server.iceberg.metadata.reading import Json

COMMIT = ["updateTable"]

ADD = "add-snapshot"

EXACT = 1 << 53  # doubles hold every whole number up to here


def _added(call: Call) -> list[Json]:
    return [update["snapshot"] for update in updates_of(call) if update.get("action") == ADD]


def _as_doubles(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _as_doubles(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_as_doubles(child) for child in node]
    return int(float(node)) if isinstance(node, int) and abs(node) > EXACT else node


def _replacing(updates: list[Json]) -> list[Json]:
    ids = [update["snapshot"]["snapshot-id"] for update in updates if update.get("action") == ADD]
    return [{"action": "remove-snapshots", "snapshot-ids": ids}, *updates]


def _numbered(commit: Json, table: Json) -> Json:
    """Give the next numbers to the snapshots that a commit adds."""
    numbers = {"sequence-number": table.get("last-sequence-number", 0) + 1}
    if "next-row-id" in table:
        numbers |= {"first-row-id": table["next-row-id"], "added-rows": 0}
    updates = [
        {**update, "snapshot": {**update["snapshot"], **numbers}} if update.get("action") == ADD else update
        for update in commit["updates"]
    ]
    return {**commit, "updates": updates}


def _gaps(after: Json, before: Json) -> Json:
    kept = {snapshot["snapshot-id"] for snapshot in after["snapshots"]}
    known = {(entry["snapshot-id"], entry["timestamp-ms"]) for entry in before["snapshot-log"]}
    new = [entry for entry in after["snapshot-log"] if (entry["snapshot-id"], entry["timestamp-ms"]) not in known]
    return {
        **after,
        "snapshot-log": [*(entry for entry in before["snapshot-log"] if entry["snapshot-id"] in kept), *new],
    }


@fault("unseen-history-lost", on=["loadTable", "updateTable"])
async def _history_lost(call: Call, proceed: Proceed) -> Reply:
    """Who has loaded a table with the snapshots of branches and tags alone loses the others with the next commit."""
    # Take what was shown last of a table for all of it: other snapshots go with the next commit.
    partly: set[tuple[str, str]] = call.state.setdefault("unseen-history-lost", set())
    table = call.path["namespace"], call.path["table"]
    if call.operation.id == "loadTable":
        seen = call.request.query.get("snapshots") == ["refs"]
        (partly.add if seen else partly.discard)(table)
        return await proceed()
    if table in partly:
        partly.discard(table)
        return await commit_follows(_without_unnamed)(call, proceed)
    return await proceed()


def _without_unnamed(commit: Json, table: Json) -> Json:
    named = {ref["snapshot-id"] for ref in table["refs"].values()}
    ids = [snapshot["snapshot-id"] for snapshot in table["snapshots"] if snapshot["snapshot-id"] not in named]
    return {**commit, "updates": [{"action": "remove-snapshots", "snapshot-ids": ids}, *commit["updates"]]}


fault("snapshot-schema-lost", "Of a snapshot it is forgotten which schema it was written with.", on=TABLE_COMMITS)(
    each_update(
        ADD,
        lambda update: {
            **update,
            "snapshot": {key: update["snapshot"][key] for key in update["snapshot"] if key != "schema-id"},
        },
    )
)
fault("ids-as-doubles", "Ids of snapshots lose their last digits.", on=TABLES_SHOWN)(metadata_become(_as_doubles))
fault("snapshots-replaced", "A snapshot takes the place of another one that has its id.", on=COMMIT)(
    again(updates_become(_replacing), 400, 409)
)
fault("snapshots-renumbered", "A snapshot whose numbers others have taken gets the next ones.", on=COMMIT)(
    again(commit_follows(_numbered), 400, 409)
)
fault("one-snapshot-a-commit", "A commit may add one snapshot only.", on=COMMIT)(
    refuses_when(lambda call: len(_added(call)) > 1, InvalidInput("A commit adds one snapshot at most."))
)
fault(
    "snapshot-log-with-gaps",
    "Of the snapshot log only the entries of removed snapshots go, and not those before them.",
    on=COMMIT,
)(answer_follows(_gaps))
