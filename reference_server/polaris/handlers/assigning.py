"""Giving roles to principals and to principal roles, and taking them away."""

from __future__ import annotations

from typing import Any

from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import assignments, records
from reference_server.polaris.entities.names import require
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.securables import Securable
from reference_server.storage.transactions import Transaction


async def assign(context: ManagementContext, assignee: Securable, role: Securable) -> None:
    """Give a role to somebody, who may have it already. Raises NotFound."""
    await context.commit(lambda transaction: assignments.assign(transaction, assignee, role))


async def unassign(context: ManagementContext, assignee: Securable, role: Securable) -> None:
    """Take a role from somebody. Raises NotFound, and GrantNotFound where that is an error."""

    def build(transaction: Transaction[bytes]) -> None:
        require(transaction, assignee)
        require(transaction, role)
        if not assignments.unassign(transaction, assignee, role) and context.polaris.rules.unknown_revokes_fail:
            raise GrantNotFound

    await context.commit(build)


def roles_answer(context: ManagementContext, assignee: Securable, *kinds: str) -> dict[str, Any]:
    """Return the roles of somebody, `kinds` are the first parts of those meant. Raises NotFound."""
    context.reusable = True
    store = context.polaris.storage
    require(store, assignee)
    return {"roles": records.load_each(store, assignments.roles_of(store, assignee, *kinds))}


def assignees_answer(context: ManagementContext, role: Securable, field: str) -> dict[str, Any]:
    """Return those who have a role. Raises NotFound."""
    context.reusable = True
    store = context.polaris.storage
    require(store, role)
    return {field: records.load_each(store, assignments.assignees_of(store, role))}
