"""Metadata of tables and views as plain dicts: lookups, and rules that always hold.

A rule is a pure function from metadata to pairs of a JSON pointer and a message. It follows the table or the view
specification where no schema can express it; its docstring is the statement of its requirement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from conformance.values.json_values import canonical, shown
from conformance.values.outcomes import Violation

Metadata = dict[str, Any]
Rule = Callable[[Metadata], Iterator[tuple[str, str]]]
MAIN = "main"
NO_SNAPSHOT = -1  # the id that some writers use for "no current snapshot"
CLOCK_SKEW_MS = 60_000  # several machines write the logs
VERSION_FIELDS = {
    1: ("location", "last-updated-ms", "last-column-id"),
    2: ("last-sequence-number", "current-schema-id", "default-spec-id", "last-partition-id", "default-sort-order-id"),
    3: ("next-row-id",),
}
POINTERS = (
    *("format-version", "location", "last-column-id", "last-partition-id", "current-schema-id", "default-spec-id"),
    *("default-sort-order-id", "current-version-id"),
)
DEFINITIONS = {"schemas": "schema-id", "partition-specs": "spec-id", "sort-orders": "order-id"}
# Lists whose order no norm states; logs and the fields of schemas, specs and orders have one.
UNORDERED = {
    *(*DEFINITIONS, "snapshots", "statistics", "partition-statistics", "encryption-keys", "blob-metadata"),
    *("identifier-field-ids", "versions", "representations"),
}
LISTS = {**DEFINITIONS, "versions": "version-id", "version-log": "version-id"}

# Lookups


def current_schema(metadata: Metadata) -> Metadata:
    """Return the current schema."""
    return by_id(metadata["schemas"], "schema-id", metadata["current-schema-id"])


def column_names(metadata: Metadata) -> list[str]:
    """Return the column names of the current schema, in order."""
    return [field["name"] for field in current_schema(metadata)["fields"]]


def default_spec(metadata: Metadata) -> Metadata:
    """Return the default partition spec."""
    return by_id(metadata["partition-specs"], "spec-id", metadata["default-spec-id"])


def default_order(metadata: Metadata) -> Metadata:
    """Return the default sort order."""
    return by_id(metadata["sort-orders"], "order-id", metadata["default-sort-order-id"])


def current_snapshot(metadata: Metadata) -> int | None:
    """Return the id of the current snapshot, None when it is absent, null or -1."""
    snapshot = metadata.get("current-snapshot-id")
    return None if snapshot in (None, NO_SNAPSHOT) else snapshot


def snapshot_ids(metadata: Metadata) -> list[int]:
    """Return the ids of all snapshots, in no guaranteed order."""
    return [snapshot["snapshot-id"] for snapshot in metadata.get("snapshots") or []]


def logged_snapshots(metadata: Metadata) -> list[int]:
    """Return the snapshots of the snapshot log, oldest first."""
    return [entry["snapshot-id"] for entry in metadata.get("snapshot-log") or []]


def refs(metadata: Metadata) -> dict[str, int]:
    """Return the snapshot ids of branches and tags, by name."""
    return {name: ref["snapshot-id"] for name, ref in (metadata.get("refs") or {}).items()}


def properties_of(metadata: Metadata) -> dict[str, str]:
    """Return the properties of a table or view, {} where the server omits the field."""
    return metadata.get("properties") or {}


def previous_files(metadata: Metadata) -> list[str]:
    """Return the metadata files of the metadata log, oldest first."""
    return [entry["metadata-file"] for entry in metadata.get("metadata-log") or []]


def current_version(metadata: Metadata) -> Metadata:
    """Return the current version of a view."""
    return by_id(metadata["versions"], "version-id", metadata["current-version-id"])


def outline(metadata: Metadata) -> Metadata:
    """Return the current and default ids in metadata, and the sorted ids in their lists."""
    pointers = {name: value for name in POINTERS if (value := metadata.get(name)) is not None}
    lists = {name: sorted(entry[id] for entry in metadata.get(name) or []) for name, id in LISTS.items()}
    return pointers | lists


def by_id(entries: Iterable[Metadata], key: str, wanted: Any) -> Metadata:
    """Return the entry with this id. Raises Violation when there is none."""
    for entry in entries:
        if entry[key] == wanted:
            return entry
    raise Violation(f"no {key} is {shown(wanted)}")


def unlike(metadata: Metadata, *keys: str) -> Metadata:
    """Return metadata without the fields that every commit changes, and without these fields, for comparisons."""
    dropped = {"last-updated-ms", "metadata-log", *keys}
    return {key: value for key, value in metadata.items() if key not in dropped}


def renamed(metadata: Metadata) -> Metadata:
    """Return the metadata that a rename keeps, without properties: a server may record the rename in its own ones."""
    kept: Metadata = comparable(unlike(metadata, "properties"))
    return kept


def comparable(value: Any) -> Any:
    """Return a value of metadata with the lists that have no order in one order, for comparisons."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: _in_order(name, comparable(part)) for name, part in value.items()}


