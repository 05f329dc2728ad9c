"""The fields of a request's body that the document knows, at every depth, and the ones that say nothing.

Null for an optional field is the same as its absence: many clients write null for what they do not set. Three nulls
stay, for the schema to judge them: of a required field (Iceberg's assert-ref-snapshot-id asserts by it that a ref does
not exist), of a value in a map, and of a field that the document does not know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation, Schema

NULL = b"null"
CHOICES = ("oneOf", "anyOf")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a body: the object that holds it, its name, its schemas, and whether the object has to have it."""

    holder: dict[str, Any]
    name: str
    schemas: list[Schema]
    required: bool


def drop_nulls(document: Document, operation: Operation, body: Any) -> None:
    """Remove the optional fields that are null from the JSON body of an operation, in place."""
    for field in known_fields(document, operation, body):
        if field.holder[field.name] is None and not field.required:
            del field.holder[field.name]


def known_fields(document: Document, operation: Operation, body: Any) -> Iterator[Field]:
    """Yield the fields of the JSON body of an operation, outer ones first; each may be changed or removed then."""
    content = operation.request.content if operation.request else {}
    waiting = [([content[JSON_TYPE]], body)] if JSON_TYPE in content else []
    while waiting:
        schemas, value = waiting.pop()
        if not schemas or not value or not isinstance(value, list | dict):
            continue
        parts, required = _described(document, {"allOf": schemas}, value)
        if isinstance(value, list):
            items = [part["items"] for part in parts if "items" in part]
            waiting += [(items, item) for item in value]
            continue
        fields = _fields(parts, value)
        for name, declared in fields.items():
            yield Field(value, name, declared, name in required)
        maps = [part["additionalProperties"] for part in parts if isinstance(part.get("additionalProperties"), dict)]
        waiting += [(fields.get(name, maps), item) for name, item in value.items()]


def _fields(parts: list[Schema], value: dict[str, Any]) -> dict[str, list[Schema]]:
    """Return the schemas of each field of an object that one of its own schemas declares."""
    fields: dict[str, list[Schema]] = {}
    for part in parts:
        for name in part.get("properties", {}).keys() & value.keys():
            fields.setdefault(name, []).append(part["properties"][name])
    return fields


def _described(document: Document, schema: Schema, value: Any) -> tuple[list[Schema], set[str]]:
    """Return all that a schema says of an object or a list, references resolved, and the fields that it requires.

    Of a choice those parts count that the value may be; what all of them require is required.
    """
    whole: Schema = document.resolve(schema)
    parts, required = [whole], set(whole.get("required", ()))
    for part in whole.get("allOf", ()):
        more, names = _described(document, part, value)
        parts += more
        required |= names
    for choice in CHOICES:
        described = [_described(document, part, value) for part in whole.get(choice, ())]
        fitting = [(more, names) for more, names in described if _may_be(document, more, value)]
        parts += [part for more, _ in fitting for part in more]
        required |= set.intersection(*(names for _, names in fitting)) if fitting else set()
    return parts, required


def _may_be(document: Document, parts: list[Schema], value: Any) -> bool:
    """Return whether the type and the constants of a schema allow an object or a list."""
    kind, constants = ("object", value) if isinstance(value, dict) else ("array", {})
    for part in parts:
        types = part.get("type", kind)
        if kind not in ([types] if isinstance(types, str) else types):
            return False
        for name in part.get("properties", {}).keys() & constants.keys():
            if constants[name] != document.resolve(part["properties"][name]).get("const", constants[name]):
                return False
    return True
