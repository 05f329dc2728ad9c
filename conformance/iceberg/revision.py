"""What the judged revision of the document has: a server is not asked for what came later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from conformance.outcomes import Unoffered
from specs.openapi import Document
from specs.profiles import find_profile

UNIONS = ("TableUpdate", "ViewUpdate")


class Revision:
    """A document, asked whether it has something that the newest one has. Each `require` raises Unoffered if not."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._schemas: Mapping[str, Any] = document.raw["components"]["schemas"]

    def has_update(self, action: str) -> bool:
        """True when the document has an update of this action, or no document has."""
        return action in update_actions(self.document) or action not in newest_actions()

    def require_updates(self, updates: Iterable[Any]) -> None:
        """Require that the document has the actions of all updates; what no document has is sent as it is."""
        for one in updates:
            action = one.get("action", "") if isinstance(one, dict) else ""
            if not self.has_update(action):
                raise Unoffered(f"this revision of the document has no update {action}")

    def require_format_version(self, version: Any) -> None:
        """Require that tables of the format version may occur; what is no such version is sent as it is."""
        highest = self._schemas["TableMetadata"]["properties"]["format-version"].get("maximum")
        if highest and str(version) in map(str, range(highest + 1, newest_format_version() + 1)):
            raise Unoffered(f"this revision of the document ends with format version {highest}")

    def require_status(self, operation: str, status: int) -> None:
        """Require that an operation declares a status."""
        if self.document.operation(operation).declared(status) is None:
            raise Unoffered(f"this revision of the document has no status {status} for {operation}")

    def require_field(self, schema: str, field: str) -> None:
        """Require that objects of a schema have a field."""
        if field not in self._schemas[schema]["properties"]:
            raise Unoffered(f"this revision of the document has no field {field} in {schema}")

    def require_optional(self, schema: str, field: str) -> None:
        """Require that a field may be left out."""
        if field in self._schemas[schema].get("required", ()):
            raise Unoffered(f"in this revision of the document {schema} needs {field}")


def update_actions(document: Document) -> frozenset[str]:
    """Return the actions of all updates that commits of a document may hold."""
    schemas = document.raw["components"]["schemas"]
    updates = [document.resolve(one) for union in UNIONS for one in schemas[union]["anyOf"]]
    actions = [schema["properties"]["action"] for schema in updates]
    return frozenset(name for action in actions for name in (action.get("const"), *action.get("enum", ())) if name)


@cache
def newest_actions() -> frozenset[str]:
    """Return the actions of the newest document."""
    return update_actions(find_profile("iceberg").document())


@cache
def newest_format_version() -> int:
    """Return the highest format version of the newest document."""
    schemas = find_profile("iceberg").document().raw["components"]["schemas"]
    return int(schemas["TableMetadata"]["properties"]["format-version"]["maximum"])
