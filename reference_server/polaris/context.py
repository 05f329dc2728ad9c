"""What handlers are given: a request with what all requests to the API share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from reference_server.context import Context
from reference_server.iceberg.catalog.catalog import PageRequest
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import CommitFailed
from reference_server.polaris.callers import Callers
from reference_server.polaris.catalog.flags import PAGINATION
from reference_server.polaris.catalog.served import served_catalog
from reference_server.polaris.rules import Rules
from reference_server.storage import Storage
from reference_server.storage.transactions import Transaction, transact

T = TypeVar("T")
SNAPSHOTS = "snapshots"


@dataclass(frozen=True, slots=True)
class PolarisServices:
    """What all requests share: the storage, the rules of the revision, and who may call."""

    storage: Storage[bytes]
    rules: Rules
    callers: Callers


@dataclass(slots=True)
class ManagementContext(Context):
    """A request that is for no catalog's content."""

    polaris: PolarisServices

    async def commit(self, build: Callable[[Transaction[bytes]], T]) -> T:
        """Carry out a change in one commit and return what `build` returns; see `transact`.

        Raises what it raises, and CommitFailed when others never let it through.
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
        """See IcebergContext: a catalog has listings in pages only where it is set so."""
        if not served_catalog(self).has(PAGINATION):
            return PageRequest(None, None, self.services.page_size)
        return PageRequest(self.query("pageToken"), self.query("pageSize"), self.services.page_size)

    def query(self, name: str) -> Any:
        """See Context: which snapshots are wanted does not depend on the case of letters."""
        value = IcebergContext.query(self, name)
        return value.lower() if name == SNAPSHOTS and value else value


def _contended() -> CommitFailed:
    return CommitFailed("Others kept changing the same entities; get them again and retry.")
