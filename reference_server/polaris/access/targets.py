"""What a request is about: what its path, its query and its body name, each by the word that `privileges.toml` has.

A path names `catalog`, `namespace`, `table`, `view`, `policy`, `catalog-role`, `principal` and `principal-role`. What
else a request names is added here, for each operation that has such names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reference_server.api import Target
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import levels
from reference_server.iceberg.handlers.tables import identifier
from reference_server.polaris.securables import ROOT, Securable, SecurableType, catalog_role, principal, principal_role
from reference_server.polaris.securables import catalog as catalog_named

ROOT_PRINCIPAL = "root"  # the only one that may give credentials anew
ROOT_PRINCIPAL_TARGET = "root-principal"
TABLE_LIKE = "table-like"
OBJECTS = {
    "table": SecurableType.TABLE,
    "generic-table": SecurableType.TABLE,
    "view": SecurableType.VIEW,
    "policy-name": SecurableType.POLICY,
}
GRANTED_ON = {"table": "tableName", "view": "viewName", "policy": "policyName"}
Targets = dict[str, Securable]
Added = Callable[[Target, str], Targets]


def targets_of(operation_id: str, target: Target) -> Targets:
    """Return what a request is about. Raises InvalidInput for a namespace that cannot be read."""
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


def _in_catalog(kind: SecurableType, catalog: str, path: Sequence[str]) -> Securable:
    """Return a catalog, or something in it. Raises InvalidInput where a part of its name is missing."""
    if kind is SecurableType.CATALOG:
        return catalog_named(catalog)
    if len(path) < (1 if kind is SecurableType.NAMESPACE else 2) or not all(path):
        raise InvalidInput(f"Invalid value: the name of a {kind} needs all its parts, and none of them may be empty")
    return Securable(kind, catalog, tuple(path))


def _query(target: Target, name: str) -> str:
    return target.request.query.get(name, [""])[-1]


def _parent_asked(target: Target, catalog: str) -> Targets:
    parent = _query(target, "parent")
    return {"parent": _namespace_or_catalog(catalog, levels(parent) if parent else ())}


def _parent_of_new(target: Target, catalog: str) -> Targets:
    return {"parent": _namespace_or_catalog(catalog, tuple(target.body["namespace"][:-1]))}


def _registered(target: Target, catalog: str) -> Targets:
    return {
        SecurableType.TABLE: Securable(
            SecurableType.TABLE, catalog, (*levels(target.path["namespace"]), target.body["name"])
        )
    }


def _renamed(kind: SecurableType) -> Added:
    def added(target: Target, catalog: str) -> Targets:
        source, destination = identifier(target.body["source"]), identifier(target.body["destination"])
        return {
            "source": Securable(kind, catalog, source),
            "destination": Securable(SecurableType.NAMESPACE, catalog, destination[:-1]),
        }

    return added


def _assigned_principal_role(target: Target, _catalog: str) -> Targets:
    return {SecurableType.PRINCIPAL_ROLE: principal_role(target.body["principalRole"]["name"])}


def _assigned_catalog_role(target: Target, catalog: str) -> Targets:
    return {SecurableType.CATALOG_ROLE: catalog_role(catalog, target.body["catalogRole"]["name"])}


def _granted_on(target: Target, catalog: str) -> Targets:
    """Return what a grant is on, by its type."""
    grant = target.body["grant"]
    kind = SecurableType(grant["type"])
    name = [grant[GRANTED_ON[kind]]] if kind in GRANTED_ON else []
    levels = () if kind is SecurableType.CATALOG else grant["namespace"]
    return {"securable": _in_catalog(kind, catalog, [*levels, *name])}


def _attached_to(target: Target, catalog: str) -> Targets:
    """Return what a policy is attached to: the catalog, a namespace or a table."""
    attachment = target.body["target"]
    kind = SecurableType.TABLE if attachment["type"] == TABLE_LIKE else SecurableType(attachment["type"])
    return {"securable": _in_catalog(kind, catalog, attachment.get("path") or ())}


def _applied_to(target: Target, catalog: str) -> Targets:
    """Return for what policies are asked: a table of a namespace, the namespace, or the catalog."""
    namespace, name = _query(target, "namespace"), _query(target, "target-name")
    path = levels(namespace) if namespace else ()
    if name:
        return {"securable": _in_catalog(SecurableType.TABLE, catalog, (*path, name))}
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
