"""Seeds of Polaris: catalogs with content and roles, principal roles, and principals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from reference_server.iceberg.context import Services
from reference_server.iceberg.seeds.reading import CONTENT, content_steps
from reference_server.polaris.entities.storage_rules import BASE
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Planter, Step

OF_CATALOG = ("type", "properties", "storageConfigInfo")
OBJECTS = {"table": "tableName", "view": "viewName", "policy": "policyName"}
"""Fields of a grant on an object in a namespace, and their names in a request."""
Find = Callable[[str | None], Services | None]


def read_seed(node: Node, find: Find, data_root: str) -> list[Step]:
    """Return the steps of a seed: first the catalogs, then the roles, then the principals. Raises Problem."""
    fields = node.fields("catalogs", "principal-roles", "principals")
    steps = []
    for name, catalog in fields.get("catalogs", Node(None)).entries():
        steps += _catalog(catalog, name, find, data_root)
    for name, role in fields.get("principal-roles", Node(None)).entries():
        steps.append(_principal_role(role, name))
    for name, principal in fields.get("principals", Node(None)).entries():
        steps.append(_principal(principal, name))
    return steps


def _catalog(node: Node, name: str, find: Find, data_root: str) -> list[Step]:
    fields = node.fields(*OF_CATALOG, *CONTENT, "roles")
    properties = fields.get("properties", Node(None)).texts
    base = properties.setdefault(BASE, f"file://{data_root}/{name}")
    storage: Any = {"storageType": "FILE", "allowedLocations": [base]}
    chosen: dict[str, Any] = {key: fields[key].value for key in ("type", "storageConfigInfo") if key in fields}
    body = {"name": name, "type": "INTERNAL", "storageConfigInfo": storage, **chosen, "properties": properties}

    async def create(planter: Planter) -> None:
        await planter.call(node, "createCatalog", {}, {"catalog": body})

    steps = [Step(node, create), *content_steps(fields, find, name)]
    return [*steps, *(_catalog_role(role, name, title) for title, role in fields.get("roles", Node(None)).entries())]


def _catalog_role(node: Node, catalog: str, name: str) -> Step:
    grants = [(item, _grant(item)) for item in node.fields("grants").get("grants", Node(None)).items()]

    async def plant(planter: Planter) -> None:
        place = {"catalogName": catalog}
        await planter.call_unless_exists(node, "createCatalogRole", place, {"catalogRole": {"name": name}})
        for item, grant in grants:
            await planter.call(item, "addGrantToCatalogRole", {**place, "catalogRoleName": name}, {"grant": grant})

    return Step(node, plant)


def _grant(node: Node) -> dict[str, Any]:
    """Return a grant: a privilege on the catalog as text, or with the namespace and the object that it is on."""
    if isinstance(node.value, str):
        return {"type": "catalog", "privilege": node.text}
    fields = node.fields("privilege", "namespace", *OBJECTS)
    if not {"privilege", "namespace"} <= fields.keys():
        raise node.problem("a grant needs a privilege and a namespace", "A text is a privilege on the whole catalog.")
    namespace = fields["namespace"]
    grant: dict[str, Any] = {"type": "namespace", "namespace": list(namespace.path(namespace.text))}
    for kind, name in OBJECTS.items():
        if kind in fields:
            grant |= {"type": kind, name: fields[kind].text}
    return {**grant, "privilege": fields["privilege"].text}


def _principal_role(node: Node, name: str) -> Step:
    """Return the step of a principal role with its catalog roles, by catalog."""
    granted = [
        (item, catalog, item.text)
        for catalog, roles in node.fields("catalog-roles").get("catalog-roles", Node(None)).entries()
        for item in roles.items()
    ]

    async def plant(planter: Planter) -> None:
        await planter.call_unless_exists(node, "createPrincipalRole", {}, {"principalRole": {"name": name}})
        for item, catalog, role in granted:
            place = {"principalRoleName": name, "catalogName": catalog}
            await planter.call(item, "assignCatalogRoleToPrincipalRole", place, {"catalogRole": {"name": role}})

    return Step(node, plant)


def _principal(node: Node, name: str) -> Step:
    """Return the step of a principal with its roles; its credentials are random unless the seed has both parts."""
    fields = node.fields("roles", "client-id", "client-secret", "properties")
    roles = [(item, item.text) for item in fields.get("roles", Node(None)).items()]
    if ("client-id" in fields) != ("client-secret" in fields):
        raise node.problem("credentials need both client-id and client-secret")
    properties = fields.get("properties", Node(None)).texts
    chosen: dict[str, str] = {}
    if "client-id" in fields:
        chosen = {"clientId": fields["client-id"].text, "clientSecret": fields["client-secret"].text}

    async def plant(planter: Planter) -> None:
        place = {"principalName": name}
        body = {"principal": {"name": name, "properties": properties}}
        created: Mapping[str, Any] = await planter.call(node, "createPrincipal", {}, body)
        if chosen:
            created = await planter.call(node, "resetCredentials", place, chosen)
        planter.credentials[name] = created["credentials"]
        for item, role in roles:
            await planter.call(item, "assignPrincipalRole", place, {"principalRole": {"name": role}})

    return Step(node, plant)
