"""A table with two snapshots."""

from __future__ import annotations

from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.staging import Stage, stage
from conformance.iceberg.support.updates import append

# Ids as engines draw them: JSON readers that take numbers for doubles change the last digits.
FIRST, SECOND, THIRD = 3_055_729_675_574_597_004, 9_223_372_036_854_775_807, 1_152_921_504_606_846_977

# What requirements on several snapshots need: they say nothing new of a server that keeps only one.
KEPT = ("iceberg.snapshot.kept",)


def new_table_with_files(catalog: IcebergCatalog, version: int = 2, name: str = "t") -> tuple[Names, Stage]:
    """Return a table of a format version and where its files go."""
    id = catalog.new_table(name, properties={"format-version": str(version)})
    return id, stage(catalog, id)


def new_table_with_snapshots(catalog: IcebergCatalog, *ids: int) -> tuple[Names, Stage]:
    """Return a table with these snapshots on main, each made by a commit of its own."""
    with catalog.client.preparing():
        id, files = new_table_with_files(catalog)
        for number, snapshot in enumerate(ids):
            parent = ids[number - 1] if number else None
            catalog.update_table(id, append(files.snapshot(snapshot, number + 1, parent=parent)))
    return id, files
