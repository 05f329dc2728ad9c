"""AlterTableBackfillColumns, and the computed columns that it fills."""

from __future__ import annotations

from conformance.author.checks import equal, same_items, text
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.computed import check_filled, computed_values, new_computed

ADD, FILL = ["AlterTableAddColumns"], ["AlterTableBackfillColumns"]


@must("lance.column.computed", operations=ADD, clause="computed-column")
def test_computed_column_starts_empty(catalog: LanceCatalog) -> None:
    """A computed column is null in every row until it is filled, also in rows that are added later."""
    id = new_computed(catalog)
    equal(computed_values(catalog, id), dict.fromkeys(range(3)), "the values of the computed column")
    catalog.insert_into_table(id, stream(tables(1, first=3)))
    equal(computed_values(catalog, id), dict.fromkeys(range(4)), "the values of the computed column")


@must("lance.backfill.fills", operations=FILL, clause="backfill", twin=True)
def test_backfill_fills(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns returns a job_id, and the column gets the values of its expression."""
    id = new_computed(catalog)
    text(catalog.alter_table_backfill_columns(id, column="more", where="id >= 2")["job_id"], "the job_id")
    text(catalog.alter_table_backfill_columns(id, column="more")["job_id"], "the job_id of another request")
    check_filled(catalog, id)


@must("lance.backfill.where", operations=FILL, clause="backfill-where")
def test_backfill_of_some_rows(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns with a condition fills only the rows that meet it."""
    id = new_computed(catalog)
    catalog.alter_table_backfill_columns(id, column="more", where="id >= 1")
    check_filled(catalog, id, least=1)


@must("lance.backfill.plain_column", operations=FILL, clause="backfill-plain", kind="error")
def test_backfill_of_plain_column(catalog: LanceCatalog) -> None:
    """AlterTableBackfillColumns of a column without an expression returns 400 and changes no row."""
    id = new_computed(catalog)
    catalog.control(lambda: catalog.alter_table_backfill_columns(id, column="more"))
    before = catalog.rows(id)
    catalog.alter_table_backfill_columns(id, column="name", expect=400)
    same_items(catalog.rows(id), before, "the rows of the table")
