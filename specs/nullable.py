"""Expanding `nullable`: OpenAPI 3.0's word for "or null", which JSON Schema does not know.

Documents of OpenAPI 3.1 still use it, and mean it: their texts allow null in these places, and clients send it.
"""

from __future__ import annotations

from typing import Any


def expand_nullable(node: Any) -> None:
    """Make every schema below that says `nullable: true` accept null, in place."""
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
