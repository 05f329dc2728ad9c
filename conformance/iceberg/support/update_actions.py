"""Every action of an update, with a value that a server takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.iceberg.support.content import WIDER, field, order, partition, schema, sort_field, spec
from conformance.iceberg.support.metadata import Metadata, properties_of, refs, snapshot_ids
from conformance.iceberg.support.staging import Stage
from conformance.iceberg.support.statistics import partition_statistics, statistics
from conformance.iceberg.support.updates import OTHER_UUID, add_schema, set_properties, set_ref, update

OLD, NEW = 1001, 1002
WIDEST = schema(*WIDER["fields"], field(9, "more"))
KEY = {"key-id": "k1", "encrypted-key-metadata": "c2VjcmV0"}


@dataclass(frozen=True, slots=True)
class Action:
    """An update of one action, and what is true of the metadata when it was carried out."""

    update: Callable[[Stage], dict[str, Any]]
    done: Callable[[Metadata], bool]


def _fixed(action: str, done: Callable[[Metadata], bool], **fields: Any) -> Action:
    return Action(lambda _: update(action, **fields), done)


ACTIONS: dict[str, Action] = {
    "assign-uuid": _fixed("assign-uuid", lambda table: table["table-uuid"] == OTHER_UUID, uuid=OTHER_UUID),
    "upgrade-format-version": _fixed(
        "upgrade-format-version", lambda table: table["format-version"] == 3, format_version=3
    ),
    "add-schema": Action(lambda _: add_schema(WIDEST), lambda table: len(table["schemas"]) == 3),
    "set-current-schema": _fixed("set-current-schema", lambda table: table["current-schema-id"] == 0, schema_id=0),
    "add-spec": _fixed(
        "add-spec",
        lambda table: len(table["partition-specs"]) == 3,
        spec=spec(partition(2, "name", "bucket[4]"), id=9),
    ),
    "set-default-spec": _fixed("set-default-spec", lambda table: table["default-spec-id"] == 0, spec_id=0),
    "add-sort-order": _fixed(
        "add-sort-order", lambda table: len(table["sort-orders"]) == 3, sort_order=order(sort_field(1))
    ),
    "set-default-sort-order": _fixed(
        "set-default-sort-order", lambda table: table["default-sort-order-id"] == 0, sort_order_id=0
    ),
    "add-snapshot": Action(
        lambda files: update("add-snapshot", snapshot=files.snapshot(2000, 3)),
        lambda table: 2000 in snapshot_ids(table),
    ),
    "set-snapshot-ref": Action(lambda _: set_ref("audit", OLD), lambda table: refs(table).get("audit") == OLD),
    "remove-snapshots": _fixed("remove-snapshots", lambda table: OLD not in snapshot_ids(table), snapshot_ids=[OLD]),
    "remove-snapshot-ref": _fixed("remove-snapshot-ref", lambda table: "v1" not in refs(table), ref_name="v1"),
    "set-location": Action(
        lambda files: update("set-location", location=f"{files.metadata['location']}/moved"),
        lambda table: str(table["location"]).endswith("/moved"),
    ),
    "set-properties": Action(lambda _: set_properties(a="2"), lambda table: properties_of(table).get("a") == "2"),
    "remove-properties": _fixed("remove-properties", lambda table: "a" not in properties_of(table), removals=["a"]),
    "set-statistics": _fixed(
        "set-statistics",
        lambda table: NEW in {one["snapshot-id"] for one in table.get("statistics") or ()},
        snapshot_id=NEW,
        statistics=statistics(NEW),
    ),
    "remove-statistics": _fixed("remove-statistics", lambda table: not table.get("statistics"), snapshot_id=OLD),
    "set-partition-statistics": _fixed(
        "set-partition-statistics",
        lambda table: NEW in {one["snapshot-id"] for one in table.get("partition-statistics") or ()},
        partition_statistics=partition_statistics(NEW),
    ),
    "remove-partition-statistics": _fixed(
        "remove-partition-statistics", lambda table: not table.get("partition-statistics"), snapshot_id=OLD
    ),
    "remove-partition-specs": _fixed(
        "remove-partition-specs", lambda table: len(table["partition-specs"]) == 1, spec_ids=[0]
    ),
    "remove-schemas": _fixed("remove-schemas", lambda table: len(table["schemas"]) == 1, schema_ids=[0]),
    "add-encryption-key": _fixed(
        "add-encryption-key",
        lambda table: "k1" in {one["key-id"] for one in table.get("encryption-keys") or ()},
        encryption_key=KEY,
    ),
    "remove-encryption-key": _fixed(
        "remove-encryption-key", lambda table: not table.get("encryption-keys"), key_id="k0"
    ),
}
