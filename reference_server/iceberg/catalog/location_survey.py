"""Survey of a directory whose earlier servers kept no index of locations: done once, when a server starts.

surveyed / warehouse  ->  empty; all objects that existed then are in the index
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from reference_server.errors import CatalogError, ServiceUnavailable
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind, path_of
from reference_server.iceberg.catalog.location_index import claim, location_of
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import Services
from reference_server.storage import pack
from reference_server.storage.transactions import Transaction, transact

SURVEYED = "surveyed"
AT_ONCE = 500
Named = tuple[Kind, Path]


async def survey(services: Services) -> None:
    """Index the locations of a warehouse's tables and views, once. Raises ServiceUnavailable.

    Objects with unreadable metadata have no place.
    """
    storage, warehouse, done = services.storage, services.warehouse.name, pack(SURVEYED, services.warehouse.name)
    if storage.get(done) is not None:
        return
    things = [
        (kind, path_of(key)) for kind in (Kind.TABLE, Kind.VIEW) for key, _ in storage.scan(pack(kind, warehouse))
    ]
    for start in range(0, len(things), AT_ONCE):
        await _enter(services, things[start : start + AT_ONCE])
    if things:
        await storage.commit({}, {done: b""})


async def _enter(services: Services, things: Sequence[Named]) -> None:
    async def build(transaction: Transaction[bytes]) -> None:
        change = WarehouseChange(transaction, services.warehouse.name)
        for kind, path in things:
            file = change.find(kind, path)
            if file is not None and location_of(change, kind, path) is None:
                location = await asyncio.to_thread(_location, services, file)
                if location is not None:
                    claim(change, kind, path, location, services.allowed.place_of(location))

    await transact(services.storage, build, lambda: ServiceUnavailable("Others keep changing the same tables."))


def _location(services: Services, file: str) -> str | None:
    """Return the location of the table or view of a metadata file, None for an unreadable file or invalid location."""
    try:
        location = services.files.read_json(file)["location"]
        services.allowed.place_of(location)
    except (CatalogError, LookupError, TypeError, AttributeError):
        return None
    return str(location)
