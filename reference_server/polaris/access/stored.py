"""What decisions are made on, as a storage has it."""

from __future__ import annotations

from reference_server.polaris.entities import names
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
