"""Requests of all kinds as they should be, drawn at random, and what they need."""

from __future__ import annotations

import tempfile

from tests.reference_server.drawn_requests import Drawn
from tests.reference_server.iceberg import drawing as iceberg
from tests.reference_server.polaris.served_catalogs import Root

OPTIONS = ("--bootstrap", "root:s3cr3t")
MANAGEMENT = ("api", "management", "v1")
CONTENT, OWN = ("api", "catalog", "v1"), ("api", "catalog", "polaris", "v1")
CATALOGS, ROLES = ("c", "d"), ("r", "s")
PRIVILEGES = ("TABLE_LIST", "NAMESPACE_CREATE", "CATALOG_MANAGE_ACCESS")
STORAGE = {"storageType": "FILE"}
POLICY = {"type": "system.data-compaction", "content": '{"enable": true}'}


def of_catalogs(draw, number):
    catalogs, catalog = (*MANAGEMENT, "catalogs"), (*MANAGEMENT, "catalogs", draw.choice(CATALOGS))
    properties = {"default-base-location": f"file://{tempfile.gettempdir()}/lakeproof-drawn/n{number}"}
    new = {"name": f"n{number}", "type": "INTERNAL", "properties": properties, "storageConfigInfo": STORAGE}
    return [
        Drawn("GET", catalogs),
        Drawn("POST", catalogs, {"catalog": new}),
        Drawn("GET", catalog),
        Drawn("PUT", catalog, {"currentEntityVersion": draw.randrange(1, 4), "properties": {"k": str(number)}}),
        Drawn("DELETE", (*catalogs, f"n{number - 1}")),
        Drawn("GET", (*catalog, "catalog-roles")),
        Drawn("POST", (*catalog, "catalog-roles"), {"catalogRole": {"name": f"n{number}"}}),
        Drawn("DELETE", (*catalog, "catalog-roles", f"n{number - 1}")),
    ]


def of_principals(draw, number):
    principals, roles = (*MANAGEMENT, "principals"), (*MANAGEMENT, "principal-roles")
    principal, role = (*principals, draw.choice(ROLES)), (*roles, draw.choice(ROLES))
    version = draw.randrange(1, 4)
    return [
        Drawn("GET", principals),
        Drawn("POST", principals, {"principal": {"name": f"n{number}"}}),
        Drawn("PUT", principal, {"currentEntityVersion": version, "properties": {"k": "v"}}),
        Drawn("POST", (*principal, "rotate")),
        Drawn("DELETE", (*principals, f"n{number - 1}")),
        Drawn("GET", roles),
        Drawn("POST", roles, {"principalRole": {"name": f"n{number}"}}),
        Drawn("PUT", role, {"currentEntityVersion": version, "properties": {"k": "v"}}),
        Drawn("GET", (*role, "principals")),
        Drawn("DELETE", (*roles, f"n{number - 1}")),
    ]


def of_rights(draw, _number):
    catalog, role = draw.choice(CATALOGS), draw.choice(ROLES)
    of_principal = (*MANAGEMENT, "principals", draw.choice(ROLES), "principal-roles")
    of_role = (*MANAGEMENT, "principal-roles", draw.choice(ROLES), "catalog-roles", catalog)
    grants = (*MANAGEMENT, "catalogs", catalog, "catalog-roles", role, "grants")
    grant = {"type": "catalog", "privilege": draw.choice(PRIVILEGES)}
    return [
        Drawn("GET", of_principal),
        Drawn("PUT", of_principal, {"principalRole": {"name": role}}),
        Drawn("DELETE", (*of_principal, role)),
        Drawn("GET", of_role),
        Drawn("PUT", of_role, {"catalogRole": {"name": role}}),
        Drawn("DELETE", (*of_role, role)),
        Drawn("GET", grants),
        Drawn("PUT", grants, {"grant": grant}),
        Drawn("PUT", grants, {"grant": {"type": "namespace", "namespace": ["a"], "privilege": "TABLE_LIST"}}),
        Drawn("POST", grants, {"grant": grant}),
    ]


def of_policies(draw, number):
    catalog = (*OWN, draw.choice(CATALOGS))
    namespace = (*catalog, "namespaces", draw.choice("ab"))
    generic, policies = (*namespace, "generic-tables"), (*namespace, "policies")
    target = {"type": "namespace", "path": [namespace[-1]]}
    return [
        Drawn("POST", generic, {"name": f"g{number}", "format": "delta", "properties": {"k": "v"}}),
        Drawn("GET", generic),
        Drawn("GET", (*generic, f"g{number - 1}")),
        Drawn("DELETE", (*generic, f"g{number - 1}")),
        Drawn("POST", policies, {"name": draw.choice("pq"), **POLICY}),
        Drawn("GET", policies),
        Drawn("PUT", (*policies, draw.choice("pq")), {"current-policy-version": 0, "content": POLICY["content"]}),
        Drawn("PUT", (*policies, draw.choice("pq"), "mappings"), {"target": target}),
        Drawn("POST", (*policies, draw.choice("pq"), "mappings"), {"target": target}),
        Drawn("DELETE", (*policies, draw.choice("pq"))),
        Drawn("GET", (*catalog, "applicable-policies")),
    ]


def of_content(draw, number):
    """Return requests to any Iceberg catalog, sent to one of these."""
    request, catalog = iceberg.drawn_request(draw, number), draw.choice(CATALOGS)
    if request.path[1] == "config":
        return [Drawn("GET", (*CONTENT, "config"), query=f"warehouse={catalog}")]
    return [request._replace(path=(*CONTENT, catalog, *request.path[1:]))]


def drawn_request(draw, number):
    kind = draw.choice((of_catalogs, of_principals, of_rights, of_policies, of_content))
    return draw.choice(kind(draw, number))


def prepare(server):
    """Make catalogs with namespaces, principals and roles, and have the server's requests sent by root."""
    root = Root(server.request, server.url, f"{tempfile.gettempdir()}/lakeproof-drawn")
    server.headers = root.authorization()
    management = "/" + "/".join(MANAGEMENT)
    for name in ROLES:
        root.call("POST", f"{management}/principals", {"principal": {"name": name}}, expect=201)
        root.call("POST", f"{management}/principal-roles", {"principalRole": {"name": name}}, expect=201)
    for catalog in CATALOGS:
        root.catalog(catalog)
        for role in ROLES:
            path = f"{management}/catalogs/{catalog}/catalog-roles"
            root.call("POST", path, {"catalogRole": {"name": role}}, expect=201)
        for namespace in "ab":
            root.namespace(catalog, namespace)
