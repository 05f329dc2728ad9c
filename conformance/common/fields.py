"""Bodies and queries that do not fit their schema, derived from it: each has one defect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from specs.openapi import Document

WORD = "many"  # where no text belongs
Defect = tuple[str, Any]  # where it is and what it is, in words; the body or the query that has it
Wrong = Callable[[Mapping[str, Any]], list[Any]]  # the values that a schema does not allow
_WRONG_TYPES: dict[str, list[Any]] = {
    "string": [17],
    "integer": [WORD, 1.5],
    "number": [WORD],
    "boolean": [WORD],
    "array": [WORD],
    "object": [WORD],
}


def wrong_types(schema: Mapping[str, Any]) -> list[Any]:
    """Return values of another type than a schema wants; none where it allows several types, or any."""
    kind = _type(schema)
    if not kind:
        return []
    inner = schema.get("items") if kind == "array" else schema.get("additionalProperties")
    held = wrong_types(inner)[:1] if isinstance(inner, Mapping) else []
    return [*_WRONG_TYPES[kind], *([one] if kind == "array" else {"key": one} for one in held)]


def below_minimum(schema: Mapping[str, Any]) -> list[Any]:
    """Return the number before the least that a schema allows."""
    return [schema["minimum"] - 1] if _type(schema) == "integer" and "minimum" in schema else []


def defects(document: Document, schema: Any, body: Any, wrong: Wrong, leave: Collection[str] = ()) -> Iterator[Defect]:
    """Return a body with one field after another made wrong: every declared one, also below what the body has.

    `leave` are the names of fields that stay as they are.
    """
    schema = document.resolve(schema)
    if isinstance(body, list) and body:
        for where, first in defects(document, schema.get("items", {}), body[0], wrong, leave):
            yield where, [first, *body[1:]]
    if not isinstance(body, Mapping):
        return
    for name, declared in schema.get("properties", {}).items():
        if name in leave:
            continue
        own = document.resolve(declared)
        for value in wrong(own):
            yield f"{name} {value!r}".replace("'", ""), {**body, name: value}
        for where, inner in defects(document, own, body.get(name), wrong, leave):
            yield f"{name}.{where}", {**body, name: inner}


def _type(schema: Mapping[str, Any]) -> str:
    """Return the only type that a schema allows beside null, "" where there are several or any."""
    if any(choice in schema for choice in ("oneOf", "anyOf", "allOf", "enum", "const")):
        return ""
    kinds = schema.get("type", [])
    named = [kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null"]
    return named[0] if len(named) == 1 else ""
