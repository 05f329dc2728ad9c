"""Folders for the metadata of staged tables, which clients fill before they commit: DuckDB makes none itself.

staged / warehouse / <time> / <location>  ->  nothing more is known of it

A folder is noted before it is made. A client may take hours until it commits, and may do so after a restart; so a
folder is left for a day. Then the next staged creation or the next start deletes it, if it is still empty. A folder
that exists already is none of ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from reference_server.iceberg.catalog.keys import STAGED, staged_key, staged_prefix
from reference_server.iceberg.context import IcebergContext, now
from reference_server.iceberg.services import Services
from reference_server.storage import Storage, pack, unpack

LIFETIME_MS = 24 * 60 * 60 * 1000
AT_ONCE = 10
"""Folders that one request deletes at most."""
RunInThread = Callable[..., Awaitable[Any]]


async def make_folder(context: IcebergContext, table: str) -> None:
    """Make the folder for the metadata of a staged table at a location, where that is a local one.

    Raises InvalidInput for a location that cannot be written, and ServiceUnavailable.
    """
    services, warehouse, folder = context.services, context.warehouse.name, f"{table}/metadata"
    if not services.files.has_folders(folder) or services.files.exists(folder):
        return
    await _delete_old(services, warehouse, context.run, AT_ONCE)
    await services.storage.commit({}, {staged_key(warehouse, now(), folder): b""})
    await context.run(services.files.make_folder, folder)


async def delete_old_folders(storage: Storage[bytes], find: Callable[[str], Services | None]) -> None:
    """Delete the folders that have been empty for a day, of all warehouses that `find` still knows."""
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
