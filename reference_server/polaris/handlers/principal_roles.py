"""Principal roles: operations on them, on their principals, and on their catalog roles."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import records, roles
from reference_server.polaris.entities.names import require
from reference_server.polaris.entities.records import Record
from reference_server.polaris.handlers.bodies import properties_of
from reference_server.polaris.handlers.entities import (
    assign,
    assignees_answer,
    replace_properties,
    roles_answer,
    unassign,
)
from reference_server.polaris.securables import Securable, SecurableType, catalog, catalog_role, principal_role


def _named(context: ManagementContext) -> Securable:
    return principal_role(context.path["principalRoleName"])


async def list_principal_roles(context: ManagementContext) -> dict[str, Any]:
    """Return all principal roles."""
    context.reusable = True
    return {"roles": records.list_all(context.polaris.storage, SecurableType.PRINCIPAL_ROLE)}


async def create_principal_role(context: ManagementContext) -> Reply:
    """Create a principal role."""
    wanted, rules = context.body["principalRole"], context.polaris.rules
    federated = {"federated": bool(wanted.get("federated"))} if rules.federated_roles else {}
    fields = {"name": wanted["name"], **federated, "properties": properties_of(wanted)}
    role = principal_role(wanted["name"])
    return json_reply(await context.commit(lambda transaction: records.insert(transaction, role, fields)), 201)


async def get_principal_role(context: ManagementContext) -> Record:
    """Return a principal role."""
    context.reusable = True
    return records.load(context.polaris.storage, _named(context))


async def update_principal_role(context: ManagementContext) -> Record:
    """Replace the properties of a principal role of the expected version."""
    return await replace_properties(context, _named(context))


async def delete_principal_role(context: ManagementContext) -> None:
    """Drop a principal role with its assignments."""
    await context.commit(lambda transaction: roles.drop(transaction, _named(context)))


async def list_assignee_principals_for_principal_role(context: ManagementContext) -> dict[str, Any]:
    """Return the principals of a principal role."""
    return assignees_answer(context, _named(context), "principals")


async def list_catalog_roles_for_principal_role(context: ManagementContext) -> dict[str, Any]:
    """Return the roles of a catalog that are assigned to a principal role."""
    name = context.path["catalogName"]
    require(context.polaris.storage, _named(context))
    require(context.polaris.storage, catalog(name))
    return roles_answer(context, _named(context), SecurableType.CATALOG_ROLE, name)


async def assign_catalog_role_to_principal_role(context: ManagementContext) -> None:
    """Assign a catalog role to a principal role."""
    name, role = context.path["catalogName"], context.body["catalogRole"]["name"]
    require(context.polaris.storage, catalog(name))
    await assign(context, _named(context), catalog_role(name, role))


async def revoke_catalog_role_from_principal_role(context: ManagementContext) -> None:
    """Revoke a catalog role from a principal role."""
    name, role = context.path["catalogName"], context.path["catalogRoleName"]
    require(context.polaris.storage, catalog(name))
    await unassign(context, _named(context), catalog_role(name, role))
