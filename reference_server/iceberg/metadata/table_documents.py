"""Table metadata from other writers: checked as a whole, and normalized to the stored form.

The stored form has every list and map of its format version, even when empty; no `current-snapshot-id` without a
current snapshot (others write -1 or null); and a main branch wherever there is a current snapshot. Unknown fields are
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.encryption_keys import KEYS, read_key
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.finalize import CURRENT, complete_version, mirror, strip_location
from reference_server.iceberg.metadata.format_versions import check_supported, with_current, with_lists
from reference_server.iceberg.metadata.logs import check_times
from reference_server.iceberg.metadata.partition_specs import (
    UNPARTITIONED_LAST_ID,
    check_names,
    check_spec,
    last_field_id,
    number_fields,
    read_spec,
)
from reference_server.iceberg.metadata.reading import (
    Json,
    integer,
    long,
    obj,
    objects,
    optional,
    text,
    text_map,
)
from reference_server.iceberg.metadata.refs import BRANCH, read_ref
from reference_server.iceberg.metadata.schemas import check_version, read_schema
from reference_server.iceberg.metadata.snapshots import (
    ROW_LINEAGE_SINCE_VERSION,
    check_lineage,
    read_snapshot,
    sequence_number,
    with_added_rows,
)
from reference_server.iceberg.metadata.sort_orders import UNSORTED, UNSORTED_ID, check_order, read_order
from reference_server.iceberg.metadata.statistics import (
    PARTITION_STATISTICS,
    STATISTICS,
    read_partition_statistics,
    read_statistics,
)

NO_SNAPSHOT = -1


def read_table(document: Any, *, uuid: str) -> Json:
    """Return table metadata from a document of format version 1, 2 or 3.

    `uuid` is the UUID for a document of version 1 without one. Raises InvalidMetadata.
    """
    if not isinstance(document, dict):
        raise InvalidMetadata("Table metadata are an object.")
    version = integer(document, "format-version")
    check_supported(version)
    table: Json = {**document, "table-uuid": _uuid(document, version, uuid)}
    table["location"] = strip_location(text(document, "location"))
    long(document, "last-updated-ms")
    _read_definition(table, document)
    _read_lists(table, document)
    table["properties"] = optional(text_map, document, "properties") or {}
    _read_current(table, document)
    _read_numbers(table, version)
    complete_version(table)
    check_table(table)
    return mirror(table) if version == 1 else table


def check_table(table: Json) -> None:
    """Raise InvalidMetadata for complete table metadata whose parts contradict each other."""
    _check_definition(table)
    snapshots = _unique(table, "snapshots", "snapshot-id")
    _unique(table, STATISTICS, "snapshot-id")
    _unique(table, PARTITION_STATISTICS, "snapshot-id")
    for snapshot in table["snapshots"]:
        if sequence_number(snapshot) > table.get("last-sequence-number", 0):
            raise InvalidMetadata(f"The snapshot {snapshot['snapshot-id']} is after last-sequence-number.")
    check_lineage(table["snapshots"], snapshots)
    for name, ref in table["refs"].items():
        if ref["snapshot-id"] not in snapshots:
            raise InvalidMetadata(f"The ref {name!r:.100} names a snapshot that does not exist.")
    main = table["refs"].get(MAIN)
    if main is not None and main["type"] != BRANCH:
        raise InvalidMetadata(f"{MAIN} is a branch and cannot be a tag.")
    if (main and main["snapshot-id"]) != table.get("current-snapshot-id"):
        raise InvalidMetadata(f"{MAIN} and current-snapshot-id name different snapshots.")
    for log in ("snapshot-log", "metadata-log"):
        check_times(table[log], log, table["last-updated-ms"])


def _uuid(document: Json, version: int, uuid: str) -> str:
    table_uuid = optional(text, document, "table-uuid")
    if table_uuid is None and version > 1:
        raise InvalidMetadata(f"table-uuid is missing; format version {version} needs it.")
    return uuid if table_uuid is None else table_uuid


def _read_definition(table: Json, document: Json) -> None:
    """Read schemas, specs and orders, and the ids of the current ones. The unsorted order need not be listed."""
    old = document["format-version"] == 1
    if old:
        document = with_lists(document)
    table["schemas"] = [read_schema(schema) for schema in objects(document, "schemas")]
    table["partition-specs"] = [_spec(spec) for spec in objects(document, "partition-specs")]
    table["sort-orders"] = [_order(order) for order in objects(document, "sort-orders")]
    if old:
        document = with_current(document, table["schemas"], table["partition-specs"])
    table.update({current: integer(document, current) for _, current in CURRENT.values()})
    listed = {order["order-id"] for order in table["sort-orders"]}
    if table["default-sort-order-id"] == UNSORTED_ID and UNSORTED_ID not in listed:
        table["sort-orders"].append(UNSORTED)
    if old and document.get("last-partition-id") is None:
        last = max(map(last_field_id, table["partition-specs"]), default=UNPARTITIONED_LAST_ID)
        table["last-partition-id"] = last


def _spec(node: Json) -> Json:
    integer(node, "spec-id")
    return number_fields(read_spec(node))


def _order(node: Json) -> Json:
    integer(node, "order-id")
    return read_order(node)


def _read_lists(table: Json, document: Json) -> None:
    readers: dict[str, Callable[[Json], Json]] = {
        "snapshots": read_snapshot,
        STATISTICS: read_statistics,
        PARTITION_STATISTICS: read_partition_statistics,
        "snapshot-log": _snapshot_entry,
        "metadata-log": _metadata_entry,
        KEYS: read_key,
    }
    lists = {key: optional(objects, document, key) or [] for key in readers}
    if document["format-version"] >= ROW_LINEAGE_SINCE_VERSION:
        lists["snapshots"] = with_added_rows(lists["snapshots"], long(document, "next-row-id"))
    for key, reader in readers.items():
        table[key] = [reader(item) for item in lists[key]]
    if not table[KEYS]:
        del table[KEYS]


def _snapshot_entry(node: Json) -> Json:
    long(node, "timestamp-ms")
    long(node, "snapshot-id")
    return node


def _metadata_entry(node: Json) -> Json:
    long(node, "timestamp-ms")
    text(node, "metadata-file")
    return node


def _read_current(table: Json, document: Json) -> None:
    refs = optional(obj, document, "refs") or {}
    table["refs"] = {name: read_ref(obj(refs, name)) for name in refs}
    current = optional(long, document, "current-snapshot-id")
    if current is None or current == NO_SNAPSHOT:
        table.pop("current-snapshot-id", None)
    else:
        table["refs"].setdefault(MAIN, {"snapshot-id": current, "type": BRANCH})


def _read_numbers(table: Json, version: int) -> None:
    integer(table, "last-column-id")
    integer(table, "last-partition-id")
    if version > 1:
        long(table, "last-sequence-number")


def _check_definition(table: Json) -> None:
    items_by_id = {key: _unique(table, key, id_key) for key, (id_key, _) in CURRENT.items()}
    for key, (_, current) in CURRENT.items():
        if table[current] not in items_by_id[key]:
            raise InvalidMetadata(f"{current} is {table[current]}, which is not in {key}.")
    columns = Columns(items_by_id["schemas"][table["current-schema-id"]])
    for spec in table["partition-specs"]:
        check_names(spec, columns)
    check_spec(items_by_id["partition-specs"][table["default-spec-id"]], columns)
    check_order(items_by_id["sort-orders"][table["default-sort-order-id"]], columns)
    for schema in table["schemas"]:
        check_version(schema, table["format-version"])
    highest = max(Columns(schema).highest for schema in table["schemas"])
    if table["last-column-id"] < highest:
        raise InvalidMetadata(f"last-column-id is {table['last-column-id']}, but there is a column {highest}.")
    highest = max(map(last_field_id, table["partition-specs"]))
    if highest > UNPARTITIONED_LAST_ID and table["last-partition-id"] < highest:
        raise InvalidMetadata(f"last-partition-id is {table['last-partition-id']}, but there is a field {highest}.")


def _unique(table: Json, key: str, id_key: str) -> dict[int, Json]:
    by_id = {item[id_key]: item for item in table[key]}
    if len(by_id) < len(table[key]):
        raise InvalidMetadata(f"{key}: {id_key} occurs twice.")
    return by_id
