"""Wrong grants and assignments, and wrong checks of locations and storage roles."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL_ROLE, Json, by_root, named, read
from reference_server.context import Reply
from reference_server.errors import Conflict, InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused, refuses_when
from reference_server.polaris.entities.storage_rules import BASE
from reference_server.polaris.errors import GrantNotFound
from reference_server.polaris.handlers.bodies import WRAPPERS

CREATES = [entity.operations[0] for entity in ENTITIES]


def _base(catalog: Json) -> str:
    return str(catalog.get("properties", {}).get(BASE))


@fault("locations-by-letters", on=CREATES[:1])
async def _by_letters(call: Call, proceed: Proceed) -> Reply:
    """A catalog is refused whose location starts with the letters of another one's, though it lies beside it."""
    wanted = _base(read(call.request.body).get(CATALOG.wrapper) or {})
    listed = (await by_root(call, proceed, CATALOG.lists)).get(CATALOG.listed, [])
    if any(wanted.startswith(_base(catalog)) and wanted[len(_base(catalog)) :].isalpha() for catalog in listed):
        return refused(call, InvalidInput("The location is that of another catalog."))
    return await proceed()


fault("role-wanted", "Catalogs on S3 have to name a role.", on=CREATES[:1])(
    refuses_when(
        lambda call: b'"S3"' in call.request.body and b"roleArn" not in call.request.body,
        InvalidInput("There has to be a roleArn."),
    )
)

ADD, LIST, REVOKE = "addGrantToCatalogRole", "listGrantsForCatalogRole", "revokeGrantFromCatalogRole"
ROLES = ["createCatalogRole", "deleteCatalogRole"]

# Operations that take away an assignment: which one lists what there is, and what is assigned.
ASSIGNED = {
    "revokePrincipalRole": ("listPrincipalRolesAssigned", PRINCIPAL_ROLE),
    "revokeCatalogRoleFromPrincipalRole": ("listCatalogRolesForPrincipalRole", CATALOG_ROLE),
}

GIVEN = "polaris-grants"  # in the state of a call: grants on what was dropped, grants of roles that were deleted
ABSENT = Conflict("This is not granted.")
Grant = dict[str, Any]
Held = tuple[dict[str, str], Grant]  # the path of a role, and a grant of it


async def held_grants(call: Call, proceed: Proceed, catalog: str) -> list[Held]:
    """Return all grants of all roles of a catalog."""
    grants: list[Held] = []
    for role in (await by_root(call, proceed, "listCatalogRoles", at={"catalogName": catalog})).get("roles", []):
        path = {"catalogName": catalog, "catalogRoleName": role["name"]}
        grants += [(path, grant) for grant in (await by_root(call, proceed, LIST, at=path)).get("grants", [])]
    return grants


def _granted(call: Call) -> Grant:
    body = read(call.request.body)
    grant: Grant = body.get(WRAPPERS[ADD]) or body
    return grant


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


@fault("grants-of-all-roles", on=[LIST])
async def _of_all_roles(call: Call, proceed: Proceed) -> Reply:
    """The grants of a role are listed with those of all other roles of the catalog."""
    reply = await proceed()
    if reply.status == 200:
        grants = await held_grants(call, proceed, call.path["catalogName"])
        reply.body = orjson.dumps({"grants": [grant for _, grant in grants]})
    return reply


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
