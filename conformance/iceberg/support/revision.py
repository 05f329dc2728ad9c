"""Updates, requirements and format versions in the tested revision of the document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from conformance.target.revision import DocumentRevision
from conformance.values.outcomes import NotInRevision
from specs.iceberg.commits import actions, newest_actions, newest_requirement_types, requirement_types
from specs.openapi import Document
from specs.profiles import find_profile


class Revision(DocumentRevision):
    """Revision of an Iceberg document. Its methods named `require_...` raise Unoffered."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        lacked = newest_actions().keys() - actions(document).keys()
        self._lacked_updates = {newest_actions()[schema] for schema in lacked}
        self._lacked_requirements = newest_requirement_types() - requirement_types(document)

    def has_update(self, action: str) -> bool:
        """True when the document has an update of this action, under any name, or no document has it."""
        return action not in self._lacked_updates

    def has_requirement(self, type: str) -> bool:
        """True when the document has a requirement of this type, or no document has it."""
        return type not in self._lacked_requirements

    @property
    def format_version(self) -> int:
        """The highest format version of tables in the document."""
        named = self.schemas["TableMetadata"]["properties"]["format-version"].get("maximum")
        return int(named or newest_format_version())

    def require_updates(self, updates: Iterable[Any]) -> None:
        """Require that the document has the actions of all updates, except actions that no document has."""
        for update in updates:
            action = update.get("action", "") if isinstance(update, dict) else ""
            if not self.has_update(action):
                raise NotInRevision(f"this revision of the document has no update {action}")

    def require_requirements(self, requirements: Iterable[Any]) -> None:
        """Require that the document has the types of all requirements, except types that no document has."""
        for requirement in requirements:
            type = requirement.get("type", "") if isinstance(requirement, dict) else ""
            if not self.has_requirement(type):
                raise NotInRevision(f"this revision of the document has no requirement {type}")

    def require_format_version(self, version: Any) -> None:
        """Require that the document has the format version, except versions that no document has."""
        highest = self.format_version
        if str(version) in map(str, range(highest + 1, newest_format_version() + 1)):
            raise NotInRevision(f"this revision of the document ends with format version {highest}")

    def page_size(self, operation: str) -> int | None:
        """Return the default page size of an operation, None where it lists everything by default."""
        size: int | None = self.document.operation(operation).default("pageSize")
        return size

    def require_call(self, operation: str, given: Mapping[str, Any]) -> None:
        """Require that the document has an operation, and the parts of a call's arguments, which are given by name."""
        self.require_operation(operation)
        if operation == "registerTable" and given.get("overwrite") is not None:
            self.require_field("RegisterTableRequest", "overwrite")
        if operation == "createTable":
            self.require_format_version((given.get("properties") or {}).get("format-version"))
        if operation == "updateTable":
            updates = given.get("updates", ())
            self.require_updates(updates)
            self.require_requirements(given.get("requirements", ()))
            for update in updates:
                self.require_format_version(update.get("format-version") if isinstance(update, dict) else None)


@cache
def newest_format_version() -> int:
    """Return the highest format version in the newest document."""
    schemas = find_profile("iceberg").document().raw["components"]["schemas"]
    return int(schemas["TableMetadata"]["properties"]["format-version"]["maximum"])
