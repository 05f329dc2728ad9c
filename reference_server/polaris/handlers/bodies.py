"""Request bodies: wrapped and bare ones of the management API, and properties that clients may not set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.errors import IllegalArgument
from reference_server.polaris.catalog.places import check_plain
from reference_server.polaris.entities.storage_rules import checked
from reference_server.polaris.rules import ManagementRules
from reference_server.polaris.securables import SecurableType

Json = Mapping[str, Any]
# The subject of each of these bodies; clients also send it as the whole body.
WRAPPERS = {
    "createCatalog": "catalog",
    "createPrincipal": "principal",
    "createPrincipalRole": "principalRole",
    "assignPrincipalRole": "principalRole",
    "createCatalogRole": "catalogRole",
    "assignCatalogRoleToPrincipalRole": "catalogRole",
    "addGrantToCatalogRole": "grant",
    "revokeGrantFromCatalogRole": "grant",
}
PROPERTY_UPDATES = ("set-properties", "remove-properties")
BESIDE = ("credentialRotationRequired",)  # fields beside the subject
CONFIGURATION = "polaris.config."  # settings: each release knows others, so all are accepted


def wrap(operation_id: str, body: Any) -> None:
    """Wrap the subject of a bare body in the document's field."""
    wrapper = WRAPPERS.get(operation_id)
    if wrapper is None or not isinstance(body, dict) or wrapper in body:
        return
    body[wrapper] = {name: body.pop(name) for name in list(body) if name not in BESIDE}


def properties_of(entity: Json) -> dict[str, str]:
    """Return the properties of an entity in a request."""
    properties: dict[str, str] = entity.get("properties") or {}
    return properties


def check(operation_id: str, body: Any, rules: ManagementRules) -> None:
    """Raise InvalidInput for a body that is invalid in any state of the server, for any caller."""
    wrapper = WRAPPERS.get(operation_id)
    about = body if wrapper is None else body.get(wrapper, body)
    for objection in CHECKS.get(operation_id, ()):
        objection(about, rules)


def _check_properties(entity: Json, rules: ManagementRules) -> None:
    _check_names(properties_of(entity), rules)


def _check_changed_properties(change: Json, rules: ManagementRules) -> None:
    """Check the properties that an update of a namespace, a table or a view sets or removes."""
    _check_names([*(change.get("updates") or ()), *(change.get("removals") or ())], rules)


def _check_commit(commit: Json, rules: ManagementRules) -> None:
    for update in commit["updates"]:
        if update.get("action") in PROPERTY_UPDATES:
            _check_changed_properties(update, rules)


def _check_transaction(transaction: Json, rules: ManagementRules) -> None:
    for commit in transaction["table-changes"]:
        _check_commit(commit, rules)


def _check_names(names: Iterable[str], rules: ManagementRules) -> None:
    prefix = rules.reserved_prefix
    for name in names if prefix else ():
        if name.startswith(prefix) and not name.startswith(CONFIGURATION):
            raise IllegalArgument(f"Property '{name:.300}' matches reserved prefix '{prefix}'")


def _check_version(body: Json, _rules: ManagementRules) -> None:
    if "currentEntityVersion" not in body:
        raise InvalidInput("Invalid value: currentEntityVersion: must not be null")


def _check_storage(catalog: Json, rules: ManagementRules) -> None:
    checked(catalog, rules, at="/catalog")


def _check_file(registration: Json, _rules: ManagementRules) -> None:
    """Check the metadata file of a registration."""
    check_plain(registration["metadata-location"])


def _check_levels(grant: Json, _rules: ManagementRules) -> None:
    levels = grant.get("namespace")
    if grant["type"] != SecurableType.CATALOG and not (levels and all(levels)):
        raise InvalidInput("Invalid value: grant.namespace: must have levels, none of them empty")


# Checks of bodies beyond the schema.
CHECKS: dict[str, tuple[Callable[[Json, ManagementRules], None], ...]] = {
    "createCatalog": (_check_properties, _check_storage),
    "updateCatalog": (_check_properties, _check_version),
    "createPrincipal": (_check_properties,),
    "updatePrincipal": (_check_properties,),
    "createPrincipalRole": (_check_properties,),
    "updatePrincipalRole": (_check_properties,),
    "createCatalogRole": (_check_properties,),
    "updateCatalogRole": (_check_properties,),
    "createNamespace": (_check_properties,),
    "updateProperties": (_check_changed_properties,),
    "createTable": (_check_properties,),
    "updateTable": (_check_commit,),
    "commitTransaction": (_check_transaction,),
    "registerTable": (_check_file,),
    "createView": (_check_properties,),
    "replaceView": (_check_commit,),
    "registerView": (_check_file,),
    "createGenericTable": (_check_properties,),
    "addGrantToCatalogRole": (_check_levels,),
    "revokeGrantFromCatalogRole": (_check_levels,),
}
