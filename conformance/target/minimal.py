"""The smallest value that a schema accepts, for probes."""

from __future__ import annotations

from typing import Any

from specs.openapi import Document

SMALLEST = {"integer": 1, "number": 1, "boolean": False, "null": None}


def minimal_value(document: Document, schema: Any, text: str, within: tuple[str, ...] = ()) -> Any:
    """Return a smallest value for a schema of the document: required fields only.

    `text` replaces every string: a name of no existing object, since the value may be sent. `within` are the references
    followed so far: a choice that leads back to one of them is not taken.
    """
    within = (*within, *_reference(schema))
    schema = document.resolve(schema)
    for choice in ("oneOf", "anyOf", "allOf"):
        if schema.get(choice):
            onward = [branch for branch in schema[choice] if not set(_reference(branch)) & set(within)]
            return minimal_value(document, (onward or schema[choice])[0], text, within)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        return {name: minimal_value(document, properties.get(name, {}), text, within) for name in required}
    if kind == "array":
        return [minimal_value(document, schema.get("items", {}), text, within)] * schema.get("minItems", 0)
    return text if kind == "string" else SMALLEST[kind]


def _reference(schema: Any) -> tuple[str, ...]:
    return (schema["$ref"],) if isinstance(schema, dict) and "$ref" in schema else ()
