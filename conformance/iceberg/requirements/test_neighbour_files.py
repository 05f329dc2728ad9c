"""dropTable with purgeRequested: files of tables whose locations begin alike."""

from __future__ import annotations

import time

from conformance.author.checks import equal, text
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import POLICY
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.files import UNWRITTEN, UnwrittenFiles, unreachable
from conformance.iceberg.support.staging import stage
from conformance.values.outcomes import Unoffered

PURGE_SECONDS = 0.5


@must("iceberg.neighbour.files", operations=["dropTable"], clause="drop-table-purge-own", kind="data")
def test_files_of_a_neighbour_stay(catalog: IcebergCatalog) -> None:
    """dropTable with purgeRequested keeps the files of a table whose location begins with that of the dropped one."""
    id, other = catalog.table_id("short"), catalog.table_id("long")
    with catalog.client.preparing():
        location = text(catalog.metadata(catalog.new_table("first"))["location"], "the location of a table")
        folder = location.rstrip("/").rpartition("/")[0]
        if catalog.target.prefix not in folder:
            raise Unoffered("no folder is known that is the run's own")
        place = f"{folder}/{catalog.target.new_name()}"
        for table, wanted in ((id, place), (other, f"{place}2")):
            made = catalog.create_table(table, schema=SCHEMA, location=wanted, expect=(200, *POLICY))
            if not made.succeeded or str(made["metadata"]["location"]).rstrip("/") != wanted:
                raise Unoffered("the server chooses the places")
        files = stage(catalog, other)
        if isinstance(files.files, UnwrittenFiles):
            raise unreachable(UNWRITTEN)
        kept = [files.write("data", "kept.txt", b"kept"), text(catalog.load_table(other)["metadata-location"], "it")]
    catalog.require_purging()
    catalog.drop_table(id, purgeRequested="true")
    time.sleep(PURGE_SECONDS)
    gone = [location.rpartition("/")[2] for location in kept if not files.files.exists(location)]
    equal(gone, [], "the files of the other table that are gone")
