"""Rows and metadata that are not stored, or stored in part, although the commit succeeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutants.iceberg.blocks import each_update, updates_become
from reference_server.faults import Around, each_of, fault, request_becomes
from reference_server.iceberg.faults.blocks import TABLE_COMMITS
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
DETAILS = frozenset(
    {
        "doc",
        "initial-default",
        "write-default",
        "identifier-field-ids",
        "min-snapshots-to-keep",
        "max-snapshot-age-ms",
        "max-ref-age-ms",
        "encrypted-by-id",
        "default-catalog",
    }
)

SIZE = "file-size-in-bytes"


def _is_layout(value: Json) -> bool:
    """Return whether an object is a partition spec or a sort order."""
    fields = value.get("fields")
    return isinstance(fields, list) and all(isinstance(item, dict) and "transform" in item for item in fields)


def _in_part(value: Any) -> Any:
    """Return a value without details: optional fields, all but ASCII letters, sizes, and sort and partition fields."""
    if isinstance(value, list):
        return [_in_part(item) for item in value]
    if isinstance(value, str):
        return value.encode("ascii", "ignore").decode()
    if not isinstance(value, dict):
        return value
    kept = {key: _in_part(item) for key, item in value.items() if key not in DETAILS}
    if "schema-id" in kept and "snapshot-id" in kept:
        del kept["schema-id"]
    if _is_layout(kept):
        kept["fields"] = kept["fields"][:1]
    return {**kept, SIZE: 1} if SIZE in kept else kept


fault(
    "stored-in-part",
    "Commits and new views lose optional fields, odd characters and further sort fields.",
    on=[*TABLE_COMMITS, "createView"],
)(each_of(updates_become(lambda updates: [_in_part(update) for update in updates]), request_becomes(_in_part)))
