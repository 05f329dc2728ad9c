"""Expansion of OpenAPI keywords that JSON Schema does not know: `nullable` and `discriminator`.

`nullable` is OpenAPI 3.0's keyword for "or null". Documents of OpenAPI 3.1 still use it: their texts allow null in
these places, and clients send it.

A `discriminator` without `oneOf` validates nothing: any value of the property passes. Its expansion is a choice whose
branches fix the property to their own value. A branch usually refers back to the schema that it specializes
(`allOf: [{$ref: Base}, ...]`). The base therefore becomes two schemas: `Base`, the choice, and `Base.fields`, the
fields that the branches share.
"""

from __future__ import annotations

import copy
from typing import Any

SHARED = ".fields"


def expand_discriminators(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with every discriminator expanded to `oneOf` with constants."""
    schemas: dict[str, Any] = document.get("components", {}).get("schemas", {})
    bases = {name: schema for name, schema in schemas.items() if _wants_expansion(schema)}
    if not bases:
        return document
    expanded = copy.deepcopy(document)
    schemas = expanded["components"]["schemas"]
    for name in bases:
        _expand(schemas, name)
    return expanded


def _wants_expansion(schema: Any) -> bool:
    return isinstance(schema, dict) and bool(schema.get("discriminator", {}).get("mapping"))


def _expand(schemas: dict[str, Any], name: str) -> None:
    base = schemas[name]
    discriminator = base.pop("discriminator")
    for choice in ("oneOf", "anyOf"):
        base.pop(choice, None)
    field, mapping = discriminator["propertyName"], discriminator["mapping"]
    schemas[name + SHARED] = base
    own, shared = f"#/components/schemas/{name}", f"#/components/schemas/{name}{SHARED}"
    for target in {reference.rsplit("/", 1)[-1] for reference in mapping.values()}:
        for parent in schemas.get(target, {}).get("allOf", []):
            if parent.get("$ref") == own:
                parent["$ref"] = shared
    schemas[name] = {"oneOf": [_branch(field, value, reference) for value, reference in mapping.items()]}


def _branch(field: str, value: str, reference: str) -> dict[str, Any]:
    return {
        "allOf": [{"$ref": reference}],
        "required": [field],
        "properties": {field: {"const": value}},
    }


def expand_nullable(node: Any) -> None:
    """Change every schema with `nullable: true` below a node to accept null, in place."""
    if isinstance(node, list):
        for item in node:
            expand_nullable(item)
    elif isinstance(node, dict):
        for item in node.values():
            expand_nullable(item)
        if node.get("nullable") is True:
            del node["nullable"]
            _accept_null(node)


def _accept_null(schema: dict[str, Any]) -> None:
    if "$ref" in schema:
        schema["anyOf"] = [{"$ref": schema.pop("$ref")}, {"type": "null"}]
    elif isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