def _in_order(name: str, part: Any) -> Any:
    return sorted(part, key=canonical) if name in UNORDERED and isinstance(part, list) else part


# Rules for tables


def version_fields(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Table metadata contain the fields of their format version and of all earlier versions."""
    for version, names in VERSION_FIELDS.items():
        lacking = [name for name in names if metadata["format-version"] >= version and metadata.get(name) is None]
        yield from ((f"/{name}", f"format version {version} asks for {name}") for name in lacking)


def current_schema_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """current-schema-id in table metadata is the id of one of the schemas."""
    yield from _among(metadata, "current-schema-id", metadata.get("schemas") or [], "schema-id")


def default_spec_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """default-spec-id in table metadata is the id of one of the partition-specs."""
    yield from _among(metadata, "default-spec-id", metadata.get("partition-specs") or [], "spec-id")


def default_order_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """default-sort-order-id in table metadata is the id of one of the sort-orders."""
    yield from _among(metadata, "default-sort-order-id", metadata.get("sort-orders") or [], "order-id")


def current_snapshot_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """current-snapshot-id in table metadata is the id of one of the snapshots, and main points to it."""
    current = current_snapshot(metadata)
    if current is not None and current not in snapshot_ids(metadata):
        yield "/current-snapshot-id", f"current-snapshot-id is {current}, which is no snapshot"
    main = refs(metadata).get(MAIN)
    if metadata.get("refs") is not None and main != current:
        yield "/current-snapshot-id", f"the current snapshot is {shown(current)}, main points to {shown(main)}"


def refs_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Every branch and tag in table metadata points to one of the snapshots."""
    known = set(snapshot_ids(metadata))
    for name, id in refs(metadata).items():
        if id not in known:
            yield f"/refs/{name}", f"{name} points to {shown(id)}, which is no snapshot"


def ids_unique(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Ids of schemas, specs, orders and snapshots in table metadata are unique, and column ids within a schema."""
    for name, key in {**DEFINITIONS, "snapshots": "snapshot-id"}.items():
        yield from _unique(f"/{name}", [entry[key] for entry in metadata.get(name) or []])
    for position, schema in enumerate(metadata.get("schemas") or []):
        yield from _unique(f"/schemas/{position}", list(field_ids(schema)))


def last_ids_cover(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """last-column-id and last-partition-id in table metadata are not below any id in use."""
    columns = [id for schema in metadata.get("schemas") or [] for id in field_ids(schema)]
    fields = [field["field-id"] for spec in metadata.get("partition-specs") or [] for field in spec["fields"]]
    for key, used in (("last-column-id", columns), ("last-partition-id", fields)):
        if key in metadata and used and max(used) > metadata[key]:
            yield f"/{key}", f"{key} is {metadata[key]}, but {max(used)} is in use"


def sequence_numbers_below_last(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """No snapshot in table metadata has a sequence-number above last-sequence-number."""
    last = metadata.get("last-sequence-number") or 0
    for position, snapshot in enumerate(metadata.get("snapshots") or []):
        if (snapshot.get("sequence-number") or 0) > last:
            yield f"/snapshots/{position}/sequence-number", f"the number is above the last one, {last}"


def snapshot_log_in_order(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """snapshot-log in table metadata is in chronological order and ends with the current snapshot, if there is one."""
    log, current = metadata.get("snapshot-log") or [], current_snapshot(metadata)
    yield from _forward("/snapshot-log", log)
    if log and current is not None and log[-1]["snapshot-id"] != current:
        yield "/snapshot-log", f"the log ends with {shown(log[-1]['snapshot-id'])}, not with the current snapshot"


def statistics_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Statistics and partition-statistics in table metadata belong to existing snapshots."""
    known = set(snapshot_ids(metadata))
    for name in ("statistics", "partition-statistics"):
        for position, entry in enumerate(metadata.get(name) or []):
            if entry["snapshot-id"] not in known:
                yield (
                    f"/{name}/{position}/snapshot-id",
                    f"{name} is of {shown(entry['snapshot-id'])}, which is no snapshot",
                )


def identifiers_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """identifier-field-ids of every schema in table metadata are ids of its fields."""
    for position, schema in enumerate(metadata.get("schemas") or []):
        known = set(field_ids(schema))
        for id in schema.get("identifier-field-ids") or ():
            if id not in known:
                yield (
                    f"/schemas/{position}/identifier-field-ids",
                    f"identifier-field-ids contains {shown(id)}, which is no field of the schema",
                )


def metadata_log_in_order(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """metadata-log in table metadata is in chronological order and ends before last-updated-ms."""
    log = metadata.get("metadata-log") or []
    yield from _forward("/metadata-log", log)
    if log and log[-1]["timestamp-ms"] > metadata["last-updated-ms"] + CLOCK_SKEW_MS:
        yield "/last-updated-ms", "last-updated-ms is before the last entry of metadata-log"


def row_ids_below_next(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """From format version 3 on, next-row-id in table metadata is above the row ids of every snapshot."""
    if metadata["format-version"] < 3:
        return
    for position, snapshot in enumerate(metadata.get("snapshots") or []):
        end = (snapshot.get("first-row-id") or 0) + (snapshot.get("added-rows") or 0)
        if end > metadata["next-row-id"]:
            yield f"/snapshots/{position}/first-row-id", f"the rows reach {end}, next-row-id is below it"


TABLE_RULES: dict[str, Rule] = {
    "metadata-version-fields": version_fields,
    "metadata-current-schema": current_schema_there,
    "metadata-default-spec": default_spec_there,
    "metadata-default-order": default_order_there,
    "metadata-current-snapshot": current_snapshot_there,
    "metadata-refs": refs_there,
    "metadata-ids-unique": ids_unique,
    "metadata-last-ids": last_ids_cover,
    "metadata-sequence-numbers": sequence_numbers_below_last,
    "metadata-snapshot-log": snapshot_log_in_order,
    "metadata-statistics": statistics_there,
    "metadata-v3-row-ids": row_ids_below_next,
    "metadata-identifier-fields": identifiers_there,
    "metadata-log-order": metadata_log_in_order,
}

# Rules for views


def view_version_there(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """current-version-id in view metadata is the id of one of the versions, and their schemas exist."""
    yield from _among(metadata, "current-version-id", metadata["versions"], "version-id")
    known = {schema.get("schema-id") for schema in metadata["schemas"]}
    for position, version in enumerate(metadata["versions"]):
        if version["schema-id"] not in known:
            yield (
                f"/versions/{position}/schema-id",
                f"the schema-id of a version is {shown(version['schema-id'])}, which is no schema",
            )


def view_log_in_order(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """version-log in view metadata is in chronological order and ends with the current version."""
    log = metadata["version-log"]
    yield from _forward("/version-log", log)
    if not log or log[-1]["version-id"] != metadata["current-version-id"]:
        yield "/version-log", "the log does not end with the current version"


def view_ids_unique(metadata: Metadata) -> Iterator[tuple[str, str]]:
    """Ids of versions and of schemas in view metadata are unique."""
    yield from _unique("/versions", [version["version-id"] for version in metadata["versions"]])
    yield from _unique("/schemas", [schema.get("schema-id") for schema in metadata["schemas"]])


VIEW_RULES: dict[str, Rule] = {
    "view-metadata-current": view_version_there,
    "view-metadata-log": view_log_in_order,
    "view-metadata-ids": view_ids_unique,
}

# Parts of rules


def field_ids(type: Any) -> Iterator[int]:
    """Yield the ids of all fields of a type, including nested ones."""
    if not isinstance(type, dict):
        return
    for field in type.get("fields", ()):
        yield field["id"]
        yield from field_ids(field["type"])
    for part in ("element", "key", "value"):
        if part in type:
            yield type[f"{part}-id"]
            yield from field_ids(type[part])


def _among(metadata: Metadata, key: str, entries: Sequence[Metadata], id: str) -> Iterator[tuple[str, str]]:
    if entries and metadata.get(key) not in {entry.get(id) for entry in entries}:
        yield f"/{key}", f"{key} is {shown(metadata.get(key))}, which is not there"


def _unique(pointer: str, ids: Sequence[Any]) -> Iterator[tuple[str, str]]:
    doubled = sorted({id for id in ids if ids.count(id) > 1}, key=str)
    if doubled:
        yield pointer, f"more than one has the id {', '.join(map(shown, doubled))}"


def _forward(pointer: str, log: Sequence[Metadata]) -> Iterator[tuple[str, str]]:
    for before, after in pairwise(log):
        if after["timestamp-ms"] < before["timestamp-ms"] - CLOCK_SKEW_MS:
            yield pointer, "the log runs backwards in time"
            return
