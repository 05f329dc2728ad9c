"""Steps through every operation of Polaris' own APIs, for clients that have a method for each operation.

Arguments have the names that generators give them in Python. A step has the status that is due, and says who calls:
root, or a user with the privileges that root grants it on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from specs.profiles import find_profile

PROFILE = find_profile("polaris/1.7")
DRIVEN = ("/api/management/", "/policies", "/applicable-policies", "/generic-tables")
COMPACTION = "system.data-compaction"
NAMESPACE = "a"


@dataclass(frozen=True)
class Step:
    """One call: its operation, its arguments in the client's words, its body, its status; and who calls."""

    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    status: int = 200
    as_user: bool = False


def step(operation: str, body: Any = None, status: int = 200, as_user: bool = False, **arguments: Any) -> Step:
    """Return a step."""
    return Step(operation, arguments, body, status, as_user)


Arguments = dict[str, Any]
C: Arguments = {"catalog_name": "c"}
P: Arguments = {"principal_name": "u"}
PR: Arguments = {"principal_role_name": "people"}
CR: Arguments = {**C, "catalog_role_name": "owner"}
IN: Arguments = {"prefix": "c", "namespace": NAMESPACE}
POLICY: Arguments = {**IN, "policy_name": "p"}
TARGET = {"target": {"type": "namespace", "path": [NAMESPACE]}}
GRANT = {"grant": {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}}


def management(base: str) -> list[Step]:
    """Return steps through every operation of the management API."""
    storage = {"storageType": "FILE", "allowedLocations": [base]}
    catalog = {
        "type": "INTERNAL",
        "name": "c",
        "properties": {"default-base-location": base},
        "storageConfigInfo": storage,
    }
    s3 = {"storageType": "S3", "roleArn": "arn:aws:iam::123456789012:role/r", "allowedLocations": ["s3://b/x"]}
    outside = {
        "type": "EXTERNAL",
        "name": "outside",
        "properties": {"default-base-location": "s3://b/x"},
        "storageConfigInfo": s3,
        "connectionConfigInfo": {
            "connectionType": "ICEBERG_REST",
            "uri": "http://far.example",
            "remoteCatalogName": "f",
        },
    }
    return [
        step("createCatalog", {"catalog": catalog}, 201),
        step("createCatalog", {"catalog": catalog}, 409),
        step("createCatalog", {"catalog": outside}, 201),
        step("listCatalogs"),
        step("listCatalogs", status=403, as_user=True),
        step("getCatalog", **C),
        step("getCatalog", status=404, catalog_name="none"),
        step(
            "updateCatalog",
            {"currentEntityVersion": 1, "properties": {"color": "red"}, "storageConfigInfo": storage},
            **C,
        ),
        step("updateCatalog", {"currentEntityVersion": 1, "properties": {}}, 409, **C),
        step("createPrincipal", {"principal": {"name": "spare"}, "credentialRotationRequired": False}, 201),
        step("listPrincipals"),
        step("getPrincipal", **P),
        step("updatePrincipal", {"currentEntityVersion": 1, "properties": {"team": "a"}}, **P),
        step("resetCredentials", {"clientSecret": "0123456789abcdef"}, principal_name="spare"),
        step("resetCredentials", {}, 403, as_user=True, principal_name="spare"),
        step("rotateCredentials", status=403, principal_name="spare"),
        step("createPrincipalRole", {"principalRole": {"name": "people"}}, 201),
        step("listPrincipalRoles"),
        step("getPrincipalRole", **PR),
        step("updatePrincipalRole", {"currentEntityVersion": 1, "properties": {"size": "9"}}, **PR),
        step("assignPrincipalRole", {"principalRole": {"name": "people"}}, 201, **P),
        step("listPrincipalRolesAssigned", **P),
        step("listAssigneePrincipalsForPrincipalRole", **PR),
        step("createCatalogRole", {"catalogRole": {"name": "owner"}}, 201, **C),
        step("listCatalogRoles", **C),
        step("getCatalogRole", **CR),
        step("updateCatalogRole", {"currentEntityVersion": 1, "properties": {"kind": "x"}}, **CR),
        step("assignCatalogRoleToPrincipalRole", {"catalogRole": {"name": "owner"}}, 201, **PR, **C),
        step("listCatalogRolesForPrincipalRole", **PR, **C),
        step("listAssigneePrincipalRolesForCatalogRole", **CR),
        step("addGrantToCatalogRole", GRANT, 201, **CR),
        step("listGrantsForCatalogRole", **CR),
        step("listGrantsForCatalogRole", status=403, as_user=True, **CR),
    ]


CONTENT = [
    step("createGenericTable", {"name": "g", "format": "delta", "properties": {"k": "v"}}, as_user=True, **IN),
    step("listGenericTables", as_user=True, **IN),
    step("loadGenericTable", as_user=True, **IN, generic_table="g"),
    step("loadGenericTable", status=404, as_user=True, **IN, generic_table="none"),
    step("createPolicy", {"name": "p", "type": COMPACTION, "content": '{"enable": true}'}, as_user=True, **IN),
    step("createPolicy", {"name": "p", "type": COMPACTION, "content": '{"enable": true}'}, 409, as_user=True, **IN),
    step("listPolicies", as_user=True, **IN, policy_type=COMPACTION),
    step("loadPolicy", as_user=True, **POLICY),
    step("updatePolicy", {"content": '{"enable": false}', "current-policy-version": 0}, as_user=True, **POLICY),
    step("updatePolicy", {"content": '{"enable": true}', "current-policy-version": 0}, 409, as_user=True, **POLICY),
    step("attachPolicy", TARGET, 204, as_user=True, **POLICY),
    step("getApplicablePolicies", as_user=True, prefix="c", namespace=NAMESPACE),
    step("dropPolicy", status=400, as_user=True, **POLICY),
    step("detachPolicy", TARGET, 204, as_user=True, **POLICY),
    step("detachPolicy", TARGET, 404, as_user=True, **POLICY),
    step("dropPolicy", status=204, as_user=True, **POLICY, detach_all=True),
    step("dropGenericTable", status=204, as_user=True, **IN, generic_table="g"),
]
END = [
    step("revokeGrantFromCatalogRole", GRANT, 201, **CR, cascade=False),
    step("revokeGrantFromCatalogRole", GRANT, 400, **CR, cascade=False),
    step("createGenericTable", {"name": "h", "format": "delta"}, 403, as_user=True, **IN),
    step("revokeCatalogRoleFromPrincipalRole", status=204, **PR, **CR),
    step("deleteCatalog", status=400, **C),
    step("deleteCatalogRole", status=204, **CR),
    step("deleteCatalog", status=204, catalog_name="outside"),
    step("revokePrincipalRole", status=204, **P, **PR),
    step("deletePrincipalRole", status=204, **PR),
    step("deletePrincipal", status=204, principal_name="spare"),
    step("rotateCredentials", as_user=True, **P),
]


def all_steps(base: str) -> list[Step]:
    """Return all steps in their order; the namespace has to be created before the first of CONTENT."""
    return [*management(base), *CONTENT, *END]


def driven() -> set[str]:
    """Return the operations of Polaris' own APIs, which the steps drive."""
    operations = PROFILE.document().operations.values()
    return {operation.id for operation in operations if any(part in operation.path for part in DRIVEN)}
