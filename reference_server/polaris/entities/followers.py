"""What changes with a catalog in the same commit: the catalog is still there, grants follow what they are on."""

from __future__ import annotations

from reference_server.iceberg.catalog import keys as iceberg_keys
from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.names import Path
from reference_server.polaris.entities.grants import forget
from reference_server.polaris.entities.names import require
from reference_server.polaris.securables import Securable, SecurableType, catalog

KINDS = {iceberg_keys.Kind.GENERIC_TABLE: SecurableType.TABLE}


class GrantFollower:
    """See Follower: grants are dropped and renamed with what they are on."""

    def started(self, change: Change) -> None:
        """Require that the catalog is there still when the change is committed. Raises NotFound."""
        require(change.transaction, catalog(change.warehouse))

    def removed(self, change: Change, kind: iceberg_keys.Kind, path: Path) -> None:
        """Drop the grants on it."""
        forget(change.transaction, _securable(change, kind, path))

    def moved(self, change: Change, kind: iceberg_keys.Kind, path: Path, target: Path) -> None:
        """Give the grants to the new name."""
        forget(change.transaction, _securable(change, kind, path), _securable(change, kind, target))


def _securable(change: Change, kind: iceberg_keys.Kind, path: Path) -> Securable:
    return Securable(KINDS.get(kind) or SecurableType(kind.value), change.warehouse, path)
