"""listGrantsForCatalogRole, addGrantToCatalogRole, revokeGrantFromCatalogRole."""

from __future__ import annotations

from typing import Any

from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import grants
from reference_server.polaris.entities.names import require
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.handlers.catalog_roles import named_role
from reference_server.polaris.securables import Securable, SecurableType, catalog
from reference_server.storage.transactions import Transaction

NAMES = {SecurableType.TABLE: "tableName", SecurableType.VIEW: "viewName", SecurableType.POLICY: "policyName"}


async def list_grants_for_catalog_role(context: ManagementContext) -> dict[str, Any]:
    """Return the grants of a role of a catalog."""
    context.reusable = True
    store = context.polaris.storage
    role = named_role(context, store)
    require(store, role)
    return {"grants": [_shown(securable, privilege) for securable, privilege in grants.grants_of(store, role)]}


async def add_grant_to_catalog_role(context: ManagementContext) -> None:
    """Grant a privilege to a role of a catalog, which may have it already."""
    securable, privilege = grant_of(context)

    def build(transaction: Transaction[bytes]) -> None:
        grants.grant(transaction, named_role(context, transaction), securable, privilege)

    await context.commit(build)


async def revoke_grant_from_catalog_role(context: ManagementContext) -> None:
    """Revoke a privilege from a role of a catalog; with `cascade` on everything below the securable too."""
    securable, privilege = grant_of(context)
    cascade = context.query("cascade")

    def build(transaction: Transaction[bytes]) -> None:
        role = named_role(context, transaction)
        require(transaction, role)
        require(transaction, securable)
        had = grants.revoke(transaction, role, securable, privilege)
        if not had and context.polaris.rules.unknown_revokes_fail:
            raise GrantNotFound
        if cascade:
            grants.revoke_below(transaction, role, securable, privilege)

    await context.commit(build)


def grant_of(context: ManagementContext) -> tuple[Securable, str]:
    """Return what the body grants on what."""
    grant, name = context.body["grant"], context.path["catalogName"]
    kind, privilege = SecurableType(grant["type"]), grant["privilege"]
    if kind is SecurableType.CATALOG:
        return catalog(name), privilege
    levels = tuple(grant["namespace"])
    path = (*levels, grant[NAMES[kind]]) if kind in NAMES else levels
    return Securable(kind, name, path), privilege


def _shown(securable: Securable, privilege: str) -> dict[str, Any]:
    """Return a grant as the API shows it."""
    kind, _, path = securable
    shown: dict[str, Any] = {"type": kind}
    if kind in NAMES:
        shown |= {"namespace": path[:-1], NAMES[kind]: path[-1]}
    elif kind is SecurableType.NAMESPACE:
        shown["namespace"] = path
    return {**shown, "privilege": privilege}
