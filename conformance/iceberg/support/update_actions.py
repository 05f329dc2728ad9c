"""Valid updates of every action, and their effects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import (
    SCHEMA,
    WIDER,
    field,
    layout,
    partition,
    partition_statistics,
    schema,
    sort_field,
    statistics,
)
from conformance.iceberg.support.metadata import Metadata, column_names, default_spec, properties_of, refs, snapshot_ids
from conformance.iceberg.support.staging import Stage, stage
from conformance.iceberg.support.updates import (
    OTHER_UUID,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    add_schema,
    append,
    set_properties,
    set_ref,
    update,
)

OLD, NEW = 1001, 1002
WIDEST = schema(*WIDER["fields"], field(9, "more"))
KEY = {"key-id": "k1", "encrypted-key-metadata": "c2VjcmV0"}


@dataclass(frozen=True, slots=True)
class UpdateAction:
    """Update of one action, and a condition on the metadata after it.

    `needs` are the updates that prepare the table, beside its two snapshots.
    """

    update: Callable[[Stage], dict[str, Any]]
    done: Callable[[Metadata], bool]
    needs: Callable[[Stage], list[dict[str, Any]]] = lambda _: []


def _fixed(
    action: str, done: Callable[[Metadata], bool], needs: Sequence[dict[str, Any]] = (), **fields: Any
) -> UpdateAction:
    return UpdateAction(lambda _: update(action, **fields), done, lambda _: [*needs])


SECOND_SCHEMA, SECOND_SPEC = add_and_use_schema(WIDER), add_and_use_spec(layout(partition(3, "day")))
SECOND_ORDER = add_and_use_order(layout(sort_field(2)))


def _statistics(files: Stage, snapshot: int) -> dict[str, Any]:
    return update("set-statistics", snapshot_id=snapshot, statistics=statistics(files.location, snapshot))


def _partition_statistics(files: Stage, snapshot: int) -> dict[str, Any]:
    return update("set-partition-statistics", partition_statistics=partition_statistics(files.location, snapshot))


ACTIONS: dict[str, UpdateAction] = {
    "assign-uuid": _fixed("assign-uuid", lambda table: table["table-uuid"].lower() == OTHER_UUID, uuid=OTHER_UUID),
    "upgrade-format-version": _fixed(
        "upgrade-format-version", lambda table: table["format-version"] == 3, format_version=3
    ),
    "add-schema": UpdateAction(lambda _: add_schema(WIDEST), lambda table: len(table["schemas"]) == 2),
    "set-current-schema": UpdateAction(
        lambda files: update("set-current-schema", schema_id=files.metadata["current-schema-id"]),
        lambda table: column_names(table) == [column["name"] for column in SCHEMA["fields"]],
        lambda _: SECOND_SCHEMA,
    ),
    "add-spec": _fixed(
        "add-spec",
        lambda table: len(table["partition-specs"]) == 2,
        spec=layout(partition(2, "name", "bucket[4]")),
    ),
    "set-default-spec": UpdateAction(
        lambda files: update("set-default-spec", spec_id=files.metadata["default-spec-id"]),
        lambda table: not default_spec(table)["fields"],
        lambda _: SECOND_SPEC,
    ),
    "add-sort-order": _fixed(
        "add-sort-order", lambda table: len(table["sort-orders"]) == 2, sort_order=layout(sort_field(1))
    ),
    "set-default-sort-order": _fixed(
        "set-default-sort-order", lambda table: table["default-sort-order-id"] == 0, SECOND_ORDER, sort_order_id=0
    ),
    "add-snapshot": UpdateAction(
        lambda files: update("add-snapshot", snapshot=files.snapshot(2000, 3)),
        lambda table: 2000 in snapshot_ids(table),
    ),
    "set-snapshot-ref": UpdateAction(lambda _: set_ref("audit", OLD), lambda table: refs(table).get("audit") == OLD),
    "remove-snapshots": _fixed("remove-snapshots", lambda table: OLD not in snapshot_ids(table), snapshot_ids=[OLD]),
    "remove-snapshot-ref": _fixed(
        "remove-snapshot-ref", lambda table: "v1" not in refs(table), [set_ref("v1", OLD, "tag")], ref_name="v1"
    ),
    "set-location": UpdateAction(
        lambda files: update("set-location", location=f"{files.metadata['location']}/moved"),
        lambda table: str(table["location"]).endswith("/moved"),
    ),
    "set-properties": UpdateAction(lambda _: set_properties(a="2"), lambda table: properties_of(table).get("a") == "2"),
    "remove-properties": _fixed("remove-properties", lambda table: "a" not in properties_of(table), removals=["a"]),
    "set-statistics": UpdateAction(
        lambda files: _statistics(files, NEW),
        lambda table: NEW in {entry["snapshot-id"] for entry in table.get("statistics") or ()},
    ),
    "remove-statistics": UpdateAction(
        lambda _: update("remove-statistics", snapshot_id=OLD),
        lambda table: not table.get("statistics"),
        lambda files: [_statistics(files, OLD)],
    ),
    "set-partition-statistics": UpdateAction(
        lambda files: _partition_statistics(files, NEW),
        lambda table: NEW in {entry["snapshot-id"] for entry in table.get("partition-statistics") or ()},
    ),
    "remove-partition-statistics": UpdateAction(
        lambda _: update("remove-partition-statistics", snapshot_id=OLD),
        lambda table: not table.get("partition-statistics"),
        lambda files: [_partition_statistics(files, OLD)],
    ),
    "remove-partition-specs": UpdateAction(
        lambda files: update("remove-partition-specs", spec_ids=[files.metadata["default-spec-id"]]),
        lambda table: len(table["partition-specs"]) == 1,
        lambda _: SECOND_SPEC,
    ),
    "remove-schemas": UpdateAction(
        lambda files: update("remove-schemas", schema_ids=[files.metadata["current-schema-id"]]),
        lambda table: len(table["schemas"]) == 1,
        lambda _: SECOND_SCHEMA,
    ),
    "add-encryption-key": _fixed(
        "add-encryption-key",
        lambda table: "k1" in {key["key-id"] for key in table.get("encryption-keys") or ()},
        encryption_key=KEY,
    ),
    "remove-encryption-key": _fixed(
        "remove-encryption-key",
        lambda table: not table.get("encryption-keys"),
        [update("add-encryption-key", encryption_key={**KEY, "key-id": "k0"})],
        key_id="k0",
    ),
}


def version_of(action: str) -> int:
    """Return the format version that an action needs: encryption keys need 3."""
    return 3 if action.endswith("encryption-key") else 2


def prepare(catalog: IcebergCatalog, action: str, name: str = "t") -> tuple[Names, Stage]:
    """Create a table with two snapshots that accepts an update of an action, and return it with its stage."""
    version = version_of(action)
    id = catalog.new_table(name, properties={"format-version": str(version), "a": "1"})
    files = stage(catalog, id)
    rows: list[dict[str, Any]] = [{"first_row_id": 0, "added_rows": 0}] * 2 if version == 3 else [{}, {}]
    history = [*append(files.snapshot(OLD, 1, **rows[0])), *append(files.snapshot(NEW, 2, parent=OLD, **rows[1]))]
    with catalog.client.preparing():
        catalog.update_table(id, [*history, *ACTIONS[action].needs(files)])
    return id, files
