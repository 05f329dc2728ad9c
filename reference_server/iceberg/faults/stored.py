"""What is stored, stored only in part."""

from __future__ import annotations

from typing import Any

from reference_server.faults import each_of, fault, request_becomes
from reference_server.iceberg.faults.blocks import TABLE_COMMITS, updates_become
from reference_server.iceberg.metadata.reading import Json

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


def _is_layout(value: Json) -> bool:
    """Return whether an object is a partition spec or a sort order."""
    fields = value.get("fields")
    return isinstance(fields, list) and all(isinstance(item, dict) and "transform" in item for item in fields)


fault(
    "stored-in-part",
    "Commits and new views lose optional fields, odd characters and further sort fields.",
    on=[*TABLE_COMMITS, "createView"],
)(each_of(updates_become(lambda updates: [_in_part(update) for update in updates]), request_becomes(_in_part)))
