"""In how many ways the things are made that requirements on an Iceberg catalog start from."""

from __future__ import annotations

from conformance.checks import contains, text
from conformance.iceberg.catalog import BODIES, CREATED, IcebergCatalog
from conformance.iceberg.support.files import WAYS
from conformance.iceberg.support.metadata import snapshot_ids
from conformance.iceberg.support.snapshots import FIRST, new_table_with_snapshots
from conformance.iceberg.support.staging import SNAPSHOTS
from conformance.ladders import Ladder
from conformance.sandbox import TABLE


def _make_table(catalog: IcebergCatalog) -> None:
    location = text(catalog.metadata(catalog.new_table())["location"], "the location of the table").rstrip("/")
    folder = location.rpartition("/")[0]
    catalog.target.table_folder = next((one for one in (folder, location) if catalog.target.prefix in one), "")


def _make_snapshot(catalog: IcebergCatalog) -> None:
    id, _ = new_table_with_snapshots(catalog, FIRST)
    contains(snapshot_ids(catalog.metadata(id)), [FIRST], "the snapshots of the table")


MAKE = {
    "createNamespace": lambda catalog: catalog.home,
    "createTable": _make_table,
    "createView": lambda catalog: catalog.new_view(),
}
LADDERS = (
    *(Ladder(CREATED[operation], (operation,), tuple(BODIES[operation]), make) for operation, make in MAKE.items()),
    Ladder(SNAPSHOTS, ("updateTable",), tuple(WAYS), _make_snapshot, (TABLE,)),
)
