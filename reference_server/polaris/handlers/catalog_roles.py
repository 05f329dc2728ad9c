"""Catalog roles: operations on them, and on their principal roles."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import records, roles
from reference_server.polaris.entities.names import require
from reference_server.polaris.entities.records import Record
from reference_server.polaris.handlers.bodies import properties_of
from reference_server.polaris.handlers.entities import assignees_answer, replace_properties
from reference_server.polaris.securables import Securable, SecurableType, catalog, catalog_role
from reference_server.storage import Readable
from reference_server.storage.transactions import Transaction


def named_role(context: ManagementContext, store: Readable[bytes]) -> Securable:
    """Return the role in the path. Raises NotFound for a missing catalog."""
    require(store, catalog(context.path["catalogName"]))
    return catalog_role(context.path["catalogName"], context.path["catalogRoleName"])


async def list_catalog_roles(context: ManagementContext) -> dict[str, Any]:
    """Return all roles of a catalog."""
    context.reusable = True
    store, name = context.polaris.storage, context.path["catalogName"]
    require(store, catalog(name))
    return {"roles": records.list_all(store, SecurableType.CATALOG_ROLE, name)}


async def create_catalog_role(context: ManagementContext) -> Reply:
    """Create a role in a catalog."""
    wanted, name = context.body["catalogRole"], context.path["catalogName"]
    fields = {"name": wanted["name"], "properties": properties_of(wanted)}

    def build(transaction: Transaction[bytes]) -> Record:
        require(transaction, catalog(name))
        return records.insert(transaction, catalog_role(name, wanted["name"]), fields)

    return json_reply(await context.commit(build), 201)


async def get_catalog_role(context: ManagementContext) -> Record:
    """Return a role of a catalog."""
    context.reusable = True
    return records.load(context.polaris.storage, named_role(context, context.polaris.storage))


async def update_catalog_role(context: ManagementContext) -> Record:
    """Replace the properties of a catalog role of the expected version."""
    return await replace_properties(context, named_role(context, context.polaris.storage))


async def delete_catalog_role(context: ManagementContext) -> None:
    """Drop a catalog role with its grants and assignments."""
    await context.commit(lambda transaction: roles.drop(transaction, named_role(context, transaction)))


async def list_assignee_principal_roles_for_catalog_role(context: ManagementContext) -> dict[str, Any]:
    """Return the principal roles of a catalog role."""
    return assignees_answer(context, named_role(context, context.polaris.storage), "roles")
