"""What decisions are made on, as a storage has it."""

from __future__ import annotations

from reference_server.polaris.entities import names
from reference_server.polaris.entities.credentials import find_credentials
from reference_server.polaris.entities.grants import StoredGrants
from reference_server.polaris.securables import Securable


class StoredFacts(StoredGrants):
    """See Facts."""

    def exists(self, securable: Securable) -> bool:
        """See Facts."""
        return names.exists(self._store, securable)

    def require(self, securable: Securable) -> None:
        """See Facts."""
        names.require(self._store, securable)

    def must_rotate(self, principal: str) -> bool:
        """See Facts."""
        credentials = find_credentials(self._store, principal)
        return credentials is not None and credentials.rotation_required
