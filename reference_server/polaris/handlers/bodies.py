"""Bodies of management requests: wrapped or bare, and properties that clients may not set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.polaris.rules import Rules

# What each of these bodies is about: clients send it as the body itself, too.
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
BESIDE = ("credentialRotationRequired",)  # what stands beside it
CONFIGURATION = "polaris.config."


def wrap(operation_id: str, body: Any) -> None:
    """Put what a bare body is about where the document has it."""
    wrapper = WRAPPERS.get(operation_id)
    if wrapper is None or not isinstance(body, dict) or wrapper in body:
        return
    body[wrapper] = {name: body.pop(name) for name in list(body) if name not in BESIDE}


def properties_of(entity: Mapping[str, Any], rules: Rules) -> dict[str, str]:
    """Return the properties of an entity that a client sends. Raises InvalidInput for those that it may not set."""
    properties: dict[str, str] = entity.get("properties") or {}
    prefix = rules.reserved_prefix
    for name in properties if prefix else ():
        if name.startswith(prefix) and not name.startswith(CONFIGURATION):
            raise InvalidInput(f"Property '{name:.300}' has the reserved prefix '{prefix}'")
    return properties
