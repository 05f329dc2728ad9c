"""How entities are kept carelessly: versions, properties, names, and what comes back with a name."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused, refuses_when
from reference_server.polaris.entities.storage_rules import BASE
from reference_server.polaris.faults.blocks import CATALOG, ENTITIES, Json, by_root, entity_of, named, read

UPDATES = [entity.operations[2] for entity in ENTITIES]
GETS = [entity.operations[1] for entity in ENTITIES]
CREATES = [entity.operations[0] for entity in ENTITIES]
DELETES = [entity.operations[3] for entity in ENTITIES]
PRINCIPAL_ROLE_OF, CATALOG_ROLE_OF = "assignPrincipalRole", "assignCatalogRoleToPrincipalRole"
GIVEN = "polaris-assignments"  # in the state of a call: assignments of what was deleted

Assignment = tuple[str, dict[str, Any], dict[str, str]]


async def _present(call: Call, proceed: Proceed) -> dict[str, Any]:
    return await by_root(call, proceed, entity_of(call.operation.id).operations[1])


@fault("versions-unchecked", on=UPDATES)
async def _unchecked(call: Call, proceed: Proceed) -> Reply:
    """A change is made whichever version it is meant for."""
    body, present = read(call.request.body), await _present(call, proceed)
    if "currentEntityVersion" in body and present:
        version = {"currentEntityVersion": present["entityVersion"]}
        call.request = call.request.altered(body=orjson.dumps({**body, **version}))
    return await proceed()


@fault("properties-merged", on=UPDATES)
async def _merged(call: Call, proceed: Proceed) -> Reply:
    """A change adds to the properties that are there instead of replacing them."""
    body, present = read(call.request.body), await _present(call, proceed)
    if isinstance(body.get("properties"), dict):
        properties = {**present.get("properties", {}), **body["properties"]}
        call.request = call.request.altered(body=orjson.dumps({**body, "properties": properties}))
    return await proceed()


@fault("locations-by-letters", on=CREATES[:1])
async def _by_letters(call: Call, proceed: Proceed) -> Reply:
    """A catalog is refused whose location starts with the letters of another one's, though it lies beside it."""
    wanted = _base(read(call.request.body).get(CATALOG.wrapper) or {})
    listed = (await by_root(call, proceed, CATALOG.lists)).get(CATALOG.listed, [])
    if any(wanted.startswith(_base(catalog)) and wanted[len(_base(catalog)) :].isalpha() for catalog in listed):
        return refused(call, InvalidInput("The location is that of another catalog."))
    return await proceed()


def _base(catalog: Json) -> str:
    return str(catalog.get("properties", {}).get(BASE))


fault("role-wanted", "Catalogs on S3 have to name a role.", on=CREATES[:1])(
    refuses_when(
        lambda call: b'"S3"' in call.request.body and b"roleArn" not in call.request.body,
        InvalidInput("There has to be a roleArn."),
    )
)


@fault("names-without-case", on=GETS)
async def _without_case(call: Call, proceed: Proceed) -> Reply:
    """An entity is found under its name in letters of any case."""
    reply = await proceed()
    if reply.status != 404:
        return reply
    entity = entity_of(call.operation.id)
    listed = (await by_root(call, proceed, entity.lists)).get(entity.listed, [])
    wanted = named(call, entity).casefold()
    for name in (record["name"] for record in listed if record["name"].casefold() == wanted):
        call.path = {**call.path, entity.parameter: name}
        return await proceed()
    return reply


@fault("assignments-come-back", on=[*CREATES[1:], *DELETES[1:]])
async def _come_back(call: Call, proceed: Proceed) -> Reply:
    """An entity has the assignments of one of its name that was deleted."""
    entity = entity_of(call.operation.id)
    key = entity.kind, call.path.get("catalogName", ""), named(call, entity)
    remembered: dict[Any, list[Assignment]] = call.state.setdefault(GIVEN, {})
    if call.operation.id in DELETES:
        assignments = await _assignments(call, proceed)
        reply = await proceed()
        if reply.status == 204:
            remembered[key] = assignments
        return reply
    reply = await proceed()
    for operation, body, path in remembered.pop(key, []) if reply.status == 201 else []:
        await by_root(call, proceed, operation, body, path)
    return reply


async def _assignments(call: Call, proceed: Proceed) -> list[Assignment]:
    """Return the assignments of what a call deletes, as the requests that make them."""
    path = call.path
    if "principalName" in path:
        roles = (await by_root(call, proceed, "listPrincipalRolesAssigned")).get("roles", [])
        return [(PRINCIPAL_ROLE_OF, {"name": role["name"]}, dict(path)) for role in roles]
    if "catalogRoleName" in path:
        roles = (await by_root(call, proceed, "listAssigneePrincipalRolesForCatalogRole")).get("roles", [])
        body = {"name": path["catalogRoleName"]}
        return [
            (CATALOG_ROLE_OF, body, {"principalRoleName": role["name"], "catalogName": path["catalogName"]})
            for role in roles
        ]
    return [*await _members(call, proceed), *await _catalog_roles(call, proceed)]


async def _members(call: Call, proceed: Proceed) -> list[Assignment]:
    principals = (await by_root(call, proceed, "listAssigneePrincipalsForPrincipalRole")).get("principals", [])
    body = {"name": call.path["principalRoleName"]}
    return [(PRINCIPAL_ROLE_OF, body, {"principalName": principal["name"]}) for principal in principals]


async def _catalog_roles(call: Call, proceed: Proceed) -> list[Assignment]:
    assignments: list[Assignment] = []
    for catalog in (await by_root(call, proceed, "listCatalogs")).get("catalogs", []):
        path = {**call.path, "catalogName": catalog["name"]}
        roles = (await by_root(call, proceed, "listCatalogRolesForPrincipalRole", at=path)).get("roles", [])
        assignments += [(CATALOG_ROLE_OF, {"name": role["name"]}, path) for role in roles]
    return assignments
