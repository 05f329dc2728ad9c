"""Bugs that Polaris catalogs have shipped: mappings, grants and storage settings that stay, crash or are refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import orjson

from mutants.polaris.blocks import by_root, read
from reference_server.context import Reply, json_reply
from reference_server.errors import Internal, InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused
from reference_server.polaris.access.decision import Authorizer
from reference_server.polaris.access.rules import RequiredPrivilege
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.handlers.bodies import WRAPPERS
from reference_server.polaris.securables import parent

ATTACH, DETACH = "attachPolicy", "detachPolicy"
ADD, LIST, REVOKE = "addGrantToCatalogRole", "listGrantsForCatalogRole", "revokeGrantFromCatalogRole"
UPDATE = "updateCatalog"
BASE = "default-base-location"
ASSIGNMENTS = ("revokePrincipalRole", "revokeCatalogRoleFromPrincipalRole")


def _is_unattached(reply: Reply) -> bool:
    return reply.status == 404 and b"not attached" in reply.body


@fault("detach-unattached-crashes", on=[DETACH])
async def _detach_crashes(call: Call, proceed: Proceed) -> Reply:
    """Detaching a policy from a target that it is not attached to is an error of the server."""
    reply = await proceed()
    return refused(call, Internal("Failed to detach the policy.")) if _is_unattached(reply) else reply


@fault("detach-unattached-succeeds", on=[DETACH])
async def _detach_succeeds(_call: Call, proceed: Proceed) -> Reply:
    """Detaching a policy from a target that it is not attached to returns success."""
    reply = await proceed()
    return Reply(204) if _is_unattached(reply) else reply


def _mapping(call: Call) -> tuple[str, ...]:
    target = read(call.request.body).get("target")
    return *call.path.values(), orjson.dumps(target, option=orjson.OPT_SORT_KEYS).decode()


@fault("attached-twice-stays", on=[ATTACH, DETACH])
async def _attached_twice(call: Call, proceed: Proceed) -> Reply:
    """A policy that was attached again with other parameters stays attached when it is detached."""
    attached: dict[tuple[str, ...], list[Any]] = call.state.setdefault("attached-twice-stays", {})
    mapping = _mapping(call)
    if call.operation.id == DETACH and len(attached.pop(mapping, ())) > 1:
        return Reply(204)
    reply = await proceed()
    parameters = read(call.request.body).get("parameters")
    if call.operation.id == ATTACH and reply.status < 300 and parameters not in attached.setdefault(mapping, []):
        attached[mapping].append(parameters)
    return reply


@fault("storage-change-refused", on=[UPDATE])
async def _storage_fixed(call: Call, proceed: Proceed) -> Reply:
    """The storage settings of a catalog cannot be changed, not even those that may change."""
    given = read(call.request.body).get("storageConfigInfo")
    present = (await by_root(call, proceed, "getCatalog")).get("storageConfigInfo") or {}
    if isinstance(given, dict) and any(present.get(name) != value for name, value in given.items()):
        return refused(call, InvalidInput("Cannot modify the storage configuration of a catalog."))
    return await proceed()


@fault("base-location-said-only", on=[UPDATE])
async def _base_said_only(call: Call, proceed: Proceed) -> Reply:
    """A base location that the storage settings do not allow is accepted for a catalog that exists."""
    reply = await proceed()
    properties = read(call.request.body).get("properties")
    if reply.status != 400 or not isinstance(properties, dict) or not isinstance(properties.get(BASE), str):
        return reply
    present = await by_root(call, proceed, "getCatalog")
    return json_reply({**present, "properties": properties, "entityVersion": present["entityVersion"] + 1})


@fault("granted-twice-crashes", on=[ADD])
async def _granted_twice(call: Call, proceed: Proceed) -> Reply:
    """Granting a privilege that a role has already is an error of the server."""
    body = read(call.request.body)
    grant = body.get(WRAPPERS[ADD]) or body
    if grant in (await by_root(call, proceed, LIST)).get("grants", []):
        return refused(call, Internal("duplicate key value violates unique constraint"))
    return await proceed()


@fault("assigned-role-not-checked", on=ASSIGNMENTS)
async def _not_checked(call: Call, proceed: Proceed) -> Reply:
    """Taking away a role that is not assigned returns success, also where the server knows that it failed."""
    reply = await proceed()
    return Reply(204) if GrantNotFound.wire_type.encode() in reply.body else reply


@dataclass(frozen=True)
class AroundAuthorizer(Authorizer):
    """A decision that asks for a privilege on what is around an object, where the object itself is enough."""

    def needed(self, needs: Sequence[RequiredPrivilege]) -> Iterator[RequiredPrivilege]:
        """Return the privileges needed as the fault has them."""
        for need in needs:
            around = parent(need.securable)
            yield need if around is None else RequiredPrivilege(need.privilege, around)


@fault("generic-drop-by-namespace", on=["dropGenericTable"])
async def _by_namespace(call: Call, proceed: Proceed) -> Reply:
    """Dropping a generic table needs the privilege on its namespace; a grant on the table is not enough."""
    if isinstance(getattr(call.api, "authorizer", None), Authorizer):
        right, call.api = call.api.authorizer, copy(call.api)
        call.api.authorizer = AroundAuthorizer(right.rules, right.state)
    return await proceed()
