"""Securables in a request's path, query and body, each under its word in `privileges.toml`.

A path names `catalog`, `namespace`, `table`, `view`, `policy`, `catalog-role`, `principal` and `principal-role`.
Further names are added here, for each operation that has any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reference_server.api import RequestTarget
from reference_server.iceberg.catalog.names import Path, identifier, levels
from reference_server.polaris.entities.grants import read_grant
from reference_server.polaris.securables import (
    ROOT,
    Securable,
    SecurableType,
    catalog_role,
    in_catalog,
    principal,
    principal_role,
)
from reference_server.polaris.securables import catalog as catalog_named

ROOT_PRINCIPAL = "root"  # the only principal that may reset credentials
ROOT_PRINCIPAL_TARGET = "root-principal"
TABLE_LIKE = "table-like"
OBJECTS = {
    "table": SecurableType.TABLE,
    "generic-table": SecurableType.TABLE,
    "view": SecurableType.VIEW,
    "policy-name": SecurableType.POLICY,
}
Targets = dict[str, Securable]
Added = Callable[[RequestTarget, str], Targets]


def targets_of(operation_id: str, target: RequestTarget) -> Targets:
    """Return the securables of a request. Raises InvalidInput for an unreadable namespace."""
    catalog = target.path.get("prefix") or target.path.get("catalogName") or ""
    targets: Targets = {SecurableType.ROOT: ROOT, ROOT_PRINCIPAL_TARGET: principal(ROOT_PRINCIPAL)}
    if catalog:
        targets[SecurableType.CATALOG] = catalog_named(catalog)
    targets.update(_named_by_path(target.path, catalog))
    added = ADDED.get(operation_id)
    return targets | added(target, catalog) if added else targets


def _named_by_path(path: Mapping[str, str], catalog: str) -> Targets:
    targets: Targets = {}
    if "principalName" in path:
        targets[SecurableType.PRINCIPAL] = principal(path["principalName"])
    if "principalRoleName" in path:
        targets[SecurableType.PRINCIPAL_ROLE] = principal_role(path["principalRoleName"])
    if "catalogRoleName" in path:
        targets[SecurableType.CATALOG_ROLE] = catalog_role(catalog, path["catalogRoleName"])
    if "namespace" in path:
        namespace = levels(path["namespace"])
        targets[SecurableType.NAMESPACE] = Securable(SecurableType.NAMESPACE, catalog, namespace)
        for name, kind in OBJECTS.items():
            if name in path:
                targets[kind] = Securable(kind, catalog, (*namespace, path[name]))
    return targets


def _namespace_or_catalog(catalog: str, path: Path) -> Securable:
    return Securable(SecurableType.NAMESPACE, catalog, path) if path else catalog_named(catalog)


def _query(target: RequestTarget, name: str) -> str:
    return target.request.query.get(name, [""])[-1]


def _parent_asked(target: RequestTarget, catalog: str) -> Targets:
    parent = _query(target, "parent")
    return {"parent": _namespace_or_catalog(catalog, levels(parent) if parent else ())}


def _parent_of_new(target: RequestTarget, catalog: str) -> Targets:
    return {"parent": _namespace_or_catalog(catalog, tuple(target.body["namespace"][:-1]))}


def _registered(target: RequestTarget, catalog: str) -> Targets:
    return {
        SecurableType.TABLE: Securable(
            SecurableType.TABLE, catalog, (*levels(target.path["namespace"]), target.body["name"])
        )
    }


def _renamed(kind: SecurableType) -> Added:
    def added(target: RequestTarget, catalog: str) -> Targets:
        source, destination = identifier(target.body["source"]), identifier(target.body["destination"])
        return {
            "source": Securable(kind, catalog, source),
            "destination": Securable(SecurableType.NAMESPACE, catalog, destination[:-1]),
        }

    return added


def _assigned_principal_role(target: RequestTarget, _catalog: str) -> Targets:
    return {SecurableType.PRINCIPAL_ROLE: principal_role(target.body["principalRole"]["name"])}


def _assigned_catalog_role(target: RequestTarget, catalog: str) -> Targets:
    return {SecurableType.CATALOG_ROLE: catalog_role(catalog, target.body["catalogRole"]["name"])}


def _granted_on(target: RequestTarget, catalog: str) -> Targets:
    return {"securable": read_grant(target.body["grant"], catalog)[0]}


def _attached_to(target: RequestTarget, catalog: str) -> Targets:
    """Return the target of a policy: the catalog, a namespace or a table."""
    attachment = target.body["target"]
    kind = SecurableType.TABLE if attachment["type"] == TABLE_LIKE else SecurableType(attachment["type"])
    return {"securable": in_catalog(kind, catalog, attachment.get("path") or ())}


def _applied_to(target: RequestTarget, catalog: str) -> Targets:
    """Return the target whose policies are requested: a table of a namespace, the namespace, or the catalog."""
    namespace, name = _query(target, "namespace"), _query(target, "target-name")
    path = levels(namespace) if namespace else ()
    if name:
        return {"securable": in_catalog(SecurableType.TABLE, catalog, (*path, name))}
    return {"securable": _namespace_or_catalog(catalog, path)}


ADDED: dict[str, Added] = {
    "listNamespaces": _parent_asked,
    "createNamespace": _parent_of_new,
    "registerTable": _registered,
    "renameTable": _renamed(SecurableType.TABLE),
    "renameView": _renamed(SecurableType.VIEW),
    "assignPrincipalRole": _assigned_principal_role,
    "assignCatalogRoleToPrincipalRole": _assigned_catalog_role,
    "addGrantToCatalogRole": _granted_on,
    "revokeGrantFromCatalogRole": _granted_on,
    "attachPolicy": _attached_to,
    "detachPolicy": _attached_to,
    "getApplicablePolicies": _applied_to,
}
