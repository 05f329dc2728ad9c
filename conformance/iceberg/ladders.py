"""In how many ways the things are made that requirements on an Iceberg catalog start from."""

from __future__ import annotations

from conformance.checks import contains, text
from conformance.iceberg.catalog import BODIES, COMMIT_WAYS, COMMITS, CREATED, IcebergCatalog
from conformance.iceberg.support.content import WIDER, partition
from conformance.iceberg.support.files import WAYS
from conformance.iceberg.support.metadata import snapshot_ids
from conformance.iceberg.support.snapshots import FIRST, new_table_with_snapshots
from conformance.iceberg.support.staging import SNAPSHOTS
from conformance.iceberg.support.updates import add_and_use_schema, add_and_use_spec
from conformance.ladders import Ladder
from conformance.sandbox import TABLE

DAILY = {"fields": [partition(3, "day")]}


def _make_table(catalog: IcebergCatalog) -> None:
    location = text(catalog.metadata(catalog.new_table())["location"], "the location of the table").rstrip("/")
    folder = location.rpartition("/")[0]
    catalog.target.table_folder = next((place for place in (folder, location) if catalog.target.prefix in place), "")


def _make_commit(catalog: IcebergCatalog) -> None:
    catalog.update_table(catalog.new_table(), [*add_and_use_schema(WIDER), *add_and_use_spec(DAILY)])


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
    Ladder(COMMITS, ("updateTable",), COMMIT_WAYS, _make_commit, (TABLE,)),
    Ladder(SNAPSHOTS, ("updateTable",), tuple(WAYS), _make_snapshot, (TABLE,)),
)
