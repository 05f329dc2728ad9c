"""The smallest value that a schema accepts: what a probe sends."""

from __future__ import annotations

from typing import Any

from specs.openapi import Document

SMALLEST = {"string": "x", "integer": 1, "number": 1, "boolean": False, "null": None}


def minimal_value(document: Document, schema: Any) -> Any:
    """Return a smallest value for a schema of the document: required fields only."""
    schema = document.resolve(schema)
    for choice in ("oneOf", "anyOf", "allOf"):
        if schema.get(choice):
            return minimal_value(document, schema[choice][0])
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: minimal_value(document, properties.get(name, {})) for name in schema.get("required", [])}
    if kind == "array":
        return [minimal_value(document, schema.get("items", {}))] * schema.get("minItems", 0)
    return SMALLEST[kind]
