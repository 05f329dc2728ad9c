"""Follower of catalog changes: requires that the catalog exists, and keeps grants with their securables."""

from __future__ import annotations

from reference_server.iceberg.catalog import keys as iceberg_keys
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.names import Path
from reference_server.polaris.entities.grants import forget
from reference_server.polaris.entities.names import require
from reference_server.polaris.securables import Securable, SecurableType, catalog

KINDS = {iceberg_keys.Kind.GENERIC_TABLE: SecurableType.TABLE}


class GrantFollower:
    """Drops and moves grants with their securables; see Follower."""

    def started(self, change: WarehouseChange) -> None:
        """Require that the catalog still exists when the change is committed. Raises NotFound."""
        require(change.transaction, catalog(change.warehouse))

    def removed(self, change: WarehouseChange, kind: iceberg_keys.Kind, path: Path) -> None:
        """Drop the grants on a removed object."""
        forget(change.transaction, _securable(change, kind, path))

    def moved(self, change: WarehouseChange, kind: iceberg_keys.Kind, path: Path, target: Path) -> None:
        """Move the grants on a renamed object to the new name."""
        forget(change.transaction, _securable(change, kind, path), _securable(change, kind, target))


def _securable(change: WarehouseChange, kind: iceberg_keys.Kind, path: Path) -> Securable:
    return Securable(KINDS.get(kind) or SecurableType(kind.value), change.warehouse, path)
