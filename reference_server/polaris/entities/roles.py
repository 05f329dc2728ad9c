"""Principal roles and catalog roles: a role is dropped with its assignments and grants."""

from __future__ import annotations

from reference_server.errors import InvalidInput
from reference_server.polaris.entities import records
from reference_server.polaris.entities.assignments import unassign_all
from reference_server.polaris.entities.bootstrap import CATALOG_ADMIN, SERVICE_ADMIN
from reference_server.polaris.entities.grants import revoke_all
from reference_server.polaris.securables import Securable, SecurableType
from reference_server.storage.transactions import Transaction

UNDROPPABLE = {
    (SecurableType.CATALOG_ROLE, CATALOG_ADMIN): "Catalog admin role cannot be dropped",
    (SecurableType.PRINCIPAL_ROLE, SERVICE_ADMIN): "Polaris service admin principal role cannot be dropped",
}


def drop(transaction: Transaction[bytes], role: Securable) -> None:
    """Drop a role. Raises NotFound, and InvalidInput for the built-in admin roles."""
    records.load(transaction, role)
    refusal = UNDROPPABLE.get((role.kind, role.path[0]))
    if refusal:
        raise InvalidInput(refusal)
    remove(transaction, role)


def remove(transaction: Transaction[bytes], role: Securable) -> None:
    """Drop any role. Raises NotFound."""
    records.delete(transaction, role)
    unassign_all(transaction, role)
    revoke_all(transaction, role)
