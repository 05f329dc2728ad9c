"""Contexts of requests to the Polaris APIs, and the services that all requests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from reference_server.context import Context
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import PageRequest
from reference_server.iceberg.catalog.entity_tags import ALL, REFS
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import CommitFailed
from reference_server.polaris.callers import Callers
from reference_server.polaris.catalog.rules import PAGINATION
from reference_server.polaris.catalog.served import served_catalog
from reference_server.polaris.rules import ManagementRules
from reference_server.storage import Storage
from reference_server.storage.transactions import Transaction, transact

T = TypeVar("T")
SNAPSHOTS = "snapshots"


@dataclass(frozen=True, slots=True)
class PolarisServices:
    """Services of all requests: the storage, the rules of the revision, and the authentication.

    `pages_by_size`: a page size without a token asks for a page, too.
    """

    storage: Storage[bytes]
    rules: ManagementRules
    callers: Callers
    pages_by_size: bool


@dataclass(slots=True)
class ManagementContext(Context):
    """A request to the management API."""

    polaris: PolarisServices

    async def commit(self, build: Callable[[Transaction[bytes]], T]) -> T:
        """Commit a change and return the result of `build`; see `transact`.

        Raises the errors of `build`, and CommitFailed after too many conflicts.
        """

        async def attempt(transaction: Transaction[bytes]) -> T:
            return build(transaction)

        return await transact(self.polaris.storage, attempt, _contended)


@dataclass(slots=True)
class CatalogContext(IcebergContext):
    """A request for the content of a catalog."""

    polaris: PolarisServices

    @property
    def page(self) -> PageRequest:
        """The requested page; a catalog pages its listings only if it is configured to. See IcebergContext."""
        if not served_catalog(self).has(PAGINATION):
            return PageRequest(None, None, self.services.page_size)
        size = self.query("pageSize")
        paged = self.polaris.pages_by_size and size is not None
        return PageRequest(self.query("pageToken"), size, self.services.page_size, paged=paged)

    def query(self, name: str) -> Any:
        """Return a query parameter; see Context.

        `snapshots` is case-insensitive. Raises InvalidInput for its unknown values.
        """
        value = IcebergContext.query(self, name)
        if name != SNAPSHOTS or not value:
            return value
        if value.lower() not in (ALL, REFS):
            raise InvalidInput(f"Unrecognized snapshots: {value:.100}")
        return value.lower()


def _contended() -> CommitFailed:
    return CommitFailed("Others kept changing the same entities; get them again and retry.")
