"""sendNotification: an external catalog follows a change that another catalog made to a table.

Creation and update are the same: the table is registered, with its namespaces, unless a newer notification was
processed. Dropping a table also drops its notification time. A validation changes nothing and reads no file.
"""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply
from reference_server.errors import CatalogError, InvalidInput, TableAlreadyExists
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path, check_name, check_namespace, show
from reference_server.polaris.catalog.notified import last_notified, note
from reference_server.polaris.catalog.places import check_plain, is_within, place_of
from reference_server.polaris.catalog.served import ServedCatalog, served_catalog
from reference_server.polaris.context import CatalogContext

ENTERED = ("CREATE", "UPDATE")
MOST_DIGITS = 19
Payload = dict[str, Any]


def read_timestamp(body: Any) -> None:
    """Convert a timestamp in text form, as clients send it, to a number."""
    payload = body.get("payload") if isinstance(body, dict) else None
    if not isinstance(payload, dict):
        return
    timestamp = payload.get("timestamp")
    if isinstance(timestamp, str) and timestamp.isascii() and timestamp.isdigit() and len(timestamp) < MOST_DIGITS:
        payload["timestamp"] = int(timestamp)


def require_external(catalog: ServedCatalog) -> None:
    """Raise InvalidInput for an internal catalog."""
    if not catalog.is_external:
        raise InvalidInput("Cannot update internal catalog via notifications")


async def send_notification(context: CatalogContext) -> Reply:
    """Apply the change of another catalog."""
    require_external(served_catalog(context))
    kind, payload, path = context.body["notification-type"], context.body["payload"], context.object_path("table")

    async def build(change: WarehouseChange) -> Reply:
        if kind in ENTERED:
            await _enter(context, change, path, payload)
        elif kind == "DROP" and change.find(Kind.TABLE, path) is not None:
            change.remove(Kind.TABLE, path)
        elif kind == "VALIDATE":
            _check_file(context, payload["metadata-location"])
        return Reply(204)

    async with context.alone([path]):
        return await commit(context, build)


async def _enter(context: CatalogContext, change: WarehouseChange, path: Path, payload: Payload) -> None:
    """Register the metadata file of a notification for a table. Raises CatalogError."""
    timestamp, location = payload["timestamp"], payload["metadata-location"]
    last = last_notified(change, path)
    if last is not None and timestamp <= last:
        raise _too_old(path)
    _check_file(context, location)
    file = await context.table_file(location)
    context.services.allowed.check(file.metadata["location"])
    if not is_within(place_of(location), place_of(file.metadata["location"])):
        raise InvalidInput(f"The metadata file {location:.300} is not within the location of its table")
    _make_namespaces(context, change, path[:-1])
    if change.find(Kind.TABLE, path) is None:
        check_name(path[-1])
        change.require_free(Kind.TABLE, path)
        context.services.locations.place(change, Kind.TABLE, path, file.metadata)
        change.add(Kind.TABLE, path, location)
    else:
        context.services.locations.place(change, Kind.TABLE, path, file.metadata)
        change.replace(Kind.TABLE, path, location)
    note(change, path, timestamp)


def _check_file(context: CatalogContext, location: str) -> None:
    """Raise InvalidInput or PermissionDenied for a metadata file that the catalog does not allow."""
    context.services.allowed.check(location)
    check_plain(location)


def _make_namespaces(context: CatalogContext, change: WarehouseChange, path: Path) -> None:
    """Create a namespace and its parents unless they exist."""
    check_namespace(path)
    for depth in range(1, len(path) + 1):
        if change.find(Kind.NAMESPACE, path[:depth]) is None:
            properties = context.services.locations.namespace_properties(change, path[:depth], {})
            change.add_namespace(path[:depth], properties)


def _too_old(path: Path) -> CatalogError:
    return TableAlreadyExists(f"A notification with a newer timestamp has been processed for table {show(path)}")
