"""Entities that different operations and callers see differently, and changes that touch what they do not name."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import ADMIN, CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL, Entity, Json, by_root, named, read
from mutants.polaris.grants import LIST, REVOKE
from mutants.polaris.ways import LINKS
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from specs.identifiers import UNIT_SEPARATOR

BEFORE, VERSIONS, GONE, SEEN = "states before updates", "versions by content", "deleted entities", "seen by callers"
GETS, UPDATES, DELETES = ({entity.operations[place]: entity for entity in ENTITIES} for place in (1, 2, 3))
CREATES = {entity.operations[0]: entity for entity in ENTITIES}
SHOWING = {entity.lists: entity for entity in ENTITIES}
SHOWING |= {link.list_given: link.given for link in LINKS.values()}
SHOWING |= {link.list_takers: link.taker for link in LINKS.values()}


def _key(call: Call, entity: Entity, name: str = "") -> tuple[str, str, str]:
    catalog = call.path.get("catalogName", "") if entity is CATALOG_ROLE else ""
    return entity.kind, catalog, name or named(call, entity)


@fault("lists-before-updates", on=[*UPDATES, *SHOWING])
async def _lists_before(call: Call, proceed: Proceed) -> Reply:
    """Lists show entities as they were before their last update."""
    before: dict[Any, Json] = call.state.setdefault(BEFORE, {})
    if call.operation.id in UPDATES:
        entity = UPDATES[call.operation.id]
        known = await by_root(call, proceed, entity.operations[1])
        reply = await proceed()
        if reply.status == 200:
            before[_key(call, entity)] = known
        return reply
    entity, reply = SHOWING[call.operation.id], await proceed()
    if reply.status == 200:
        listed = orjson.loads(reply.body)[entity.listed]
        shown = [before.get(_key(call, entity, entry["name"]), entry) for entry in listed]
        reply.body = orjson.dumps({entity.listed: shown})
    return reply


@fault("versions-by-content", on=[*UPDATES, *GETS])
async def _versions(call: Call, proceed: Proceed) -> Reply:
    """An entity has the version that it had when its properties were the same before."""
    entity = {**UPDATES, **GETS}[call.operation.id]
    versions: dict[Any, int] = call.state.setdefault(VERSIONS, {})
    key, reply = _key(call, entity), await proceed()
    if reply.status == 200:
        shown = orjson.loads(reply.body)
        content = orjson.dumps([*key, shown.get("properties")], option=orjson.OPT_SORT_KEYS)
        known = versions.setdefault(content, shown["entityVersion"])
        reply.body = orjson.dumps(
            {**shown, "entityVersion": known if call.operation.id in UPDATES else shown["entityVersion"]}
        )
    return reply


async def _end_relations(call: Call, proceed: Proceed, entity: Entity, name: str) -> None:
    """Take away what belongs to an entity: credentials, assignments, grants, the empty namespaces of a catalog."""
    at = {entity.parameter: name}
    for link in LINKS.values():
        if link.given is entity:
            await link.take_from_all(call, proceed, name)
    if entity is PRINCIPAL:
        await by_root(call, proceed, "resetCredentials", {}, at)
        await LINKS["revokePrincipalRole"].take_all(call, proceed, name)
    if entity.kind == "PrincipalRole":
        for catalog in (await by_root(call, proceed, CATALOG.lists)).get(CATALOG.listed, []):
            path = {**at, "catalogName": catalog["name"]}
            for role in (await by_root(call, proceed, "listCatalogRolesForPrincipalRole", at=path)).get("roles", []):
                revoked = {**path, CATALOG_ROLE.parameter: role["name"]}
                await by_root(call, proceed, "revokeCatalogRoleFromPrincipalRole", at=revoked)
    if entity is CATALOG_ROLE:
        for grant in (await by_root(call, proceed, LIST, at=at)).get("grants", []):
            await by_root(call, proceed, REVOKE, grant, at)
    if entity is CATALOG:
        for levels in (await by_root(call, proceed, "listNamespaces", at={"prefix": name})).get("namespaces", []):
            path = {"prefix": name, "namespace": UNIT_SEPARATOR.join(levels)}
            await by_root(call, proceed, "dropNamespace", at=path)
        for role in (await by_root(call, proceed, CATALOG_ROLE.lists, at=at)).get("roles", []):
            if role["name"] != "catalog_admin":
                await by_root(
                    call, proceed, CATALOG_ROLE.operations[3], at={**at, CATALOG_ROLE.parameter: role["name"]}
                )


@fault("updates-end-relations", on=list(UPDATES))
async def _updated_anew(call: Call, proceed: Proceed) -> Reply:
    """An update puts a new entity in the place of the old one: without credentials, roles, grants and contents."""
    entity, reply = UPDATES[call.operation.id], await proceed()
    if reply.status == 200:
        await _end_relations(call, proceed, entity, call.path[entity.parameter])
    return reply


@fault("conflicts-end-relations", on=list(CREATES))
async def _created_over(call: Call, proceed: Proceed) -> Reply:
    """A creation that is refused since the name is taken has cleared what belongs to the existing entity."""
    entity, name = CREATES[call.operation.id], named(call, CREATES[call.operation.id])
    reply = await proceed()
    if reply.status == 409:
        await _end_relations(call, proceed, entity, name)
    return reply


@fault("taken-names-overwritten", on=list(CREATES))
async def _overwritten(call: Call, proceed: Proceed) -> Reply:
    """A creation that is refused since the name is taken has replaced the properties of the existing entity."""
    entity, name = CREATES[call.operation.id], named(call, CREATES[call.operation.id])
    body = read(call.request.body)
    reply = await proceed()
    if reply.status == 409:
        place, (_, get, update, _) = {entity.parameter: name}, entity.operations
        version = (await by_root(call, proceed, get, at=place)).get("entityVersion")
        properties = body.get(entity.wrapper, body).get("properties", {})
        changes = {"currentEntityVersion": version, "properties": properties}
        await by_root(call, proceed, update, changes, place)
    return reply


@fault("deleted-with-neighbours", on=list(DELETES))
async def _neighbours(call: Call, proceed: Proceed) -> Reply:
    """A deletion also clears the entities whose names begin with the deleted name."""
    entity, reply = DELETES[call.operation.id], await proceed()
    name = call.path[entity.parameter]
    if reply.status == 204:
        for entry in (await by_root(call, proceed, entity.lists)).get(entity.listed, []):
            if entry["name"].startswith(name):
                await _end_relations(call, proceed, entity, entry["name"])
    return reply


EVERYWHERE = [*UPDATES, *(operation for link in LINKS.values() for operation in (link.list_given, link.list_takers))]
EVERYWHERE += ["createCatalogRole", *CREATES]


@fault("deleted-half-known", on=[*dict.fromkeys([*DELETES, *EVERYWHERE])])
async def _half_known(call: Call, proceed: Proceed) -> Reply:
    """A deleted entity has empty lists of assignments and can be updated; a deleted catalog takes new roles."""
    gone: set[Any] = call.state.setdefault(GONE, set())
    names = {(entity.kind, call.path[entity.parameter]) for entity in ENTITIES if entity.parameter in call.path}
    reply = await proceed()
    if call.operation.id in DELETES and reply.status == 204:
        gone.add((DELETES[call.operation.id].kind, call.path[DELETES[call.operation.id].parameter]))
    elif reply.status == 404 and names & gone:
        entity = SHOWING.get(call.operation.id)
        return Reply(200, orjson.dumps({entity.listed: []} if entity else {}))
    return reply


@fault("callers-see-old", on=[*list(GETS), CATALOG_ROLE.lists, LIST])
async def _old_for_others(call: Call, proceed: Proceed) -> Reply:
    """Everybody but root gets the answer again that came first."""
    seen: dict[Any, bytes] = call.state.setdefault(SEEN, {})
    reply = await proceed()
    if reply.status == 200 and call.request.principal.name != ADMIN.name:
        key = (call.request.principal.name, call.operation.id, *call.path.values())
        reply.body = seen.setdefault(key, reply.body)
    return reply
