"""Objects of one name that are taken for each other: in two catalogs, in two cases of letters, in two namespaces."""

from __future__ import annotations

from mutants.polaris.blocks import CATALOG, Json, by_root, read
from mutants.polaris.grants import ADD, LIST, REVOKE
from mutants.polaris.ways import granted
from reference_server.context import Reply
from reference_server.errors import NotFound
from reference_server.faults import Around, Call, Proceed, arguments_lost, body_becomes, fault, status_becomes
from reference_server.iceberg.faults.blocks import refused
from specs.identifiers import UNIT_SEPARATOR

ROLES = [ADD, REVOKE, "assignCatalogRoleToPrincipalRole", "revokeCatalogRoleFromPrincipalRole"]
ROLES += ["deleteCatalogRole", "updateCatalogRole"]
CONTENTS = [
    f"{what}{kind}" for kind in ("Namespace", "Table", "View", "Policy", "GenericTable") for what in ("create", "drop")
]


async def _others(call: Call, proceed: Proceed, name: str) -> list[str]:
    """Return the names of all catalogs but one."""
    listed = (await by_root(call, proceed, CATALOG.lists)).get(CATALOG.listed, [])
    return [catalog["name"] for catalog in listed if catalog["name"] != name]


def _in_all_catalogs(parameter: str) -> Around:
    """Return a fault that does a request in every catalog; a path parameter names the catalog."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body, reply = read(call.request.body) or None, await proceed()
        if reply.status < 300:
            for name in await _others(call, proceed, call.path[parameter]):
                await by_root(call, proceed, call.operation.id, body, {parameter: name})
        return reply

    return around


fault(
    "catalog-roles-by-name",
    "A request on a catalog role also changes the roles of its name in other catalogs.",
    on=ROLES,
)(_in_all_catalogs("catalogName"))
fault("contents-by-name", "A creation or a drop in one catalog is done in all catalogs.", on=CONTENTS)(
    _in_all_catalogs("prefix")
)


@fault("catalogs-in-any-case")
async def _any_case(call: Call, proceed: Proceed) -> Reply:
    """A request for a catalog is for the first one whose name differs from that in case at most."""
    asked = call.path.get("prefix") or call.path.get("catalogName") or call.request.query.get("warehouse", [""])[-1]
    for name in await _others(call, proceed, "") if asked else []:
        if name.lower() == asked.lower():
            spelled: dict[str, str] = {key: name for key in ("prefix", "catalogName") if key in call.path}
            call.path = {**call.path, **spelled}
            query = call.request.query
            call.request = call.request.altered(query={**query, "warehouse": [name]} if "warehouse" in query else query)
            break
    return await proceed()


def _flat(grant: Json) -> Json:
    return {**grant, "namespace": [".".join(grant["namespace"])]} if "namespace" in grant else grant


fault("grants-with-flat-names", "The levels of a namespace are listed as one in grants, joined by dots.", on=[LIST])(
    body_becomes(lambda body: {"grants": [_flat(grant) for grant in body["grants"]]}, 200)
)
fault("grants-on-anything", "A grant on what does not exist is said to be added.", on=[ADD])(status_becomes(404, 201))
fault("cascade-ignored", "A revoke never cascades.", on=[REVOKE])(arguments_lost("cascade"))


@fault("cascade-always", on=[REVOKE])
async def _always(call: Call, proceed: Proceed) -> Reply:
    """Every revoke cascades."""
    call.request = call.request.altered(query={**call.request.query, "cascade": ["true"]})
    return await proceed()


@fault("generic-tables-not-granted", on=[ADD])
async def _not_granted(call: Call, proceed: Proceed) -> Reply:
    """Nothing can be granted on generic tables."""
    grant = granted(call)
    path = {"prefix": call.path["catalogName"], "namespace": UNIT_SEPARATOR.join(grant.get("namespace", []))}
    named = {**path, "generic-table": str(grant.get("tableName"))}
    generic = grant.get("type") == "table" and await by_root(call, proceed, "loadGenericTable", at=named)
    return refused(call, NotFound("There is no such table.")) if generic else await proceed()
