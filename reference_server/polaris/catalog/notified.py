"""When another catalog last said something of a table: one number for each table that a notification made or changed.

notified / <catalog> / <path of the table>  ->  the timestamp of the last notification, as text
"""

from __future__ import annotations

from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.storage import pack

NOTIFIED = "notified"


def last_notified(change: Change, path: Path) -> int | None:
    """Return the timestamp of the last notification for a table, None for none."""
    value = change.transaction.get(_key(change, path))
    return None if value is None else int(value)


def note(change: Change, path: Path, timestamp: int) -> None:
    """Keep the timestamp of a notification."""
    change.transaction.put(_key(change, path), str(timestamp).encode())


class NotificationFollower:
    """See Follower: what comes after a table of a name knows nothing of the one before it."""

    def started(self, _change: Change) -> None:
        """Nothing has to be so."""

    def removed(self, change: Change, kind: Kind, path: Path) -> None:
        """Forget the notifications of a table."""
        if kind is Kind.TABLE and last_notified(change, path) is not None:
            change.transaction.put(_key(change, path), None)

    def moved(self, change: Change, kind: Kind, path: Path, target: Path) -> None:
        """Let the notifications go along with a table."""
        timestamp = last_notified(change, path) if kind is Kind.TABLE else None
        if timestamp is not None:
            change.transaction.put(_key(change, path), None)
            note(change, target, timestamp)


def _key(change: Change, path: Path) -> bytes:
    return pack(NOTIFIED, change.warehouse, pack(*path))
