"""Contents of the document's revision: no request uses features of later revisions, or of other dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.values.outcomes import NotInRevision, Unoffered
from specs.openapi import Document


class DocumentRevision:
    """A document, with checks for features of later revisions: each `require` raises Unoffered without one."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.schemas: Mapping[str, Any] = document.raw["components"]["schemas"]

    def require_operation(self, operation: str) -> None:
        """Require that the document has an operation."""
        if operation not in self.document.operations:
            raise NotInRevision(f"this revision of the document has no operation {operation}")

    def require_status(self, operation: str, status: int) -> None:
        """Require that an operation declares a status."""
        if self.document.operation(operation).declared(status) is None:
            raise NotInRevision(f"this revision of the document has no status {status} for {operation}")

    def require_field(self, schema: str, field: str) -> None:
        """Require that objects of a schema have a field."""
        if field not in self.schemas.get(schema, {}).get("properties", {}):
            raise NotInRevision(f"this revision of the document has no field {field} in {schema}")

    def require_schema(self, schema: str) -> None:
        """Require that the document has a schema of this name."""
        if schema not in self.schemas:
            raise NotInRevision(f"this revision of the document has no {schema}")

    def require_optional(self, schema: str, field: str) -> None:
        """Require that the document has a schema, and that the field is optional in it."""
        if field in self.schemas.get(schema, {"required": [field]}).get("required", ()):
            raise Unoffered(f"this revision of the document requires {field} in {schema}")
