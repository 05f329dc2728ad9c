"""Access state in a storage."""

from __future__ import annotations

from collections.abc import Collection

from reference_server.polaris.entities import names
from reference_server.polaris.entities.credentials import find_credentials
from reference_server.polaris.entities.grants import StoredGrants
from reference_server.polaris.securables import Securable
from reference_server.storage import Storage
from reference_server.storage.caches import VersionedCache


class StoredAccessState(StoredGrants):
    """Access state with a cache: grants and required rotations are looked up once per version of the storage."""

    def __init__(self, storage: Storage[bytes]) -> None:
        super().__init__(storage)
        self._granted = VersionedCache(storage, self._look_up)
        self._rotating = VersionedCache(storage, self._must_rotate)

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges that are granted to these roles directly on a securable."""
        return self._granted((tuple(roles), securable))

    def exists(self, securable: Securable) -> bool:
        """Return whether a securable exists."""
        return names.exists(self._store, securable)

    def require(self, securable: Securable) -> None:
        """Raise NotFound for a missing securable."""
        names.require(self._store, securable)

    def must_rotate(self, principal: str) -> bool:
        """Return whether a principal must rotate its credentials before any other operation."""
        return self._rotating(principal)

    def _look_up(self, asked: tuple[tuple[str, ...], Securable]) -> frozenset[str]:
        return super().granted(*asked)

    def _must_rotate(self, principal: str) -> bool:
        credentials = find_credentials(self._store, principal)
        return credentials is not None and credentials.rotation_required
