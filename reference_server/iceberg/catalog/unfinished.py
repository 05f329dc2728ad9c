"""Notes about unfinished work of tables and views: they let a server clean up after a crash.

unfinished / warehouse / <location of the metadata file>  ->  WRITING, or CONDEMNED once a server takes it back
staged / warehouse / <time> / <location>                  ->  empty

The first metadata file of a table or view is noted before it is written, and the commit that adds the table or view
removes the note. A note that exists when a server starts belongs to a table that was never added, or that another
server on the same directory is adding just now. The note is therefore condemned before its file is deleted: the commit
of the other server then conflicts and starts again. Only the noted file is deleted, and folders that are empty then:
files of clients stay.

Clients fill the folder of a staged table before they commit, and DuckDB does not create it itself. The folder is noted
before it is made. A client may commit hours later, even after a restart, so the folder is kept for a day. Then the next
staged creation or the next start deletes it if it is still empty. A folder that existed before is never deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from reference_server.errors import ServiceUnavailable
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import STAGED, UNFINISHED, staged_key, staged_prefix, unfinished_key
from reference_server.iceberg.context import IcebergContext, Services, now
from reference_server.storage import CommitConflict, Storage, pack, unpack

WRITING, CONDEMNED = b"writing", b"condemned"
LIFETIME_MS = 24 * 60 * 60 * 1000
AT_ONCE = 10
"""Maximum number of folders that one request deletes."""
RunInThread = Callable[..., Awaitable[Any]]


async def note(storage: Storage[bytes], change: WarehouseChange, location: str) -> None:
    """Note a metadata file that a change is about to write for a new object. Raises ServiceUnavailable."""
    key = unfinished_key(change.warehouse, location)

    async def forget() -> None:
        with suppress(ServiceUnavailable):  # the next start removes the note
            await storage.commit({}, {key: None})

    change.transaction.on_undo(forget)
    await storage.commit({key: None}, {key: WRITING})
    change.transaction.get(key)
    change.transaction.put(key, None)


async def take_back(storage: Storage[bytes], find: Callable[[str], Services | None]) -> None:
    """Delete the noted metadata files of all warehouses that `find` knows."""
    for key, state in storage.scan(pack(UNFINISHED)):
        warehouse, location = (part.decode() for part in unpack(key)[1:])
        services = find(warehouse)
        if services is None:
            continue
        with suppress(CommitConflict):  # another server committed it in the meantime
            await storage.commit({key: state}, {key: CONDEMNED})
            await asyncio.to_thread(services.files.delete, [location])
            await storage.commit({}, {key: None})


async def make_folder(context: IcebergContext, table: str) -> None:
    """Make the folder for the metadata of a staged table, if its location is local.

    Raises InvalidInput for a location that cannot be written, and ServiceUnavailable.
    """
    services, warehouse, folder = context.services, context.warehouse.name, f"{table}/metadata"
    if not services.files.has_folders(folder) or services.files.exists(folder):
        return
    await _delete_old(services, warehouse, context.run, AT_ONCE)
    await services.storage.commit({}, {staged_key(warehouse, now(), folder): b""})
    await context.run(services.files.make_folder, folder)


async def delete_old_folders(storage: Storage[bytes], find: Callable[[str], Services | None]) -> None:
    """Delete staged folders that have been empty for a day, of all warehouses that `find` knows."""
    warehouses = {unpack(key)[1].decode() for key, _ in storage.scan(pack(STAGED))}
    for warehouse in sorted(warehouses):
        services = find(warehouse)
        if services is not None:
            await _delete_old(services, warehouse, asyncio.to_thread)


async def _delete_old(services: Services, warehouse: str, run: RunInThread, most: int | None = None) -> None:
    end = staged_key(warehouse, now() - LIFETIME_MS)
    old = [key for key, _ in services.storage.scan(staged_prefix(warehouse), limit=most) if key < end]
    for key in old:
        await run(services.files.delete_folder, unpack(key)[-1].decode())
    if old:
        await services.storage.commit({}, dict.fromkeys(old))
