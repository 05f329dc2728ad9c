"""What decisions are made on, as a storage has it."""

from __future__ import annotations

from collections.abc import Collection

from reference_server.polaris.entities import names
from reference_server.polaris.entities.credentials import find_credentials
from reference_server.polaris.entities.grants import StoredGrants
from reference_server.polaris.securables import Securable
from reference_server.storage import Storage
from reference_server.storage.remembered import Remembered


class StoredAccessState(StoredGrants):
    """See AccessState. What is granted and who must rotate is looked up once for each version of the storage."""

    def __init__(self, storage: Storage[bytes]) -> None:
        super().__init__(storage)
        self._granted = Remembered(storage, self._look_up)
        self._rotating = Remembered(storage, self._must_rotate)

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """See AccessState."""
        return self._granted((tuple(roles), securable))

    def exists(self, securable: Securable) -> bool:
        """See AccessState."""
        return names.exists(self._store, securable)

    def require(self, securable: Securable) -> None:
        """See AccessState."""
        names.require(self._store, securable)

    def must_rotate(self, principal: str) -> bool:
        """See AccessState."""
        return self._rotating(principal)

    def _look_up(self, asked: tuple[tuple[str, ...], Securable]) -> frozenset[str]:
        return super().granted(*asked)

    def _must_rotate(self, principal: str) -> bool:
        credentials = find_credentials(self._store, principal)
        return credentials is not None and credentials.rotation_required
