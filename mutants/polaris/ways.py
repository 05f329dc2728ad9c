"""Revocations and deletions that take more than they name."""

from __future__ import annotations

from mutants.polaris.blocks import CATALOG_ROLE, PRINCIPAL, PRINCIPAL_ROLE, Entity, Json, by_root, read
from mutants.polaris.grants import ADD, LIST, REVOKE
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.polaris.handlers.bodies import WRAPPERS


def granted(call: Call) -> Json:
    """Return the grant in a request, wrapped or bare."""
    body = read(call.request.body)
    grant: Json = body.get(WRAPPERS[ADD]) or body
    return grant


@fault("revoke-takes-all-levels", on=[REVOKE])
async def _all_levels(call: Call, proceed: Proceed) -> Reply:
    """A revoke takes the privilege away from a role wherever it has it."""
    wanted, reply = granted(call), await proceed()
    if reply.status == 201:
        for grant in (await by_root(call, proceed, LIST)).get("grants", []):
            if grant["privilege"] == wanted.get("privilege"):
                await by_root(call, proceed, REVOKE, grant)
    return reply


@fault("revoke-takes-all-roles", on=[REVOKE])
async def _all_roles(call: Call, proceed: Proceed) -> Reply:
    """A revoke takes the privilege away from all roles of the catalog."""
    wanted, reply = granted(call), await proceed()
    if reply.status == 201:
        for role in (await by_root(call, proceed, CATALOG_ROLE.lists)).get("roles", []):
            await by_root(call, proceed, REVOKE, wanted, {"catalogRoleName": role["name"]})
    return reply


class Link:
    """Kind of assignments: the assigned kind, its assignees, and the operations that list and revoke them."""

    def __init__(self, given: Entity, taker: Entity, lists: tuple[str, str], revoke: str) -> None:
        self.given, self.taker, self.revoke = given, taker, revoke
        self.list_given, self.list_takers = lists

    async def take_from_all(self, call: Call, proceed: Proceed, role: str) -> None:
        """Revoke a role from everybody who has it."""
        at = {self.given.parameter: role}
        for taker in (await by_root(call, proceed, self.list_takers, at=at)).get(self.taker.listed, []):
            await by_root(call, proceed, self.revoke, at={**at, self.taker.parameter: taker["name"]})

    async def take_all(self, call: Call, proceed: Proceed, taker: str) -> None:
        """Revoke all roles from an assignee."""
        at = {self.taker.parameter: taker}
        for role in (await by_root(call, proceed, self.list_given, at=at)).get(self.given.listed, []):
            await by_root(call, proceed, self.revoke, at={**at, self.given.parameter: role["name"]})


PRINCIPAL_ROLES = Link(
    PRINCIPAL_ROLE,
    PRINCIPAL,
    ("listPrincipalRolesAssigned", "listAssigneePrincipalsForPrincipalRole"),
    "revokePrincipalRole",
)
CATALOG_ROLES = Link(
    CATALOG_ROLE,
    PRINCIPAL_ROLE,
    ("listCatalogRolesForPrincipalRole", "listAssigneePrincipalRolesForCatalogRole"),
    "revokeCatalogRoleFromPrincipalRole",
)
LINKS = {link.revoke: link for link in (PRINCIPAL_ROLES, CATALOG_ROLES)}


@fault("roles-revoked-from-all", on=list(LINKS))
async def _from_all(call: Call, proceed: Proceed) -> Reply:
    """A role that is revoked from one assignee is revoked from all."""
    link, reply = LINKS[call.operation.id], await proceed()
    if reply.status == 204:
        await link.take_from_all(call, proceed, call.path[link.given.parameter])
    return reply


@fault("revoked-with-all-roles", on=list(LINKS))
async def _with_all(call: Call, proceed: Proceed) -> Reply:
    """An assignee loses all roles of a kind with the one that is revoked."""
    link, reply = LINKS[call.operation.id], await proceed()
    if reply.status == 204:
        await link.take_all(call, proceed, call.path[link.taker.parameter])
    return reply


@fault("deleted-with-all-assignments", on=["deleteCatalogRole", "deletePrincipalRole", "deletePrincipal"])
async def _cleared(call: Call, proceed: Proceed) -> Reply:
    """With a role or a principal also the other assignments of its roles and of its assignees go."""
    for link in LINKS.values():
        if link.given.parameter in call.path:
            role = {link.given.parameter: call.path[link.given.parameter]}
            listed = await by_root(call, proceed, link.list_takers, at=role)
            for taker in listed.get(link.taker.listed, []):
                await link.take_all(call, proceed, taker["name"])
        if call.operation.id == link.taker.operations[3]:
            await _others(call, proceed, link)
    return await proceed()


async def _others(call: Call, proceed: Proceed, link: Link) -> None:
    """Revoke the roles of an assignee from everybody."""
    catalogs = [{"catalogName": catalog["name"]} for catalog in await _catalogs(call, proceed)]
    for at in catalogs if link.given is CATALOG_ROLE else [{}]:
        listed = await by_root(call, proceed, link.list_given, at=at)
        for role in listed.get(link.given.listed, []):
            takers = await by_root(call, proceed, link.list_takers, at={**at, link.given.parameter: role["name"]})
            for taker in takers.get(link.taker.listed, []):
                path = {**at, link.given.parameter: role["name"], link.taker.parameter: taker["name"]}
                await by_root(call, proceed, link.revoke, at=path)


async def _catalogs(call: Call, proceed: Proceed) -> list[Json]:
    catalogs: list[Json] = (await by_root(call, proceed, "listCatalogs")).get("catalogs", [])
    return catalogs
