"""Fields of a request's body and their declarations, at every depth: null, whole floats, and undeclared fields.

Null for an optional field is the same as its absence: many clients write null for fields that they do not set. The
schema judges three kinds of null: for a required field (Iceberg's assert-ref-snapshot-id asserts with it that a ref
does not exist), for a value in a map, and for a field that the document does not declare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.variants import variants

NULL = b"null"
CHOICES = ("oneOf", "anyOf")


@dataclass(frozen=True, slots=True)
class BodyObject:
    """An object in a body: its JSON pointer, its value, the parts of its schema, and the names that they require."""

    pointer: str
    value: dict[str, Any]
    parts: list[Schema]
    fields: dict[str, list[Schema]]
    required: set[str]


@dataclass(frozen=True, slots=True)
class BodyField:
    """One field of a body: the object that contains it, its name, its schemas, and whether the object requires it."""

    holder: dict[str, Any]
    name: str
    schemas: list[Schema]
    required: bool


def drop_nulls(document: Document, operation: Operation, body: Any) -> None:
    """Remove optional fields that are null from the JSON body of an operation, in place."""
    for field in known_fields(document, operation, body):
        if field.holder[field.name] is None and not field.required:
            del field.holder[field.name]


def known_fields(document: Document, operation: Operation, body: Any) -> Iterator[BodyField]:
    """Yield the declared fields of an operation's JSON body, outer ones first; the caller may change or remove each."""
    for part in _objects(document, operation, body):
        for name, declared in part.fields.items():
            yield BodyField(part.value, name, declared, name in part.required)


def unknown_fields(document: Document, operation: Operation, body: Any) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the undeclared fields of an operation's JSON body: the JSON pointer, the name, and the declared names.

    An object without declared fields, and one whose schema has additionalProperties, may have any field.
    """
    for each in _objects(document, operation, body):
        declared = sorted({name for part in each.parts for name in part.get("properties", {})})
        if declared and not any(part.get("additionalProperties") for part in each.parts):
            for name in each.value.keys() - each.fields.keys():
                yield f"{each.pointer}/{name}", name, declared


def null_fields(document: Document, operation: Operation, body: Any) -> Iterator[str]:
    """Yield the JSON pointer of each optional field that is null, and whose schema does not allow null."""
    for each in _objects(document, operation, body):
        for name, schemas in each.fields.items():
            unset = each.value[name] is None and name not in each.required
            if unset and not all(_allows_null(document, schema) for schema in schemas):
                yield f"{each.pointer}/{name}"


def _allows_null(document: Document, schema: Schema) -> bool:
    """Return whether null is a value of a schema, as far as its types, its constants and its choices say."""
    whole = document.resolve(schema)
    for choice in CHOICES:
        if choice in whole and not any(_allows_null(document, part) for part in whole[choice]):
            return False
    types = whole.get("type", "null")
    return (
        "null" in ([types] if isinstance(types, str) else types)
        and None in whole.get("enum", [None])
        and whole.get("const") is None
        and all(_allows_null(document, part) for part in whole.get("allOf", ()))
    )


def _objects(document: Document, operation: Operation, body: Any) -> Iterator[BodyObject]:
    """Yield the objects of an operation's JSON body, outer ones first; the caller may change each."""
    content = operation.request.content if operation.request else {}
    waiting = [([content[JSON_TYPE]], body, "")] if JSON_TYPE in content else []
    while waiting:
        schemas, value, pointer = waiting.pop()
        if not schemas or not value or not isinstance(value, list | dict):
            continue
        parts, required = _described(document, {"allOf": schemas}, value)
        if isinstance(value, list):
            items = [part["items"] for part in parts if "items" in part]
            waiting += [(items, item, f"{pointer}/{index}") for index, item in enumerate(value)]
            continue
        fields = _fields(parts, value)
        yield BodyObject(pointer, value, parts, fields, required)
        maps = [part["additionalProperties"] for part in parts if isinstance(part.get("additionalProperties"), dict)]
        waiting += [(fields.get(name, maps), item, f"{pointer}/{name}") for name, item in value.items()]


def _fields(parts: list[Schema], value: dict[str, Any]) -> dict[str, list[Schema]]:
    """Return the schemas of each field of an object that one of its own schemas declares."""
    fields: dict[str, list[Schema]] = {}
    for part in parts:
        for name in part.get("properties", {}).keys() & value.keys():
            fields.setdefault(name, []).append(part["properties"][name])
    return fields


def _described(document: Document, schema: Schema, value: Any) -> tuple[list[Schema], set[str]]:
    """Return the parts of a schema that apply to an object or a list, references resolved, and its required fields.

    Of a choice, the variants that the value may be count; a field that all of them require is required.
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


def make_integers(document: Document, operation: Operation, body: Any) -> None:
    """Replace whole floats by ints in a request's body, in place, wherever the document declares an integer."""
    for field in known_fields(document, operation, body):
        value = field.holder[field.name]
        if _is_whole(value) and any(_wants_integer(document, schema) for schema in field.schemas):
            field.holder[field.name] = int(value)


def _is_whole(value: Any) -> bool:
    """Return whether a value is a float without a fraction; infinity is not."""
    return isinstance(value, float) and value.is_integer()


def _wants_integer(document: Document, schema: Schema) -> bool:
    return any(part.get("type") == "integer" for part, _ in variants(document, schema))
