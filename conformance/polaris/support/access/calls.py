"""The requests of `authorization.toml`, by name.

All requests share a few objects. Nearly all of them change nothing even if the server authorizes them: they create an
object that exists, or commit to a version or UUID that no object has. Requests that delete an object state it in
`takes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.polaris.inventory import CATALOG_ADMIN
from conformance.polaris.support.access import content

PRIVILEGES = {  # of the grants in requests, by their level
    "catalog": "CATALOG_READ_PROPERTIES",
    "namespace": "NAMESPACE_LIST",
    "table": "TABLE_LIST",
    "view": "VIEW_LIST",
    "policy": "POLICY_LIST",
}
DELEGATED = {"X-Iceberg-Access-Delegation": "vended-credentials"}


@dataclass(frozen=True, slots=True)
class AccessNames:
    """Names of the objects in requests. `namespace` contains `child`, two tables, a view, a generic table and a policy.

    The namespace `other` contains a table with the name of `second`. `role` is assigned to `principal_role`,
    `loose_role` to no principal role, and no caller has either. `location` is an empty folder, `absent` the name of no
    object.
    """

    catalog: str
    namespace: str
    child: str
    other: str
    table: str
    second: str
    view: str
    generic: str
    policy: str
    absent: str
    role: str
    loose_role: str
    principal: str
    principal_role: str
    location: str
    catalog_value: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """Request of the table.

    `table` is the field of AccessNames with the table that table-level grants of the caller are on. `takes` is the
    field of the object that the request deletes when it succeeds, "" for none.
    """

    operation: str
    path: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    table: str = "table"
    takes: str = ""


def calls(names: AccessNames) -> dict[str, AccessRequest]:
    """Return all requests by their names in the table."""
    parts = (_namespaces, _tables, _commits, _views, _generic_tables, _policies, _catalogs, _grants, _principals)
    return {name: call for part in parts for name, call in part(names)}


def operations() -> dict[str, str]:
    """Return the operation of each request, by the name of the request."""
    texts: dict[str, Any] = {name: name for name in AccessNames.__annotations__ if name != "catalog_value"}
    return {name: call.operation for name, call in calls(AccessNames(**texts)).items()}


Calls = Iterator[tuple[str, AccessRequest]]


def _namespaces(names: AccessNames) -> Calls:
    root = {"prefix": names.catalog}
    path = {**root, "namespace": names.namespace}
    yield "list_root_namespaces", AccessRequest("listNamespaces", root)
    yield "list_namespaces", AccessRequest("listNamespaces", root, query={"parent": names.namespace})
    yield "namespace_exists", AccessRequest("namespaceExists", path)
    yield "load_namespace", AccessRequest("loadNamespaceMetadata", path)
    yield (
        "create_root_namespace",
        AccessRequest("createNamespace", root, {"namespace": [names.namespace], "properties": {}}),
    )
    child = {"namespace": [names.namespace, names.child], "properties": {}}
    yield "create_namespace", AccessRequest("createNamespace", root, child)
    yield "drop_namespace", AccessRequest("dropNamespace", path)
    yield "update_namespace", AccessRequest("updateProperties", path, {"removals": ["x"]})


def _tables(names: AccessNames) -> Calls:
    inside = {"prefix": names.catalog, "namespace": names.namespace}
    path = {**inside, "table": names.table}
    nowhere = f"{names.location}/metadata/00000-none.metadata.json"
    new = {"name": names.table, "schema": content.SCHEMA}
    registered = {"name": names.table, "metadata-location": nowhere}
    over = {**registered, "overwrite": True}
    over_absent = {**over, "name": names.absent}
    yield "list_tables", AccessRequest("listTables", inside)
    yield "table_exists", AccessRequest("tableExists", path)
    for end, headers in (("", {}), ("_delegated", DELEGATED)):
        yield f"load_table{end}", AccessRequest("loadTable", path, headers=headers)
        yield f"create_table{end}", AccessRequest("createTable", inside, new, headers=headers)
        yield f"stage_table{end}", AccessRequest("createTable", inside, {**new, "stage-create": True}, headers=headers)
        yield f"register_table{end}", AccessRequest("registerTable", inside, registered, headers=headers)
        yield f"overwrite_table{end}", AccessRequest("registerTable", inside, over, headers=headers)
        yield f"overwrite_absent_table{end}", AccessRequest("registerTable", inside, over_absent, headers=headers)
    yield "load_credentials", AccessRequest("loadCredentials", path)
    yield "drop_table", AccessRequest("dropTable", path, takes="table")
    yield "purge_table", AccessRequest("dropTable", path, query={"purgeRequested": "true"}, takes="table")
    yield from _renames("table", "renameTable", names, names.table)
    yield "report_scan", AccessRequest("reportMetrics", path, content.scan_report(names.table))
    yield "report_commit", AccessRequest("reportMetrics", path, content.commit_report(names.table))
    payload = {"table-name": names.table, "timestamp": 1, "table-uuid": content.NOBODY, "metadata-location": nowhere}
    notification = {"notification-type": "UPDATE", "payload": payload}
    yield "send_notification", AccessRequest("sendNotification", path, notification)


def _renames(kind: str, operation: str, names: AccessNames, name: str) -> Calls:
    """Yield renames to a name in use, in the same namespace and in another one."""
    for end, namespace in (("", names.namespace), ("_across", names.other)):
        source = {"namespace": [names.namespace], "name": name}
        destination = {"namespace": [namespace], "name": names.second}
        body = {"source": source, "destination": destination}
        yield f"rename_{kind}{end}", AccessRequest(operation, {"prefix": names.catalog}, body)


def _commits(names: AccessNames) -> Calls:
    root = {"prefix": names.catalog}
    path = {**root, "namespace": names.namespace, "table": names.table}
    for name, changes in content.updates(names.location).items():
        yield name, AccessRequest("updateTable", path, content.commit(changes, names.namespace, names.table))
    creation = {**content.commit([], names.namespace, names.table), "requirements": [{"type": "assert-create"}]}
    yield "commit_creation", AccessRequest("updateTable", path, creation)
    first, second = (content.commit([], names.namespace, table) for table in (names.table, names.second))
    yield "commit_transaction", AccessRequest("commitTransaction", root, {"table-changes": [first]})
    yield "commit_transaction_of_two", AccessRequest("commitTransaction", root, {"table-changes": [first, second]})


def _views(names: AccessNames) -> Calls:
    inside = {"prefix": names.catalog, "namespace": names.namespace}
    path = {**inside, "view": names.view}
    nowhere = f"{names.location}/metadata/00000-none.metadata.json"
    yield "list_views", AccessRequest("listViews", inside)
    yield "view_exists", AccessRequest("viewExists", path)
    yield "create_view", AccessRequest("createView", inside, content.new_view(names.namespace, names.view))
    yield "register_view", AccessRequest("registerView", inside, {"name": names.view, "metadata-location": nowhere})
    yield "load_view", AccessRequest("loadView", path)
    requirement = {"type": "assert-view-uuid", "uuid": content.NOBODY}
    yield "replace_view", AccessRequest("replaceView", path, {"requirements": [requirement], "updates": []})
    yield "drop_view", AccessRequest("dropView", path, takes="view")
    yield from _renames("view", "renameView", names, names.view)


def _generic_tables(names: AccessNames) -> Calls:
    inside = {"prefix": names.catalog, "namespace": names.namespace}
    path = {**inside, "generic-table": names.generic}
    yield "list_generic_tables", AccessRequest("listGenericTables", inside)
    yield (
        "create_generic_table",
        AccessRequest("createGenericTable", inside, {"name": names.generic, "format": "delta"}),
    )
    yield "load_generic_table", AccessRequest("loadGenericTable", path, table="generic")
    yield "drop_generic_table", AccessRequest("dropGenericTable", path, table="generic", takes="generic")


def _policies(names: AccessNames) -> Calls:
    root = {"prefix": names.catalog}
    inside = {**root, "namespace": names.namespace}
    path = {**inside, "policy-name": names.policy}
    changed = {"content": content.POLICY_CONTENT, "current-policy-version": content.STALE}
    yield "create_policy", AccessRequest("createPolicy", inside, content.new_policy(names.policy))
    yield "list_policies", AccessRequest("listPolicies", inside)
    yield "load_policy", AccessRequest("loadPolicy", path)
    yield "update_policy", AccessRequest("updatePolicy", path, changed)
    yield "drop_policy", AccessRequest("dropPolicy", path, takes="policy")
    yield "detach_and_drop_policy", AccessRequest("dropPolicy", path, query={"detach-all": "true"}, takes="policy")
    targets: dict[str, dict[str, Any]] = {
        "catalog": {"type": "catalog", "path": []},
        "namespace": {"type": "namespace", "path": [names.namespace]},
        "table": {"type": "table-like", "path": [names.namespace, names.table]},
    }
    for level, target in targets.items():
        yield f"attach_{level}", AccessRequest("attachPolicy", path, {"target": target, "parameters": {}})
        yield f"detach_{level}", AccessRequest("detachPolicy", path, {"target": target})
    of_namespace = {"namespace": names.namespace}
    yield "policies_of_catalog", AccessRequest("getApplicablePolicies", root)
    yield "policies_of_namespace", AccessRequest("getApplicablePolicies", root, query=of_namespace)
    of_table = {**of_namespace, "target-name": names.table}
    yield "policies_of_table", AccessRequest("getApplicablePolicies", root, query=of_table)


def _catalogs(names: AccessNames) -> Calls:
    path = {"catalogName": names.catalog}
    role = {**path, "catalogRoleName": names.role}
    changed = {"currentEntityVersion": content.STALE, "properties": names.catalog_value.get("properties", {})}
    yield "list_catalogs", AccessRequest("listCatalogs")
    yield "create_catalog", AccessRequest("createCatalog", body={"catalog": names.catalog_value})
    yield "get_catalog", AccessRequest("getCatalog", path)
    yield "update_catalog", AccessRequest("updateCatalog", path, changed)
    yield "delete_catalog", AccessRequest("deleteCatalog", path)
    yield "list_catalog_roles", AccessRequest("listCatalogRoles", path)
    yield "create_catalog_role", AccessRequest("createCatalogRole", path, {"catalogRole": {"name": names.role}})
    yield "get_catalog_role", AccessRequest("getCatalogRole", role)
    update = {"currentEntityVersion": content.STALE, "properties": {}}
    yield "update_catalog_role", AccessRequest("updateCatalogRole", role, update)
    admin = {**path, "catalogRoleName": CATALOG_ADMIN}
    yield "delete_catalog_role", AccessRequest("deleteCatalogRole", admin)
    yield "list_assignee_principal_roles", AccessRequest("listAssigneePrincipalRolesForCatalogRole", role)
    yield "list_grants", AccessRequest("listGrantsForCatalogRole", role)
    assigned = {"principalRoleName": names.principal_role, **path}
    body = {"catalogRole": {"name": names.role}}
    yield "assign_catalog_role", AccessRequest("assignCatalogRoleToPrincipalRole", assigned, body)
    loose = {**assigned, "catalogRoleName": names.loose_role}
    yield "revoke_catalog_role", AccessRequest("revokeCatalogRoleFromPrincipalRole", loose)


def _grants(names: AccessNames) -> Calls:
    """Yield grants to `role` at each level, and revokes of grants that `loose_role` never had."""
    role = {"catalogName": names.catalog, "catalogRoleName": names.role}
    loose = {**role, "catalogRoleName": names.loose_role}
    inside = {"namespace": [names.namespace]}
    fields: dict[str, dict[str, Any]] = {
        "catalog": {},
        "namespace": inside,
        "table": {**inside, "tableName": names.table},
        "view": {**inside, "viewName": names.view},
        "policy": {**inside, "policyName": names.policy},
    }
    for level, privilege in PRIVILEGES.items():
        body = {"grant": {"type": level, **fields[level], "privilege": privilege}}
        yield f"grant_on_{level}", AccessRequest("addGrantToCatalogRole", role, body)
        yield f"revoke_from_{level}", AccessRequest("revokeGrantFromCatalogRole", loose, body)


def _principals(names: AccessNames) -> Calls:
    path = {"principalName": names.principal}
    role = {"principalRoleName": names.principal_role}
    update = {"currentEntityVersion": content.STALE, "properties": {}}
    yield "list_principals", AccessRequest("listPrincipals")
    yield "create_principal", AccessRequest("createPrincipal", body={"principal": {"name": names.principal}})
    yield "get_principal", AccessRequest("getPrincipal", path)
    yield "update_principal", AccessRequest("updatePrincipal", path, update)
    yield "delete_principal", AccessRequest("deletePrincipal", path, takes="principal")
    yield "rotate_of_another", AccessRequest("rotateCredentials", path)
    yield "reset_of_another", AccessRequest("resetCredentials", path, {})
    yield "list_principal_roles_assigned", AccessRequest("listPrincipalRolesAssigned", path)
    yield (
        "assign_principal_role",
        AccessRequest("assignPrincipalRole", path, {"principalRole": {"name": names.principal_role}}),
    )
    yield "revoke_principal_role", AccessRequest("revokePrincipalRole", {**path, **role})
    yield "list_principal_roles", AccessRequest("listPrincipalRoles")
    yield (
        "create_principal_role",
        AccessRequest("createPrincipalRole", body={"principalRole": {"name": names.principal_role}}),
    )
    yield "get_principal_role", AccessRequest("getPrincipalRole", role)
    yield "update_principal_role", AccessRequest("updatePrincipalRole", role, update)
    yield "delete_principal_role", AccessRequest("deletePrincipalRole", role, takes="principal_role")
    yield "list_assignee_principals", AccessRequest("listAssigneePrincipalsForPrincipalRole", role)
    of_catalog = {**role, "catalogName": names.catalog}
    yield "list_catalog_roles_of_principal_role", AccessRequest("listCatalogRolesForPrincipalRole", of_catalog)
