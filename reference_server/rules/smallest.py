"""Smallest answers of success: with the fields that the document requires, and lists without items."""

from __future__ import annotations

from typing import Any

from reference_server.context import Reply, json_reply
from reference_server.faults import Call
from specs.openapi import JSON_TYPE, Document, Schema

EMPTY: dict[str, Any] = {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False, "null": None}
CHOICES = ("oneOf", "anyOf")
DEEPEST = 12
"""Levels that are filled: a schema may contain itself."""


def smallest_success(call: Call) -> Reply:
    """Return the smallest success of an operation, one without content where the document has none."""
    for status in call.operation.successes:
        schema = call.operation.responses[str(status)].content.get(JSON_TYPE)
        if schema is not None:
            return json_reply(smallest_value(call.document, schema), status)
    return Reply(call.operation.successes[0] if call.operation.successes else 200)


def smallest_value(document: Document, schema: Schema, depth: int = 0) -> Any:
    """Return the smallest JSON value of a schema."""
    whole = _joined(document, schema)
    for name in ("const", "default"):
        if name in whole:
            return whole[name]
    if whole.get("enum"):
        return whole["enum"][0]
    types = whole.get("type", "object" if "properties" in whole else "null")
    kind = types[0] if isinstance(types, list) else types
    if kind == "string":
        return "-" * whole.get("minLength", 0)
    if kind != "object" or depth > DEEPEST:
        return whole.get("minimum", EMPTY.get(kind))
    properties = whole.get("properties", {})
    return {name: smallest_value(document, properties.get(name, {}), depth + 1) for name in whole.get("required", ())}


def _joined(document: Document, schema: Schema, depth: int = 0) -> Schema:
    """Return a schema with the fields of its allOf, and of the first of each choice."""
    whole = document.resolve(schema)
    parts = [*whole.get("allOf", ()), *(whole[name][0] for name in CHOICES if whole.get(name))]
    joined: Schema = {}
    for part in (*(_joined(document, part, depth + 1) for part in parts if depth < DEEPEST), whole):
        properties = {**joined.get("properties", {}), **part.get("properties", {})}
        required = list(dict.fromkeys([*joined.get("required", ()), *part.get("required", ())]))
        joined = {**joined, **part, "required": required, **({"properties": properties} if properties else {})}
    return joined
