"""Computed columns: tables that have one, and its values, which a server may fill after its response."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.indexing import poll

ROWS = 3  # of a new table with a computed column
COLUMN: dict[str, Any] = {"name": "more", "computed": "id * 2 + 1"}


def new_computed(catalog: LanceCatalog) -> Names:
    """Create a table with the computed column `more`. Raises Unoffered where the server lacks computed columns."""
    id = catalog.new_table(rows=ROWS)
    add_computed(catalog, id)
    return id


def add_computed(catalog: LanceCatalog, id: Names) -> None:
    """Add the computed column `more`. Raises Unoffered where the server lacks computed columns."""
    catalog.supported(catalog.alter_table_add_columns(id, new_columns=[COLUMN], expect=None), "computed columns")


def computed_values(catalog: LanceCatalog, id: Names) -> dict[int, int | None]:
    """Return the values of the computed column by the ids of their rows."""
    return {row["id"]: row["more"] for row in catalog.rows(id)}


def check_filled(catalog: LanceCatalog, id: Names, least: int = 0) -> None:
    """Check that the computed column is filled in the rows with ids from `least` on, and null in the others."""
    expected = {number: 2 * number + 1 if number >= least else None for number in range(ROWS)}
    poll(catalog, lambda: True if computed_values(catalog, id) == expected else None)
    equal(computed_values(catalog, id), expected, "the values of the computed column")
