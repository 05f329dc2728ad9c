"""Metadata files of tables and views that are being made: noted before they are written, taken back after a crash.

unfinished / warehouse / <location of the metadata file>  ->  WRITING, or CONDEMNED once a server takes it back

The note goes in the commit that adds the table or view. What is noted when a server starts was never added, or is just
being added by another server on the same directory: a note is condemned before its file is deleted, so that the commit
of the other server does not find it as it was, and starts again. No file is deleted but the noted one, and folders that
are empty then: what clients have put there stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from reference_server.errors import ServiceUnavailable
from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.keys import UNFINISHED, unfinished_key
from reference_server.iceberg.services import Services
from reference_server.storage import CommitConflict, Storage, pack, unpack

WRITING, CONDEMNED = b"writing", b"condemned"


async def note(storage: Storage[bytes], change: Change, location: str) -> None:
    """Note a metadata file that a change is about to write for something new. Raises ServiceUnavailable."""
    key = unfinished_key(change.warehouse, location)

    async def forget() -> None:
        with suppress(ServiceUnavailable):  # the next start does it
            await storage.commit({}, {key: None})

    change.transaction.on_undo(forget)
    await storage.commit({key: None}, {key: WRITING})
    change.transaction.get(key)
    change.transaction.put(key, None)


async def take_back(storage: Storage[bytes], find: Callable[[str], Services | None]) -> None:
    """Delete the metadata files that are noted, of all warehouses that `find` still knows."""
    for key, state in storage.scan(pack(UNFINISHED)):
        warehouse, location = (part.decode() for part in unpack(key)[1:])
        services = find(warehouse)
        if services is None:
            continue
        with suppress(CommitConflict):  # it was added in the meantime
            await storage.commit({key: state}, {key: CONDEMNED})
            await asyncio.to_thread(services.files.delete, [location])
            await storage.commit({}, {key: None})
