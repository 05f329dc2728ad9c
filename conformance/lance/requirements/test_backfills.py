"""AlterTableBackfillColumns, and the computed columns that it fills."""

from __future__ import annotations

from conformance.author.checks import equal, text
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import poll

ADD, FILL = ["AlterTableAddColumns"], ["AlterTableBackfillColumns"]
EXPRESSION = "id * 2 + 1"


def _computed(catalog: LanceCatalog) -> Names:
    """Create a table with the computed column `more`."""
    id = catalog.new_table(rows=3)
    answer = catalog.alter_table_add_columns(id, new_columns=[{"name": "more", "computed": EXPRESSION}], expect=None)
    catalog.supported(answer, "computed columns")
    return id


def _values(catalog: LanceCatalog, id: Names) -> dict[int, int | None]:
    return {row["id"]: row["more"] for row in catalog.rows(id)}


def _check_filled(catalog: LanceCatalog, id: Names, expected: dict[int, int | None]) -> None:
    """Check the values of the computed column, which a server may fill after its response."""
    poll(catalog, lambda: True if _values(catalog, id) == expected else None)
    equal(_values(catalog, id), expected, "the values of the computed column")


@must("lance.column.computed", operations=ADD, clause="computed-column")
def test_computed_column_starts_empty(catalog: LanceCatalog) -> None:
    """A computed column is null in every row until it is filled, also in rows that are added later."""
    id = _computed(catalog)
    equal(_values(catalog, id), dict.fromkeys(range(3)), "the values of the computed column")
    catalog.insert_into_table(id, stream(tables(1, first=3)))
    equal(_values(catalog, id), dict.fromkeys(range(4)), "the values of the computed column")


@must("lance.backfill.fills", operations=FILL, clause="backfill", twin=True)
def test_backfill_fills(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns returns a job_id, and the column gets the values of its expression."""
    id = _computed(catalog)
    text(catalog.alter_table_backfill_columns(id, column="more")["job_id"], "the job_id")
    expected: dict[int, int | None] = {number: 2 * number + 1 for number in range(3)}
    _check_filled(catalog, id, expected)


@must("lance.backfill.where", operations=FILL, clause="backfill-where")
def test_backfill_of_some_rows(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns with a condition fills only the rows that meet it."""
    id = _computed(catalog)
    catalog.alter_table_backfill_columns(id, column="more", where="id >= 1")
    expected: dict[int, int | None] = {0: None, 1: 3, 2: 5}
    _check_filled(catalog, id, expected)


@must("lance.backfill.plain_column", operations=FILL, clause="backfill-plain", kind="error")
def test_backfill_of_plain_column(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns of a column without an expression returns 400 and changes no row."""
    id = _computed(catalog)
    catalog.control(lambda: catalog.alter_table_backfill_columns(id, column="more"))
    before = catalog.rows(id)
    catalog.alter_table_backfill_columns(id, column="name", expect=400)
    equal(catalog.rows(id), before, "the rows of the table")
