"""Expanding discriminators.

A `discriminator` without `oneOf` validates nothing: any value of the property passes. This module
rewrites such a schema into a choice whose branches fix the property to their own value.

A branch usually refers back to the schema that it specialises (`allOf: [{$ref: Base}, ...]`). The
base therefore becomes two schemas: `Base`, the choice, and `Base.fields`, what the branches share.
"""

from __future__ import annotations

import copy
from typing import Any

SHARED = ".fields"


def expand_discriminators(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with every discriminator turned into `oneOf` with constants."""
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
