"""Grants: which privileges roles of catalogs have on what. A grant never outlives its role or its securable."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import orjson

from reference_server.polaris.entities.assignments import catalog_roles_of
from reference_server.polaris.entities.keys import (
    grant_key,
    granted_on,
    grantee_key,
    grantees_prefix,
    grants_prefix,
)
from reference_server.polaris.entities.names import require
from reference_server.polaris.securables import Securable, SecurableType, catalog_role, principal_role
from reference_server.storage import Readable, unpack
from reference_server.storage.transactions import Transaction

ORDER = (
    SecurableType.ROOT,
    SecurableType.CATALOG,
    SecurableType.NAMESPACE,
    SecurableType.TABLE,
    SecurableType.VIEW,
    SecurableType.POLICY,
)
Grant = tuple[Securable, str]


class StoredGrants:
    """What principal roles are granted: looked up by keys, so that other grants do not count."""

    def __init__(self, store: Readable[bytes]) -> None:
        self._store = store

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges that are granted to these roles on a securable itself; nothing is implied by others."""
        granted: set[str] = set()
        for name in roles:
            role = principal_role(name)
            holders = catalog_roles_of(self._store, role, securable.catalog) if securable.catalog else [role]
            for holder in holders:
                granted |= privileges(self._store, holder, securable)
        return frozenset(granted)

    def catalog_roles(self, roles: Collection[str], catalog: str) -> tuple[str, ...]:
        """Return the roles of a catalog that these roles have, by name."""
        held = {role.path[0] for name in roles for role in catalog_roles_of(self._store, principal_role(name), catalog)}
        return tuple(sorted(held))


def privileges(store: Readable[bytes], role: Securable, securable: Securable) -> set[str]:
    """Return the privileges of a role on a securable."""
    value = store.get(grant_key(role, securable))
    return set(orjson.loads(value)) if value else set()


def grants_of(store: Readable[bytes], role: Securable) -> list[Grant]:
    """Return all grants of a role of a catalog: catalogs first, then namespaces, tables, views and policies."""
    grants = [
        (granted_on(key, role.catalog), privilege)
        for key, value in store.scan(grants_prefix(role))
        for privilege in orjson.loads(value)
    ]
    return sorted(grants, key=lambda grant: (ORDER.index(grant[0].kind), grant[0].path, grant[1]))


def grant(transaction: Transaction[bytes], role: Securable, securable: Securable, privilege: str) -> None:
    """Grant a privilege to a role, which may have it already. Raises NotFound."""
    require(transaction, role)
    require(transaction, securable)
    present = privileges(transaction, role, securable)
    if privilege not in present:
        _write(transaction, role, securable, present | {privilege})


def revoke(transaction: Transaction[bytes], role: Securable, securable: Securable, privilege: str) -> bool:
    """Revoke a privilege from a role; return whether it had it."""
    present = privileges(transaction, role, securable)
    if privilege not in present:
        return False
    _write(transaction, role, securable, present - {privilege})
    return True


def revoke_below(transaction: Transaction[bytes], role: Securable, securable: Securable, privilege: str) -> None:
    """Revoke a privilege from a role on everything that lies in a catalog or a namespace."""
    depth = len(securable.path)
    for key, _ in transaction.scan(grants_prefix(role)):
        inner = granted_on(key, role.catalog)
        if len(inner.path) > depth and inner.path[:depth] == securable.path:
            revoke(transaction, role, inner, privilege)


def revoke_all(transaction: Transaction[bytes], role: Securable) -> None:
    """Revoke everything from a role that is being dropped."""
    for key, _ in transaction.scan(grants_prefix(role)):
        _write(transaction, role, granted_on(key, role.catalog), ())
    transaction.require_empty(grants_prefix(role))


def forget(transaction: Transaction[bytes], securable: Securable, successor: Securable | None = None) -> None:
    """Take the grants on something that is being dropped away, or give them to what it is renamed to."""
    for key, _ in transaction.scan(grantees_prefix(securable)):
        role = catalog_role(securable.catalog, unpack(key)[-1].decode())
        present = privileges(transaction, role, securable)
        _write(transaction, role, securable, ())
        if successor is not None:
            _write(transaction, role, successor, present)
    transaction.require_empty(grantees_prefix(securable))


def _write(transaction: Transaction[bytes], role: Securable, securable: Securable, granted: Iterable[str]) -> None:
    names = sorted(granted)
    transaction.put(grant_key(role, securable), orjson.dumps(names) if names else None)
    transaction.put(grantee_key(role, securable), b"" if names else None)
