"""Wrong snapshots, branches and tags."""

from __future__ import annotations

from typing import Any

from mutants.iceberg.blocks import (
    TABLES_SHOWN,
    each_update,
    metadata_become,
    request_follows,
    updates_become,
    updates_of,
    when,
)
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, body_becomes, fault
from reference_server.iceberg.faults.blocks import TABLE_COMMITS, again, error_becomes, refuses_when
from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.reading import Json

SET, REMOVE = "set-snapshot-ref", "remove-snapshot-ref"


def _cut(table: Json) -> Json:
    """Let the snapshot log end where the current snapshot first stands in it."""
    ids = [entry["snapshot-id"] for entry in table["snapshot-log"]]
    current = table.get("current-snapshot-id")
    end = ids.index(current) + 1 if current in ids else len(ids)
    return {**table, "snapshot-log": table["snapshot-log"][:end]}


def _removes_main(update: Json) -> bool:
    return (update.get("action"), update.get("ref-name")) == (REMOVE, MAIN)


fault("branches-are-main", "Whichever branch a commit sets, main is set.", on=TABLE_COMMITS)(
    each_update(SET, lambda update: {**update, "ref-name": MAIN} if update.get("type") == "branch" else update)
)
fault("tags-are-branches", "Every tag is a branch.", on=TABLE_COMMITS)(
    each_update(SET, lambda update: {**update, "type": "branch"})
)
fault("rollback-cuts-log", "Going back to an older snapshot takes the younger ones out of the log.", on=TABLES_SHOWN)(
    metadata_become(_cut)
)
fault("main-stays", "The removal of main is answered with success, but main stays.", on=TABLE_COMMITS)(
    updates_become(lambda updates: [update for update in updates if not _removes_main(update)])
)
fault(
    "refs-of-new-snapshots-alone",
    "A branch or tag is set by the commit that adds its snapshot; by another commit it is set in words alone.",
    on=TABLE_COMMITS,
)(
    updates_become(
        lambda updates: (
            updates
            if any(update.get("action") == "add-snapshot" for update in updates)
            else [update for update in updates if update.get("action") != SET]
        )
    )
)

COMMIT = ["updateTable"]
ADD = "add-snapshot"
EXACT = 1 << 53  # doubles hold every whole number up to here
BITS = 1 << 31
TIMES = ("timestamp-ms", "last-updated-ms")


def _added(call: Call) -> list[Json]:
    return [update["snapshot"] for update in updates_of(call) if update.get("action") == ADD]


def _as_doubles(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _as_doubles(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_as_doubles(child) for child in node]
    return int(float(node)) if isinstance(node, int) and abs(node) > EXACT else node


def _in_32_bits(node: Any) -> Any:
    """Cut the numbers in metadata, except for times, to 32 bits with a sign."""
    if isinstance(node, dict):
        return {key: value if key in TIMES else _in_32_bits(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_in_32_bits(child) for child in node]
    return (node + BITS) % (2 * BITS) - BITS if isinstance(node, int) and abs(node) >= BITS else node


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


def _without_unnamed(commit: Json, table: Json) -> Json:
    named = {ref["snapshot-id"] for ref in table["refs"].values()}
    ids = [snapshot["snapshot-id"] for snapshot in table["snapshots"] if snapshot["snapshot-id"] not in named]
    return {**commit, "updates": [{"action": "remove-snapshots", "snapshot-ids": ids}, *commit["updates"]]}


@fault("unseen-history-lost", on=["loadTable", "updateTable"])
async def _history_lost(call: Call, proceed: Proceed) -> Reply:
    """A commit after a load with snapshots=refs drops all snapshots without a branch or tag."""
    # Take what was shown last of a table for all of it: other snapshots go with the next commit.
    partly: set[tuple[str, str]] = call.state.setdefault("unseen-history-lost", set())
    table = call.path["namespace"], call.path["table"]
    if call.operation.id == "loadTable":
        seen = call.request.query.get("snapshots") == ["refs"]
        (partly.add if seen else partly.discard)(table)
        return await proceed()
    if table in partly:
        partly.discard(table)
        return await request_follows(_without_unnamed)(call, proceed)
    return await proceed()


fault("ids-as-doubles", "Ids of snapshots lose their last digits.", on=TABLES_SHOWN)(metadata_become(_as_doubles))
fault("numbers-in-32-bits", "Numbers of tables lose all but their lower 32 bits.", on=TABLES_SHOWN)(
    metadata_become(_in_32_bits)
)
fault(
    "sizes-as-doubles",
    "Large numbers in scan plans lose their last digits.",
    on=["planTableScan", "fetchPlanningResult", "fetchScanTasks"],
)(body_becomes(_as_doubles, 200))
fault("snapshots-renumbered", "A snapshot whose numbers others have taken gets the next ones.", on=COMMIT)(
    again(request_follows(_numbered), 400, 409)
)
fault("stale-snapshots-are-bad-requests", "A conflict of a commit that adds a snapshot is 400.", on=COMMIT)(
    when(lambda call: bool(_added(call)), error_becomes(409, InvalidInput("The snapshot does not fit the table.")))
)
fault("one-snapshot-a-commit", "A commit may add one snapshot only.", on=COMMIT)(
    refuses_when(lambda call: len(_added(call)) > 1, InvalidInput("A commit adds one snapshot at most."))
)
