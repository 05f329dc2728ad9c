"""Updates of a table: the rule that applies each action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.encryption_keys import add_key, read_key, remove_key
from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.format_versions import upgrade
from reference_server.iceberg.metadata.partition_specs import add_spec, read_spec, remove_specs, set_default_spec
from reference_server.iceberg.metadata.properties import remove_properties, set_properties
from reference_server.iceberg.metadata.reading import Json, integer, integers, long, longs, obj, text, text_map, texts
from reference_server.iceberg.metadata.refs import read_ref, remove_ref, set_ref
from reference_server.iceberg.metadata.schemas import add_schema, read_schema, remove_schemas, set_current_schema
from reference_server.iceberg.metadata.snapshots import add_snapshot, read_snapshot, remove_snapshots
from reference_server.iceberg.metadata.sort_orders import add_order, read_order, set_default_order
from reference_server.iceberg.metadata.statistics import (
    PARTITION_STATISTICS,
    STATISTICS,
    read_partition_statistics,
    read_statistics,
    remove_statistics,
    set_statistics,
)

Rule = Callable[[Any, Json], object]


def _assign_uuid(builder: Builder, update: Json) -> None:
    uuid = text(update, "uuid")
    if uuid != builder.fields.get("table-uuid"):
        builder.put("table-uuid", uuid)


def _set_location(builder: Builder, update: Json) -> None:
    location = text(update, "location")
    if location != builder.fields.get("location"):
        builder.put("location", location)


def _set_ref(builder: Builder, update: Json) -> None:
    ref = {key: value for key, value in update.items() if key not in ("action", "ref-name")}
    set_ref(builder, text(update, "ref-name"), read_ref(ref))


def changed_properties(update: Json) -> dict[str, str]:
    """Return the properties of a set-properties update; early clients send them as `updated`."""
    return text_map(update, "updated" if "updates" not in update and "updated" in update else "updates")


def removed_properties(update: Json) -> list[str]:
    """Return the names in a remove-properties update; early clients send them as `removed`."""
    return texts(update, "removed" if "removals" not in update and "removed" in update else "removals")


TABLE_UPDATES: dict[str, Rule] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": lambda builder, update: upgrade(builder, integer(update, "format-version")),
    "add-schema": lambda builder, update: add_schema(builder, read_schema(obj(update, "schema"))),
    "set-current-schema": lambda builder, update: set_current_schema(builder, integer(update, "schema-id")),
    "remove-schemas": lambda builder, update: remove_schemas(builder, integers(update, "schema-ids")),
    "add-spec": lambda builder, update: add_spec(builder, read_spec(obj(update, "spec"))),
    "set-default-spec": lambda builder, update: set_default_spec(builder, integer(update, "spec-id")),
    "remove-partition-specs": lambda builder, update: remove_specs(builder, integers(update, "spec-ids")),
    "add-sort-order": lambda builder, update: add_order(builder, read_order(obj(update, "sort-order"))),
    "set-default-sort-order": lambda builder, update: set_default_order(builder, integer(update, "sort-order-id")),
    "add-snapshot": lambda builder, update: add_snapshot(builder, read_snapshot(obj(update, "snapshot"))),
    "remove-snapshots": lambda builder, update: remove_snapshots(builder, longs(update, "snapshot-ids")),
    "set-snapshot-ref": _set_ref,
    "remove-snapshot-ref": lambda builder, update: remove_ref(builder, text(update, "ref-name")),
    "set-location": _set_location,
    "set-properties": lambda builder, update: set_properties(builder, changed_properties(update)),
    "remove-properties": lambda builder, update: remove_properties(builder, removed_properties(update)),
    "set-statistics": lambda builder, update: set_statistics(
        builder, STATISTICS, read_statistics(obj(update, "statistics"))
    ),
    "remove-statistics": lambda builder, update: remove_statistics(builder, STATISTICS, long(update, "snapshot-id")),
    "set-partition-statistics": lambda builder, update: set_statistics(
        builder, PARTITION_STATISTICS, read_partition_statistics(obj(update, "partition-statistics"))
    ),
    "remove-partition-statistics": lambda builder, update: remove_statistics(
        builder, PARTITION_STATISTICS, long(update, "snapshot-id")
    ),
    "add-encryption-key": lambda builder, update: add_key(builder, read_key(obj(update, "encryption-key"))),
    "remove-encryption-key": lambda builder, update: remove_key(builder, text(update, "key-id")),
}


def apply_updates(builder: Any, updates: Sequence[Any], rules: dict[str, Rule] = TABLE_UPDATES) -> None:
    """Apply updates to a builder, one after the other.

    Raises InvalidUpdate, with the number and the action of the update, and StaleUpdate.
    """
    for number, update in enumerate(updates, 1):
        action = update.get("action") if isinstance(update, dict) else None
        rule = rules.get(action) if isinstance(action, str) else None
        if rule is None:
            raise InvalidUpdate(f"Update {number}: there is no action {action!r:.100} here.")
        try:
            rule(builder, update)
        except InvalidMetadata as error:
            raise InvalidUpdate(f"Update {number}, {action}: {error.message}") from None
