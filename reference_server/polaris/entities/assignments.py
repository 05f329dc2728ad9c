"""Assignments of principal roles to principals, and of catalog roles to principal roles."""

from __future__ import annotations

from collections.abc import Iterator

from reference_server.polaris.entities.keys import assignees_prefix, assignment_keys, other_end, roles_prefix
from reference_server.polaris.entities.names import require
from reference_server.polaris.securables import Securable, SecurableType
from reference_server.storage import Readable
from reference_server.storage.transactions import Transaction


def roles_of(store: Readable[bytes], assignee: Securable, *kinds: str) -> Iterator[Securable]:
    """Yield the roles of a principal or of a principal role; `kinds` are the first parts of their keys."""
    return (other_end(key) for key, _ in store.scan(roles_prefix(assignee, *kinds)))


def catalog_roles_of(store: Readable[bytes], role: Securable, catalog: str) -> Iterator[Securable]:
    """Yield the roles of one catalog that a principal role has."""
    return roles_of(store, role, SecurableType.CATALOG_ROLE, catalog)


def assignees_of(store: Readable[bytes], role: Securable) -> Iterator[Securable]:
    """Yield the principals that have a principal role, or the principal roles that have a role of a catalog."""
    return (other_end(key) for key, _ in store.scan(assignees_prefix(role)))


def assign(transaction: Transaction[bytes], assignee: Securable, role: Securable) -> None:
    """Assign a role to a principal or principal role; assigning it twice is allowed. Raises NotFound."""
    require(transaction, assignee)
    require(transaction, role)
    for key in assignment_keys(assignee, role):
        if transaction.get(key) is None:
            transaction.put(key, b"")


def unassign(transaction: Transaction[bytes], assignee: Securable, role: Securable) -> bool:
    """Revoke a role from a principal or principal role; return whether it was assigned."""
    keys = assignment_keys(assignee, role)
    if transaction.get(keys[0]) is None:
        return False
    for key in keys:
        transaction.put(key, None)
    return True


def unassign_all(transaction: Transaction[bytes], entity: Securable) -> None:
    """Revoke all roles of an entity that is being dropped, and revoke it from all its assignees."""
    for role in roles_of(transaction, entity):
        unassign(transaction, entity, role)
    for assignee in assignees_of(transaction, entity):
        unassign(transaction, assignee, entity)
    transaction.require_empty(roles_prefix(entity), assignees_prefix(entity))
