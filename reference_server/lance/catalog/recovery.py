"""Recovery of a table's entry before it is used.

Two things happen without the catalog: a client that declared a table writes its data directly to the location, and a
server that is killed after a batch leaves versions whose files are not in place. The next request to the table
completes both.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace

from reference_server.errors import CatalogError
from reference_server.lance.catalog.catalog import EntryCatalog
from reference_server.lance.catalog.entries import Path, Record, Table
from reference_server.lance.catalog.keys import PENDING
from reference_server.lance.catalog.version_files import DatasetVersions
from reference_server.lance.catalog.version_names import V2
from reference_server.lance.context import LanceContext
from reference_server.lance.data.table_data import TableData
from reference_server.lance.errors import ConcurrentModification

AT_ONCE = 1_000
"""Number of versions that one call of a thread puts in place."""
log = logging.getLogger("lakeproof.server")


async def current_table(context: LanceContext, path: Path) -> Table:
    """Return a table's up-to-date entry. Raises NamespaceNotFound or TableNotFound."""
    table = context.catalog.table(path)
    pending = sorted(context.catalog.versions(PENDING, path).items())
    for begin in range(0, len(pending), AT_ONCE):
        some = dict(pending[begin : begin + AT_ONCE])
        finalized = await context.run(put_in_place, context.data.versions(table.location), some)
        await context.catalog.finalize_versions(path, finalized, some)
    return await note_data(context, path, table)


async def note_data(context: LanceContext, path: Path, table: Table) -> Table:
    """Return the entry with `created` brought up to date.

    Data of clients are looked for until they exist, and then remembered.
    """
    if table.created or not context.data.exists(table.location):
        return table
    created = replace(table, created=True)
    if table.recorded:  # reading a directory gives it no record
        with suppress(ConcurrentModification):
            await context.catalog.replace_table(path, table, created)
    return created


def put_in_place(versions: DatasetVersions, pending: dict[int, Record]) -> dict[int, Record | None]:
    """Give pending versions their files, and return the remaining records, None for removed versions.

    A version that cannot be put in place, because a client wrote it without the catalog, is given up.
    """
    gone = [version for version, record in pending.items() if record.get("gone")]
    finalized: dict[int, Record | None] = dict.fromkeys(gone)
    for version, record in pending.items():
        if version in finalized:
            continue
        try:
            versions.put(version, record["staged"], record.get("naming_scheme", V2), record)
            finalized[version] = {name: value for name, value in record.items() if name != "staged"}
        except CatalogError as error:
            log.warning("version %s cannot be put in place: %s", version, error.message)
            finalized[version] = None
    versions.delete(gone)
    return finalized


async def recover(catalog: EntryCatalog, data: TableData) -> None:
    """Complete the unfinished work of a killed server; called before the first request."""
    for path in catalog.tables_with_pending_versions():
        pending = catalog.versions(PENDING, path)
        finalized: dict[int, Record | None] = dict.fromkeys(pending)
        with suppress(CatalogError):
            finalized = put_in_place(data.versions(catalog.table(path).location), pending)
        await catalog.finalize_versions(path, finalized, pending)
