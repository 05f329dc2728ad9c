"""Branches and tags set and removed carelessly."""

from __future__ import annotations

from reference_server.faults import fault
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    each_update,
    metadata_become,
    updates_become,
)
from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.reading import Json

SET, REMOVE = "set-snapshot-ref", "remove-snapshot-ref"
PLAIN = ("action", "ref-name", "type", "snapshot-id")


def _cut(table: Json) -> Json:
    """Let the snapshot log end where the current snapshot first stands in it."""
    ids = [entry["snapshot-id"] for entry in table["snapshot-log"]]
    current = table.get("current-snapshot-id")
    end = ids.index(current) + 1 if current in ids else len(ids)
    return {**table, "snapshot-log": table["snapshot-log"][:end]}


def _removes_main(update: Json) -> bool:
    return (update.get("action"), update.get("ref-name")) == (REMOVE, MAIN)


fault("retention-lost", "How long a branch or tag and its snapshots are to be kept is forgotten.", on=TABLE_COMMITS)(
    each_update(SET, lambda update: {key: update[key] for key in PLAIN if key in update})
)
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
