"""Times of notifications: the last one of each table that a notification created or changed.

notified / <catalog> / <path of the table>  ->  the timestamp of the last notification, as text
"""

from __future__ import annotations

from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.storage import pack

NOTIFIED = "notified"


def last_notified(change: WarehouseChange, path: Path) -> int | None:
    """Return the timestamp of the last notification for a table, None for none."""
    value = change.transaction.get(_key(change, path))
    return None if value is None else int(value)


def note(change: WarehouseChange, path: Path, timestamp: int) -> None:
    """Store the timestamp of a notification."""
    change.transaction.put(_key(change, path), str(timestamp).encode())


class NotificationFollower:
    """Drops and moves the notification times with their tables; see Follower."""

    def started(self, _change: WarehouseChange) -> None:
        """Check nothing."""

    def removed(self, change: WarehouseChange, kind: Kind, path: Path) -> None:
        """Forget the notifications of a table."""
        if kind is Kind.TABLE and last_notified(change, path) is not None:
            change.transaction.put(_key(change, path), None)

    def moved(self, change: WarehouseChange, kind: Kind, path: Path, target: Path) -> None:
        """Move the notification time of a table to its new name."""
        timestamp = last_notified(change, path) if kind is Kind.TABLE else None
        if timestamp is not None:
            change.transaction.put(_key(change, path), None)
            note(change, target, timestamp)


def _key(change: WarehouseChange, path: Path) -> bytes:
    return pack(NOTIFIED, change.warehouse, pack(*path))
