"""DropTable on tables that were registered."""

from __future__ import annotations

from conformance.author.checks import lacks, text
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.listing import collect_tables


@must("lance.registered.dropped", operations=["DropTable"], clause="drop-table")
def test_registered_table_is_dropped(catalog: LanceCatalog) -> None:
    """DropTable drops a table that was registered: TableExists returns 404 and ListTables does not list it."""
    with catalog.client.preparing():
        id = catalog.new_table(rows=1)
        location = text(catalog.deregister_table(id)["location"], "the location of the table")
        catalog.restore_registration(id, location)
    catalog.drop_table(id)
    catalog.table_exists(id, expect=404)
    lacks(collect_tables(catalog, catalog.home), [id[-1]], "the listed tables")
