"""A table with several versions."""

from __future__ import annotations

from conformance.author.checks import listed, number
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.values.json_values import Items

VERSIONS = 4


def numbers(catalog: LanceCatalog, id: Names) -> list[int]:
    """Return the versions that a table has, smallest first. To ask for one that it lacks is a Violation."""
    versions = listed(catalog.list_table_versions(id)["versions"], "the listed versions")
    return Items(sorted(number(version["version"], "the number of a listed version") for version in versions))


def new_table_with_versions(catalog: LanceCatalog, rows: int = 1) -> Names:
    """Create a table with VERSIONS versions; the first has some rows, each other adds one."""
    id = catalog.new_table(rows=rows)
    for _ in range(VERSIONS - 1):
        catalog.insert_into_table(id, stream(tables(1)))
    return id
