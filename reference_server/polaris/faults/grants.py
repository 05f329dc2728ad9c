"""How grants are kept carelessly: which there are, and what becomes of them with their role or what they are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import Conflict
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.catalog.names import levels
from reference_server.iceberg.faults.blocks import refused
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.faults.blocks import CATALOG_ROLE, PRINCIPAL_ROLE, by_root, named, read
from reference_server.polaris.handlers.bodies import WRAPPERS

ADD, LIST, REVOKE = "addGrantToCatalogRole", "listGrantsForCatalogRole", "revokeGrantFromCatalogRole"
DROPS = {"dropTable": "table", "dropView": "view", "dropNamespace": "namespace"}
CREATES = {"createTable": "table", "createView": "view", "createNamespace": "namespace"}
RENAMES = {"renameTable": "table", "renameView": "view"}
ROLES = ["createCatalogRole", "deleteCatalogRole"]
# Operations that take away an assignment: which one lists what there is, and what is assigned.
ASSIGNED = {
    "revokePrincipalRole": ("listPrincipalRolesAssigned", PRINCIPAL_ROLE),
    "revokeCatalogRoleFromPrincipalRole": ("listCatalogRolesForPrincipalRole", CATALOG_ROLE),
}
GIVEN = "polaris-grants"  # in the state of a call: grants on what was dropped, grants of roles that were deleted
ALREADY = Conflict("This is granted already.")
ABSENT = Conflict("This is not granted.")

Grant = dict[str, Any]
Held = tuple[dict[str, str], Grant]  # the path of a role, and a grant of it


async def _grants(call: Call, proceed: Proceed, catalog: str) -> list[Held]:
    """Return all grants of all roles of a catalog."""
    grants: list[Held] = []
    for role in (await by_root(call, proceed, "listCatalogRoles", at={"catalogName": catalog})).get("roles", []):
        path = {"catalogName": catalog, "catalogRoleName": role["name"]}
        grants += [(path, grant) for grant in (await by_root(call, proceed, LIST, at=path)).get("grants", [])]
    return grants


def _place(grant: Grant) -> tuple[str, ...]:
    """Return what a grant is on: its kind and its path."""
    names = [grant[name] for name in ("tableName", "viewName", "policyName") if name in grant]
    return grant["type"], *grant.get("namespace", ()), *names


def _subject(call: Call) -> tuple[str, ...]:
    """Return what a call drops or creates, as `_place` does."""
    kind = DROPS.get(call.operation.id) or CREATES[call.operation.id]
    body = read(call.request.body)
    around = levels(call.path["namespace"]) if "namespace" in call.path else tuple(body.get("namespace") or ())
    name = call.path.get(kind, body.get("name")) if kind != "namespace" else None
    return (kind, *around, name) if name is not None else (kind, *around)


def _granted(call: Call) -> Grant:
    body = read(call.request.body)
    grant: Grant = body.get(WRAPPERS[ADD]) or body
    return grant


@fault("grants-come-back", on=[*DROPS, *CREATES])
async def _come_back(call: Call, proceed: Proceed) -> Reply:
    """What is created has the grants on something of its name that was dropped."""
    catalog, subject = call.path["prefix"], _subject(call)
    remembered: dict[Any, Sequence[Held]] = call.state.setdefault(GIVEN, {})
    dropping = call.operation.id in DROPS
    held = await _grants(call, proceed, catalog) if dropping else []
    reply = await proceed()
    if dropping and reply.status < 300:
        remembered[catalog, subject] = [pair for pair in held if _place(pair[1]) == subject]
    elif reply.status < 300:
        for path, grant in remembered.pop((catalog, subject), ()):
            await by_root(call, proceed, ADD, grant, path)
    return reply


@fault("grants-of-deleted-roles", on=ROLES)
async def _of_deleted_roles(call: Call, proceed: Proceed) -> Reply:
    """A role has the grants of one of its name that was deleted."""
    path = {"catalogName": call.path["catalogName"], "catalogRoleName": named(call, CATALOG_ROLE)}
    remembered: dict[Any, list[Grant]] = call.state.setdefault(GIVEN, {})
    deleting = call.operation.id == ROLES[1]
    held = (await by_root(call, proceed, LIST)).get("grants", []) if deleting else []
    reply = await proceed()
    if deleting and reply.status == 204:
        remembered[tuple(path.values())] = held
    elif reply.status == 201:
        for grant in remembered.pop(tuple(path.values()), []):
            await by_root(call, proceed, ADD, grant, path)
    return reply


@fault("grants-stay-behind", on=[*RENAMES])
async def _stay_behind(call: Call, proceed: Proceed) -> Reply:
    """What is renamed loses the grants on it."""
    reply = await proceed()
    target = read(call.request.body).get("destination") or {}
    if reply.status < 300:
        place = RENAMES[call.operation.id], *target["namespace"], target["name"]
        for path, grant in await _grants(call, proceed, call.path["prefix"]):
            if _place(grant) == place:
                await by_root(call, proceed, REVOKE, grant, path)
    return reply


@fault("grants-of-all-roles", on=[LIST])
async def _of_all_roles(call: Call, proceed: Proceed) -> Reply:
    """The grants of a role are listed with those of all other roles of the catalog."""
    reply = await proceed()
    if reply.status == 200:
        grants = await _grants(call, proceed, call.path["catalogName"])
        reply.body = orjson.dumps({"grants": [grant for _, grant in grants]})
    return reply


@fault("grant-refused-twice", on=[ADD])
async def _refused_twice(call: Call, proceed: Proceed) -> Reply:
    """What is granted already is refused."""
    held = (await by_root(call, proceed, LIST)).get("grants", [])
    return refused(call, ALREADY) if _granted(call) in held else await proceed()


@fault("absent-revoke-conflicts", on=[REVOKE, *ASSIGNED])
async def _absent_conflicts(call: Call, proceed: Proceed) -> Reply:
    """Taking away what is not there is a conflict."""
    lists, given = ASSIGNED.get(call.operation.id, (LIST, CATALOG_ROLE))
    present = await by_root(call, proceed, lists)
    if call.operation.id == REVOKE:
        held = _granted(call) in present.get("grants", [])
    else:
        held = any(assigned["name"] == named(call, given) for assigned in present.get(given.listed, []))
    reply = await proceed()
    absent = GrantNotFound.wire_type.encode() in reply.body or (reply.status < 300 and not held)
    return refused(call, ABSENT) if absent else reply


@fault("grant-privilege-by-number", on=[ADD])
async def _by_number(call: Call, proceed: Proceed) -> Reply:
    """A number is taken as a privilege: the one with this place in the document's list."""
    grant = _granted(call)
    kind, privilege = str(grant.get("type")).capitalize(), grant.get("privilege")
    names = call.document.raw["components"]["schemas"].get(f"{kind}Privilege", {}).get("enum", [])
    if isinstance(privilege, int) and privilege < len(names):
        call.request = call.request.altered(body=orjson.dumps({**grant, "privilege": names[privilege]}))
    return await proceed()
