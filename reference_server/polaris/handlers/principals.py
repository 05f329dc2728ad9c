"""Principals: operations on them, on their credentials, and on their principal roles."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities import principals, records
from reference_server.polaris.entities.credentials import (
    PrincipalCredentials,
    hashed,
    new_client_id,
    new_identity,
    new_secret,
    quickly_hashed,
)
from reference_server.polaris.entities.records import Record
from reference_server.polaris.handlers.bodies import properties_of
from reference_server.polaris.handlers.entities import assign, replace_properties, roles_answer, unassign
from reference_server.polaris.securables import Securable, SecurableType, principal, principal_role


def _named(context: ManagementContext) -> Securable:
    return principal(context.path["principalName"])


async def list_principals(context: ManagementContext) -> dict[str, Any]:
    """Return all principals."""
    context.reusable = True
    return {"principals": records.list_all(context.polaris.storage, SecurableType.PRINCIPAL)}


async def create_principal(context: ManagementContext) -> Reply:
    """Create a principal and return its credentials; a client id in the request is ignored."""
    wanted, secret = context.body["principal"], new_secret()
    name, properties = wanted["name"], properties_of(wanted)
    required = bool(context.body.get("credentialRotationRequired"))
    credentials = PrincipalCredentials(new_identity(), new_client_id(), (quickly_hashed(secret),), required)
    record = await context.commit(lambda transaction: principals.create(transaction, name, properties, credentials))
    return _with_credentials(record, secret, 201)


async def get_principal(context: ManagementContext) -> Record:
    """Return a principal."""
    context.reusable = True
    return records.load(context.polaris.storage, _named(context))


async def update_principal(context: ManagementContext) -> Record:
    """Replace the properties of a principal of the expected version."""
    return await replace_properties(context, _named(context))


async def delete_principal(context: ManagementContext) -> None:
    """Drop a principal."""
    await context.commit(lambda transaction: principals.drop(transaction, context.path["principalName"]))


async def rotate_credentials(context: ManagementContext) -> Reply:
    """Rotate the secret of a principal and return the new one."""
    name, secret = context.path["principalName"], new_secret()
    digest = quickly_hashed(secret)
    record = await context.commit(lambda transaction: principals.rotate(transaction, name, digest))
    return _with_credentials(record, secret, 200)


async def reset_credentials(context: ManagementContext) -> Reply:
    """Reset the secret of a principal, to a random one unless the request has one, and its client id if it is given."""
    name, wanted = context.path["principalName"], context.body or {}
    client_id, chosen = wanted.get("clientId"), wanted.get("clientSecret")
    secret = chosen or new_secret()
    digest = await context.run(hashed, secret) if chosen else quickly_hashed(secret)
    record = await context.commit(lambda transaction: principals.reset(transaction, name, client_id, digest))
    return _with_credentials(record, secret, 200)


def _with_credentials(record: Record, secret: str, status: int) -> Reply:
    credentials = {"clientId": record["clientId"], "clientSecret": secret}
    reply = json_reply({"principal": record, "credentials": credentials}, status)
    reply.headers["Cache-Control"] = "no-store"
    return reply


async def list_principal_roles_assigned(context: ManagementContext) -> dict[str, Any]:
    """Return the principal roles of a principal."""
    return roles_answer(context, _named(context))


async def assign_principal_role(context: ManagementContext) -> None:
    """Assign a principal role to a principal."""
    await assign(context, _named(context), principal_role(context.body["principalRole"]["name"]))


async def revoke_principal_role(context: ManagementContext) -> None:
    """Revoke a principal role from a principal."""
    await unassign(context, _named(context), principal_role(context.path["principalRoleName"]))
