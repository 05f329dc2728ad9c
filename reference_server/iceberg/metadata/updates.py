"""The updates of a table: what the action of an update says, and the rule that applies it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reference_server.iceberg.metadata.drafts import Draft
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


def _assign_uuid(draft: Draft, update: Json) -> None:
    uuid = text(update, "uuid")
    if uuid != draft.fields.get("table-uuid"):
        draft.put("table-uuid", uuid)


def _set_location(draft: Draft, update: Json) -> None:
    location = text(update, "location")
    if location != draft.fields.get("location"):
        draft.put("location", location)


def _set_ref(draft: Draft, update: Json) -> None:
    ref = {key: value for key, value in update.items() if key not in ("action", "ref-name")}
    set_ref(draft, text(update, "ref-name"), read_ref(ref))


def changed_properties(update: Json) -> dict[str, str]:
    """Return what a set-properties update sets; early clients called it `updated`."""
    return text_map(update, "updated" if "updates" not in update and "updated" in update else "updates")


def removed_properties(update: Json) -> list[str]:
    """Return what a remove-properties update removes; early clients called it `removed`."""
    return texts(update, "removed" if "removals" not in update and "removed" in update else "removals")


TABLE_UPDATES: dict[str, Rule] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": lambda draft, update: upgrade(draft, integer(update, "format-version")),
    "add-schema": lambda draft, update: add_schema(draft, read_schema(obj(update, "schema"))),
    "set-current-schema": lambda draft, update: set_current_schema(draft, integer(update, "schema-id")),
    "remove-schemas": lambda draft, update: remove_schemas(draft, integers(update, "schema-ids")),
    "add-spec": lambda draft, update: add_spec(draft, read_spec(obj(update, "spec"))),
    "set-default-spec": lambda draft, update: set_default_spec(draft, integer(update, "spec-id")),
    "remove-partition-specs": lambda draft, update: remove_specs(draft, integers(update, "spec-ids")),
    "add-sort-order": lambda draft, update: add_order(draft, read_order(obj(update, "sort-order"))),
    "set-default-sort-order": lambda draft, update: set_default_order(draft, integer(update, "sort-order-id")),
    "add-snapshot": lambda draft, update: add_snapshot(draft, read_snapshot(obj(update, "snapshot"))),
    "remove-snapshots": lambda draft, update: remove_snapshots(draft, longs(update, "snapshot-ids")),
    "set-snapshot-ref": _set_ref,
    "remove-snapshot-ref": lambda draft, update: remove_ref(draft, text(update, "ref-name")),
    "set-location": _set_location,
    "set-properties": lambda draft, update: set_properties(draft, changed_properties(update)),
    "remove-properties": lambda draft, update: remove_properties(draft, removed_properties(update)),
    "set-statistics": lambda draft, update: set_statistics(
        draft, STATISTICS, read_statistics(obj(update, "statistics"))
    ),
    "remove-statistics": lambda draft, update: remove_statistics(draft, STATISTICS, long(update, "snapshot-id")),
    "set-partition-statistics": lambda draft, update: set_statistics(
        draft, PARTITION_STATISTICS, read_partition_statistics(obj(update, "partition-statistics"))
    ),
    "remove-partition-statistics": lambda draft, update: remove_statistics(
        draft, PARTITION_STATISTICS, long(update, "snapshot-id")
    ),
    "add-encryption-key": lambda draft, update: add_key(draft, read_key(obj(update, "encryption-key"))),
    "remove-encryption-key": lambda draft, update: remove_key(draft, text(update, "key-id")),
}


def apply_updates(draft: Any, updates: Sequence[Any], rules: dict[str, Rule] = TABLE_UPDATES) -> None:
    """Apply updates to a draft, one after the other.

    Raises InvalidUpdate, which names the update by its number and action, and StaleUpdate.
    """
    for number, update in enumerate(updates, 1):
        action = update.get("action") if isinstance(update, dict) else None
        rule = rules.get(action) if isinstance(action, str) else None
        if rule is None:
            raise InvalidUpdate(f"Update {number}: there is no action {action!r:.100} here.")
        try:
            rule(draft, update)
        except InvalidMetadata as error:
            raise InvalidUpdate(f"Update {number}, {action}: {error.message}") from None
