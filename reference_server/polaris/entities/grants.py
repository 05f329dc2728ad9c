"""Grants: privileges of catalog roles on securables. A grant never outlives its role or its securable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

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
from reference_server.polaris.securables import Securable, SecurableType, catalog_role, in_catalog, principal_role
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
NAME_FIELDS = {SecurableType.TABLE: "tableName", SecurableType.VIEW: "viewName", SecurableType.POLICY: "policyName"}
Grant = tuple[Securable, str]


class StoredGrants:
    """Grants of principal roles, looked up by keys, so that the number of other grants does not matter."""

    def __init__(self, store: Readable[bytes]) -> None:
        self._store = store

    def granted(self, roles: Collection[str], securable: Securable) -> frozenset[str]:
        """Return the privileges that are granted to these roles directly on a securable, without conferred ones."""
        granted: set[str] = set()
        for name in roles:
            role = principal_role(name)
            holders = catalog_roles_of(self._store, role, securable.catalog) if securable.catalog else [role]
            for holder in holders:
                granted |= privileges(self._store, holder, securable)
        return frozenset(granted)

    def catalog_roles(self, roles: Collection[str], catalog: str) -> tuple[str, ...]:
        """Return the roles of a catalog that are assigned to these roles, by name."""
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
    """Grant a privilege to a role; granting it twice is allowed. Raises NotFound."""
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
    """Revoke a privilege from a role on everything inside a catalog or a namespace."""
    depth = len(securable.path)
    for key, _ in transaction.scan(grants_prefix(role)):
        inner = granted_on(key, role.catalog)
        if len(inner.path) > depth and inner.path[:depth] == securable.path:
            revoke(transaction, role, inner, privilege)


def revoke_all(transaction: Transaction[bytes], role: Securable) -> None:
    """Revoke all privileges of a role that is being dropped."""
    for key, _ in transaction.scan(grants_prefix(role)):
        _write(transaction, role, granted_on(key, role.catalog), ())
    transaction.require_empty(grants_prefix(role))


def forget(transaction: Transaction[bytes], securable: Securable, successor: Securable | None = None) -> None:
    """Drop the grants on a dropped object, or move them to its new name."""
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


def read_grant(body: Mapping[str, Any], catalog: str) -> Grant:
    """Return the securable and the privilege of a GrantResource. Raises InvalidInput for an incomplete name."""
    kind = SecurableType(body["type"])
    levels = () if kind is SecurableType.CATALOG else body["namespace"]
    name = [body[NAME_FIELDS[kind]]] if kind in NAME_FIELDS else []
    return in_catalog(kind, catalog, [*levels, *name]), body["privilege"]


def show_grant(securable: Securable, privilege: str) -> dict[str, Any]:
    """Return a grant as a GrantResource."""
    kind, _, path = securable
    shown: dict[str, Any] = {"type": kind}
    if kind in NAME_FIELDS:
        shown |= {"namespace": path[:-1], NAME_FIELDS[kind]: path[-1]}
    elif kind is SecurableType.NAMESPACE:
        shown["namespace"] = path
    return {**shown, "privilege": privilege}
