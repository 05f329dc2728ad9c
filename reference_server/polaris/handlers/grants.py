"""listGrantsForCatalogRole, addGrantToCatalogRole, revokeGrantFromCatalogRole."""

from __future__ import annotations

from typing import Any

from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import grants
from reference_server.polaris.entities.names import require
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.handlers.catalog_roles import named_role
from reference_server.storage.transactions import Transaction


async def list_grants_for_catalog_role(context: ManagementContext) -> dict[str, Any]:
    """Return the grants of a catalog role."""
    context.reusable = True
    store = context.polaris.storage
    role = named_role(context, store)
    require(store, role)
    return {
        "grants": [grants.show_grant(securable, privilege) for securable, privilege in grants.grants_of(store, role)]
    }


async def add_grant_to_catalog_role(context: ManagementContext) -> None:
    """Grant a privilege to a catalog role; granting it twice is allowed."""
    securable, privilege = grants.read_grant(context.body["grant"], context.path["catalogName"])

    def build(transaction: Transaction[bytes]) -> None:
        grants.grant(transaction, named_role(context, transaction), securable, privilege)

    await context.commit(build)


async def revoke_grant_from_catalog_role(context: ManagementContext) -> None:
    """Revoke a privilege from a catalog role; with `cascade` also on everything below the securable."""
    securable, privilege = grants.read_grant(context.body["grant"], context.path["catalogName"])
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
