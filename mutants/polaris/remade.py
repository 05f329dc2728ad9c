"""Deletions and revocations that do not last: what they took returns with the name, or with the next write."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.polaris.blocks import ENTITIES, PRINCIPAL, Json, by_root, named, read
from mutants.polaris.grants import ADD, REVOKE, Held, held_grants
from mutants.polaris.ways import LINKS, granted
from reference_server.auth import Principal
from reference_server.context import Reply
from reference_server.errors import NotFound
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import refused
from specs.identifiers import UNIT_SEPARATOR

HIDDEN, DROPPED, REVOKED, REMOVED = "hidden entities", "dropped objects", "revoked", "removed properties"
UPDATES = {entity.operations[2]: entity for entity in ENTITIES}
SHOWN = {operation: entity for entity in ENTITIES for operation in (*entity.operations[:2], entity.operations[3])}


def _where(call: Call, name: str) -> tuple[str, str]:
    return call.path.get("catalogName", "") if "catalog-roles" in call.operation.path else "", name


@fault("deleted-return", on=list(SHOWN))
async def _return(call: Call, proceed: Proceed) -> Reply:
    """A deleted entity is only hidden: with its name everything about it returns."""
    entity = SHOWN[call.operation.id]
    create, get, _, delete = entity.operations
    key = (entity.kind, *_where(call, named(call, entity)))
    hidden: set[Any] = call.state.setdefault(HIDDEN, set())
    if call.operation.id == create:
        if key not in hidden:
            return await proceed()
        hidden.discard(key)
        at = {entity.parameter: key[-1]}
        if entity is not PRINCIPAL:
            return Reply(201, orjson.dumps(await by_root(call, proceed, get, at=at)))
        issued = await by_root(call, proceed, "rotateCredentials", at=at, principal=Principal(key[-1]))
        return Reply(201, orjson.dumps(issued))
    if key in hidden:
        return refused(call, NotFound("It was deleted."))
    if call.operation.id == delete and await by_root(call, proceed, get):
        hidden.add(key)
        return Reply(204)
    return await proceed()


OBJECTS = {  # by the operations that create and drop one: the fields of a grant and of a path with its name
    "createTable": ("tableName", "table"),
    "dropTable": ("tableName", "table"),
    "createView": ("viewName", "view"),
    "dropView": ("viewName", "view"),
    "createPolicy": ("policyName", "policy-name"),
    "dropPolicy": ("policyName", "policy-name"),
    "createGenericTable": ("tableName", "generic-table"),
    "dropGenericTable": ("tableName", "generic-table"),
    "createNamespace": ("", ""),
    "dropNamespace": ("", ""),
}


def _thing(call: Call) -> Json:
    """Return the fields with which a grant names the object of a call."""
    field, parameter = OBJECTS[call.operation.id]
    body = read(call.request.body)
    levels = call.path["namespace"].split(UNIT_SEPARATOR) if "namespace" in call.path else body["namespace"]
    return {"namespace": levels, **({field: call.path.get(parameter) or body["name"]} if field else {})}


@fault("grants-stay-with-names", on=list(OBJECTS))
async def _stay(call: Call, proceed: Proceed) -> Reply:
    """The grants on a dropped object are there again when an object of its name is created."""
    thing, catalog = _thing(call), call.path["prefix"]
    key = orjson.dumps([catalog, thing])
    dropped: dict[bytes, list[Held]] = call.state.setdefault(DROPPED, {})
    dropping = call.operation.id.startswith("drop")
    held = await held_grants(call, proceed, catalog) if dropping else []
    reply = await proceed()
    if reply.status < 300 and dropping:
        dropped[key] = [
            (path, grant)
            for path, grant in held
            if {name: grant[name] for name in grant if name not in ("type", "privilege")} == thing
        ]
    elif reply.status < 300:
        for path, grant in dropped.pop(key, []):
            await by_root(call, proceed, ADD, grant, path)
    return reply


RENAMES = {"renameTable": "tableName", "renameView": "viewName"}


@fault("grants-lost-by-rename", on=list(RENAMES))
async def _lost_by_rename(call: Call, proceed: Proceed) -> Reply:
    """A rename revokes the grants on the renamed object."""
    reply = await proceed()
    if reply.status < 300:
        named_now, field = read(call.request.body)["destination"], RENAMES[call.operation.id]
        thing = {"namespace": named_now["namespace"], field: named_now["name"]}
        for path, grant in await held_grants(call, proceed, call.path["prefix"]):
            if thing.items() <= grant.items():
                await by_root(call, proceed, REVOKE, grant, path)
    return reply


@fault("revoked-grants-return", on=[ADD, REVOKE])
async def _grants_return(call: Call, proceed: Proceed) -> Reply:
    """The next change of the grants of a role brings back the grant that was revoked before it."""
    key = (call.path["catalogName"], call.path["catalogRoleName"])
    revoked: dict[Any, Json] = call.state.setdefault(REVOKED, {})
    grant, reply = granted(call), await proceed()
    if reply.status == 201:
        before = revoked.pop(key, None)
        if call.operation.id == REVOKE:
            revoked[key] = grant
        if before and before != grant:
            await by_root(call, proceed, ADD, before)
    return reply


ASSIGNS = {"assignPrincipalRole": "revokePrincipalRole"}
ASSIGNS |= {"assignCatalogRoleToPrincipalRole": "revokeCatalogRoleFromPrincipalRole"}


@fault("revoked-roles-return", on=[*ASSIGNS, *ASSIGNS.values()])
async def _roles_return(call: Call, proceed: Proceed) -> Reply:
    """The next assignment to somebody brings back the role that was revoked before it."""
    assigning = call.operation.id in ASSIGNS
    link = LINKS[ASSIGNS.get(call.operation.id, call.operation.id)]
    key = (link.revoke, call.path.get("catalogName"), call.path[link.taker.parameter])
    revoked: dict[Any, str] = call.state.setdefault(REVOKED, {})
    role, reply = named(call, link.given), await proceed()
    if reply.status >= 300:
        return reply
    before = revoked.pop(key, None)
    if not assigning:
        revoked[key] = role
    elif before and before != role:
        await by_root(call, proceed, call.operation.id, {"name": before})
    return reply


@fault("updates-keep-properties", on=list(UPDATES))
async def _keep_properties(call: Call, proceed: Proceed) -> Reply:
    """An update keeps the properties that it does not name."""
    body = read(call.request.body)
    if isinstance(body.get("properties"), dict):
        before = await by_root(call, proceed, UPDATES[call.operation.id].operations[1])
        properties = {**before.get("properties", {}), **body["properties"]}
        call.request = call.request.altered(body=orjson.dumps({**body, "properties": properties}))
    return await proceed()


@fault("removed-properties-return", on=list(UPDATES))
async def _properties_return(call: Call, proceed: Proceed) -> Reply:
    """An update brings back the properties that the update before it removed."""
    entity, body = UPDATES[call.operation.id], read(call.request.body)
    if not isinstance(body.get("properties"), dict):
        return await proceed()
    key = (entity.kind, *_where(call, named(call, entity)))
    removed: dict[Any, Json] = call.state.setdefault(REMOVED, {})
    before = (await by_root(call, proceed, entity.operations[1])).get("properties", {})
    wanted = body["properties"]
    call.request = call.request.altered(body=orjson.dumps({**body, "properties": {**removed.pop(key, {}), **wanted}}))
    reply = await proceed()
    if reply.status == 200:
        removed[key] = {name: value for name, value in before.items() if name not in wanted}
    return reply
