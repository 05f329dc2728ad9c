"""Answers whose metadata contradicts itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mutants.iceberg.blocks import TABLES_SHOWN, VIEWS_SHOWN, metadata_become
from reference_server.faults import fault
from reference_server.iceberg.metadata.reading import Json

LOAD_TABLE, UPDATE = ["loadTable"], ["updateTable"]
UNBORN: Json = {"main": {"snapshot-id": -1, "type": "branch"}}


def _changed(name: str, edit: Callable[[Any], Any]) -> Any:
    """Return an edit of one field of metadata, where there is one."""
    return metadata_become(lambda metadata: {**metadata, name: edit(metadata[name])} if name in metadata else metadata)


def _orders_alike(metadata: Json) -> Json:
    orders = [{**order, "order-id": min(order["order-id"], 1)} for order in metadata["sort-orders"]]
    return {**metadata, "sort-orders": orders, "default-sort-order-id": min(metadata["default-sort-order-id"], 1)}


def _statistics_numbered(metadata: Json) -> Json:
    entries = enumerate(metadata.get("statistics", ()), 1)
    return {**metadata, "statistics": [{**entry, "snapshot-id": number} for number, entry in entries]}


fault(
    "metadata-main-unborn",
    "A table without snapshots has a branch main all the same, which points to -1.",
    on=LOAD_TABLE,
)(_changed("refs", lambda refs: refs or UNBORN))
fault("metadata-doubled", "Metadata show their partition specs twice.", on=LOAD_TABLE)(
    _changed("partition-specs", lambda specs: specs + specs)
)
fault("metadata-last-column-id-counted", "The last column id is the number of columns, less one.", on=LOAD_TABLE)(
    metadata_become(lambda metadata: {**metadata, "last-column-id": len(metadata["schemas"][0]["fields"]) - 1})
)
fault(
    "metadata-sequence-number-kept-at-zero",
    "The last sequence number stays 0, whatever snapshots there are.",
    on=UPDATE,
)(_changed("last-sequence-number", lambda _: 0))
fault("metadata-orders-alike", "All sort orders of a table but the empty one have the id 1.", on=TABLES_SHOWN)(
    metadata_become(_orders_alike)
)
fault("metadata-log-backwards", "The snapshot log has the latest entry first.", on=TABLES_SHOWN)(
    _changed("snapshot-log", lambda log: log[::-1])
)
fault("metadata-statistics-numbered", "Statistics name the number of a snapshot instead of its id.", on=TABLES_SHOWN)(
    metadata_become(_statistics_numbered)
)
fault("metadata-row-ids-forgotten", "The next row id of a table of version 3 stays 0.", on=TABLES_SHOWN)(
    _changed("next-row-id", lambda _: 0)
)
fault("view-log-empty", "A view shows no history.", on=VIEWS_SHOWN)(_changed("version-log", lambda _: []))
fault("view-metadata-doubled", "A view shows its versions twice.", on=VIEWS_SHOWN)(
    _changed("versions", lambda versions: versions + versions)
)
fault("logged-files-gone", "The earlier metadata files in the log of a table do not exist.", on=TABLES_SHOWN)(
    _changed(
        "metadata-log",
        lambda log: [{**entry, "metadata-file": f"{entry['metadata-file']}.gone"} for entry in log],
    )
)
