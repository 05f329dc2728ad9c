"""A table with a history by SQL."""

from __future__ import annotations

from conformance.author.checks import exactly
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake


def new_history(lake: Lake, catalog: IcebergCatalog) -> tuple[str, list[int]]:
    """Create a table of the rows 1, 2 and 3, each by an append of its own; return its name and the snapshots."""
    table = lake.name("t")
    lake.run(f"CREATE TABLE {table} (x INT) USING iceberg")
    for x in (1, 2, 3):
        lake.run(f"INSERT INTO {table} VALUES ({x})")
    snapshots = [snapshot["snapshot-id"] for snapshot in catalog.metadata(catalog.table_id())["snapshots"]]
    return table, exactly(snapshots, 3, "the snapshots, of which each append makes one")


def rows(lake: Lake, table: str, version: str = "") -> list[int]:
    """Return the rows of a table, of a version of it if one is given."""
    return [x for (x,) in lake.run(f"SELECT x FROM {table} {version} ORDER BY x")]
