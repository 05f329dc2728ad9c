"""First and last step of a builder: an empty table, and metadata that can be stored."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.logs import check_times, next_metadata_log, tidy_snapshot_log
from reference_server.iceberg.metadata.partition_specs import check_spec
from reference_server.iceberg.metadata.reading import Json, is_int, text
from reference_server.iceberg.metadata.snapshots import check_lineage
from reference_server.iceberg.metadata.sort_orders import check_order

CURRENT = {
    "schemas": ("schema-id", "current-schema-id"),
    "partition-specs": ("spec-id", "default-spec-id"),
    "sort-orders": ("order-id", "default-sort-order-id"),
}
"""The lists of a definition, the key of their ids, and the field with the id of the current one."""
NUMBERS = {"last-column-id": 32, "last-partition-id": 32, "last-sequence-number": 64, "next-row-id": 64}
"""The numbers that grow with a table, and their bits."""
FOR_OLD_READERS = ("schema", "partition-spec")
"""Fields that format version 1 repeats for its first readers."""


def empty_table(version: int, uuid: str) -> Json:
    """Return an empty table with a format version and a UUID."""
    fields: Json = {"format-version": version, "table-uuid": uuid, "last-column-id": 0, "last-partition-id": 0}
    fields.update({current: 0 for _, current in CURRENT.values()})
    fields.update({key: [] for key in (*CURRENT, "snapshots", "snapshot-log", "metadata-log")})
    fields.update({"properties": {}, "refs": {}, "statistics": [], "partition-statistics": []})
    return complete_version(fields)


def complete_version(fields: Json) -> Json:
    """Add the fields that a format version requires, and drop those that it no longer has."""
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
    return next(entry for entry in metadata[key] if entry[id_key] == metadata[current])


def finalize(builder: Builder, previous_file: str | None) -> Json:
    """Return the metadata of a builder with its logs and its time, or its base when nothing changed.

    Raises InvalidMetadata for parts that contradict each other.
    """
    base = builder.base
    if base is not None and not builder.changed:
        return base
    _check_definition(builder)
    _check_numbers(builder)
    check_lineage(builder.added_snapshots.values(), builder.snapshots())
    builder.put("location", strip_location(text(builder.fields, "location")))
    if base is not None and previous_file is not None:
        log = next_metadata_log(base, previous_file, builder.get("properties"))
        check_times(log, "metadata-log", builder.now, len(log) - 1)
        builder.put("metadata-log", log)
    _finalize_snapshot_log(builder)
    builder.put("last-updated-ms", builder.now)
    complete_version(builder.fields)
    return mirror(builder.fields) if builder.version == 1 else builder.fields


def strip_location(location: str) -> str:
    """Return a location without trailing slashes. Raises InvalidMetadata for an empty one."""
    if not location:
        raise InvalidMetadata("A table needs a location.")
    while location.endswith("/") and not location.endswith("://"):
        location = location[:-1]
    return location


def mirror(fields: Json) -> Json:
    """Repeat the current schema and spec for the first readers of format version 1."""
    fields["schema"] = current_of(fields, "schemas")
    fields["partition-spec"] = current_of(fields, "partition-specs")["fields"]
    return fields


def _check_definition(builder: Builder) -> None:
    """Check that spec and order fit the schema, if any of the three has changed."""
    if builder.touched(*CURRENT, *(current for _, current in CURRENT.values())):
        columns = builder.columns()
        check_spec(builder.find("partition-specs", "spec-id", builder.get("default-spec-id")), columns)
        check_order(builder.find("sort-orders", "order-id", builder.get("default-sort-order-id")), columns)


def _check_numbers(builder: Builder) -> None:
    """Raise InvalidMetadata for a number that has grown beyond the bits of its field."""
    for key, bits in NUMBERS.items():
        if not is_int(builder.fields.get(key, 0), bits):
            raise InvalidMetadata(f"{key} would be {builder.fields[key]}, which has more than {bits} bits.")


def _finalize_snapshot_log(builder: Builder) -> None:
    before: list[Json] = [] if builder.base is None else builder.base["snapshot-log"]
    grown: list[Json] = builder.get("snapshot-log")
    tidy_snapshot_log(builder)
    log: list[Json] = builder.get("snapshot-log")
    check_times(log, "snapshot-log", builder.now, len(before) if log is grown else 0)
