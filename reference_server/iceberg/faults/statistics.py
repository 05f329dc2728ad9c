"""Statistics kept carelessly."""

from __future__ import annotations

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import (
    answer_follows,
    commit_follows,
    metadata_become,
    refuses_when,
    updates_of,
)
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.statistics import PARTITION_STATISTICS, STATISTICS

COMMIT = ["updateTable"]

SETS = {"set-statistics": STATISTICS, "set-partition-statistics": PARTITION_STATISTICS}


def _set(call: Call, key: str) -> list[Json]:
    """Return the statistics that a commit sets."""
    return [update[key] for update in updates_of(call) if SETS.get(str(update.get("action"))) == key]


@fault("statistics-pile-up", on=["loadTable", "updateTable"])
async def _piled_up(call: Call, proceed: Proceed) -> Reply:
    """New statistics of a snapshot stand beside the old ones."""
    # Show all statistics that were ever set for a table.
    piles: dict[tuple[str, str], dict[str, list[Json]]] = call.state.setdefault("statistics-pile-up", {})
    pile = piles.setdefault((call.path["namespace"], call.path["table"]), {})
    if call.operation.id == "updateTable":
        pile.update({key: pile.get(key, []) + _set(call, key) for key in SETS.values()})
    return await metadata_become(lambda table: {**table, **pile})(call, proceed)


def _first_ones(commit: Json, table: Json) -> Json:
    def known(update: Json) -> bool:
        key = SETS.get(update["action"])
        return key is not None and update[key]["snapshot-id"] in {file["snapshot-id"] for file in table[key]}

    return {**commit, "updates": [update for update in commit["updates"] if not known(update)]}


def _unnamed(call: Call) -> bool:
    return any(update.get("action") == "set-statistics" and "snapshot-id" not in update for update in updates_of(call))


def _kept(after: Json, before: Json) -> Json:
    known = {snapshot["snapshot-id"] for snapshot in after["snapshots"]}
    lost = [file for file in before[STATISTICS] if file["snapshot-id"] not in known]
    return {**after, STATISTICS: lost + after[STATISTICS]}


fault("statistics-once", "The statistics of a snapshot stay as they were first set.", on=COMMIT)(
    commit_follows(_first_ones)
)
fault("statistics-named-twice", "Statistics have to name their snapshot twice, in them and beside them.", on=COMMIT)(
    refuses_when(_unnamed, InvalidInput("Missing field: snapshot-id"))
)
fault("statistics-outlive-snapshots", "The statistics of a snapshot stay when it is removed.", on=COMMIT)(
    answer_follows(_kept)
)
