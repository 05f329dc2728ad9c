"""The first and the last step of a draft: a table with nothing in it, and metadata that can be stored."""

from __future__ import annotations

from reference_server.iceberg.metadata.drafts import Draft
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.logs import check_times, next_metadata_log, tidy_snapshot_log
from reference_server.iceberg.metadata.partition_specs import check_spec
from reference_server.iceberg.metadata.reading import Json, text
from reference_server.iceberg.metadata.sort_orders import check_order

CURRENT = {
    "schemas": ("schema-id", "current-schema-id"),
    "partition-specs": ("spec-id", "default-spec-id"),
    "sort-orders": ("order-id", "default-sort-order-id"),
}
"""The lists of a definition, the key by which each counts, and the field that says which one holds."""
FOR_OLD_READERS = ("schema", "partition-spec")
"""What format version 1 writes once more, where its first readers look."""


def empty_table(version: int, uuid: str) -> Json:
    """Return a table of which nothing is known but its version and UUID."""
    fields: Json = {"format-version": version, "table-uuid": uuid, "last-column-id": 0, "last-partition-id": 0}
    fields.update({current: 0 for _, current in CURRENT.values()})
    fields.update({key: [] for key in (*CURRENT, "snapshots", "snapshot-log", "metadata-log")})
    fields.update({"properties": {}, "refs": {}, "statistics": [], "partition-statistics": []})
    return complete_version(fields)


def complete_version(fields: Json) -> Json:
    """Return fields with what their format version has and an earlier one had not, and without what it lost."""
    version = fields["format-version"]
    if version == 1:
        fields.pop("last-sequence-number", None)
    else:
        fields.setdefault("last-sequence-number", 0)
        for key in FOR_OLD_READERS:
            fields.pop(key, None)
    if version < 3:
        fields.pop("next-row-id", None)
    else:
        fields.setdefault("next-row-id", 0)
    return fields


def current_of(metadata: Json, key: str) -> Json:
    """Return the current schema, the default partition spec or the default sort order."""
    id_key, current = CURRENT[key]
    return next(one for one in metadata[key] if one[id_key] == metadata[current])


def finish(draft: Draft, previous_file: str | None) -> Json:
    """Return the metadata of a draft with its logs and its time, or its base when nothing changed.

    Raises InvalidMetadata when the whole does not hold together.
    """
    base = draft.base
    if base is not None and not draft.changed:
        return base
    _check_definition(draft)
    draft.put("location", strip_location(text(draft.fields, "location")))
    if base is not None and previous_file is not None:
        log = next_metadata_log(base, previous_file, draft.get("properties"))
        check_times(log, "metadata-log", draft.now, len(log) - 1)
        draft.put("metadata-log", log)
    _finish_snapshot_log(draft)
    draft.put("last-updated-ms", draft.now)
    complete_version(draft.fields)
    return mirror(draft.fields) if draft.version == 1 else draft.fields


def strip_location(location: str) -> str:
    """Return a location without slashes at its end. Raises InvalidMetadata for an empty one."""
    if not location:
        raise InvalidMetadata("A table needs a location.")
    while location.endswith("/") and not location.endswith("://"):
        location = location[:-1]
    return location


def mirror(fields: Json) -> Json:
    """Write the current schema and spec once more for the first readers of format version 1."""
    fields["schema"] = current_of(fields, "schemas")
    fields["partition-spec"] = current_of(fields, "partition-specs")["fields"]
    return fields


def _check_definition(draft: Draft) -> None:
    """Check that spec and order can be computed from the schema, if any of the three has changed."""
    if draft.touched(*CURRENT, *(current for _, current in CURRENT.values())):
        columns = draft.columns()
        check_spec(draft.find("partition-specs", "spec-id", draft.get("default-spec-id")), columns)
        check_order(draft.find("sort-orders", "order-id", draft.get("default-sort-order-id")), columns)


def _finish_snapshot_log(draft: Draft) -> None:
    before: list[Json] = [] if draft.base is None else draft.base["snapshot-log"]
    grown: list[Json] = draft.get("snapshot-log")
    tidy_snapshot_log(draft)
    log: list[Json] = draft.get("snapshot-log")
    check_times(log, "snapshot-log", draft.now, len(before) if log is grown else 0)
