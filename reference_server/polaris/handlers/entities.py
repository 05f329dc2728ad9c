"""Requests that principals, principal roles and catalog roles have in common: property updates and assignments."""

from __future__ import annotations

from typing import Any

from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import assignments, records
from reference_server.polaris.entities.names import require
from reference_server.polaris.entities.records import Record
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.handlers.bodies import properties_of
from reference_server.polaris.securables import Securable
from reference_server.storage.transactions import Transaction


async def replace_properties(context: ManagementContext, entity: Securable) -> Record:
    """Replace the properties of an entity of the expected version, and return its record.

    Raises NotFound, and CommitFailed for another version.
    """
    version, fields = context.body["currentEntityVersion"], {"properties": properties_of(context.body)}
    return await context.commit(lambda transaction: records.update(transaction, entity, version, fields))


async def assign(context: ManagementContext, assignee: Securable, role: Securable) -> None:
    """Assign a role to a principal or principal role; assigning it twice is allowed. Raises NotFound."""
    await context.commit(lambda transaction: assignments.assign(transaction, assignee, role))


async def unassign(context: ManagementContext, assignee: Securable, role: Securable) -> None:
    """Revoke a role from a principal or principal role. Raises NotFound, and GrantNotFound where that is an error."""

    def build(transaction: Transaction[bytes]) -> None:
        require(transaction, assignee)
        require(transaction, role)
        if not assignments.unassign(transaction, assignee, role) and context.polaris.rules.unknown_revokes_fail:
            raise GrantNotFound

    await context.commit(build)


def roles_answer(context: ManagementContext, assignee: Securable, *kinds: str) -> dict[str, Any]:
    """Return the answer with the roles of an assignee; `kinds` are the first parts of their keys. Raises NotFound."""
    context.reusable = True
    store = context.polaris.storage
    require(store, assignee)
    return {"roles": records.load_each(store, assignments.roles_of(store, assignee, *kinds))}


def assignees_answer(context: ManagementContext, role: Securable, field: str) -> dict[str, Any]:
    """Return the answer with the assignees of a role. Raises NotFound."""
    context.reusable = True
    store = context.polaris.storage
    require(store, role)
    return {field: records.load_each(store, assignments.assignees_of(store, role))}
