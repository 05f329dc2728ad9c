"""States of tables with snapshots, which part.py adds to those of support/states.py: they need a catalog's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import Id
from conformance.iceberg.support.content import partition_statistics, statistics
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.states import Body, State
from conformance.iceberg.support.updates import Updates, append, set_ref, update

FIRST, SECOND = 5_012_345_678_901_234_567, 6_012_345_678_901_234_569  # snapshots, unlike those of requirements


def with_snapshots(catalog: IcebergCatalog, id: Id, body: Body) -> None:
    """Create a table with two snapshots."""
    _two_snapshots(catalog, id, body)


def with_refs(catalog: IcebergCatalog, id: Id, body: Body) -> None:
    """Create a table with two snapshots, a branch and a tag."""
    _two_snapshots(catalog, id, body, lambda _: [set_ref("lp-branch", FIRST), set_ref("lp-tag", SECOND, "tag")])


def with_statistics(catalog: IcebergCatalog, id: Id, body: Body) -> None:
    """Create a table with two snapshots, and statistics of the first."""
    _two_snapshots(
        catalog,
        id,
        body,
        lambda folder: [
            update("set-statistics", snapshot_id=FIRST, statistics=statistics(folder, FIRST)),
            update("set-partition-statistics", partition_statistics=partition_statistics(folder, FIRST)),
        ],
    )


def _two_snapshots(catalog: IcebergCatalog, id: Id, body: Body, more: Callable[[str], Updates] = lambda _: []) -> None:
    catalog.create_table(id, **body)
    files = stage(catalog, id)
    catalog.update_table(id, append(files.snapshot(FIRST, 1)), [])
    catalog.update_table(id, [*append(files.snapshot(SECOND, 2, parent=FIRST)), *more(files.location)], [])


SNAPSHOT_STATES: Mapping[str, State] = {
    "snapshots": with_snapshots,
    "refs": with_refs,
    "statistics": with_statistics,
}
