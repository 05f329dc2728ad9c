"""Rows that clients have written, and that are not kept: the commit is answered as done."""

from __future__ import annotations

from collections.abc import Callable

from reference_server.faults import Around, fault
from reference_server.iceberg.faults.blocks import TABLE_COMMITS, each_update, updates_become
from reference_server.iceberg.metadata.reading import Json

ADD, SET = "add-snapshot", "set-snapshot-ref"

OPERATION, APPEND = "operation", "append"


def _forgotten(wanted: Callable[[str], bool]) -> Around:
    """Leave the snapshot out of commits that add one with such an operation, and the branches that it is set to."""

    def edit(updates: list[Json]) -> list[Json]:
        added = [update["snapshot"]["summary"][OPERATION] for update in updates if update.get("action") == ADD]
        return (
            [update for update in updates if update.get("action") not in (ADD, SET)]
            if any(map(wanted, added))
            else updates
        )

    return updates_become(edit)


def _summary_cut(update: Json) -> Json:
    snapshot = update["snapshot"]
    return {**update, "snapshot": {**snapshot, "summary": {OPERATION: snapshot["summary"][OPERATION]}}}


fault(
    "appends-forgotten",
    "A commit that appends is answered with success, but the snapshot is not kept.",
    on=TABLE_COMMITS,
)(_forgotten(lambda operation: operation == APPEND))
fault(
    "overwrites-forgotten",
    "A commit that takes files away is answered with success, but the snapshot is not kept.",
    on=TABLE_COMMITS,
)(_forgotten(lambda operation: operation != APPEND))
fault(
    "snapshot-summary-cut", "Of the summary of a snapshot the operation is kept, and nothing else.", on=TABLE_COMMITS
)(each_update(ADD, _summary_cut))
