"""Variants of a body or a query, derived from its schema: each has one invalid or unusual value."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from enum import Enum
from typing import Any

import orjson

from conformance.values.cells import NUMBERS
from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.validation import Validators
from specs.variants import KEYWORDS

WORD = "many"  # a string where the schema expects no string
PLAIN_NUMBER = 7
NUMERIC = {"integer", "number"}
CHOICE = {"const", "enum"}  # restrict the values of a field whose type another part of the schema declares
Defect = tuple[str, Any]  # place and value of the defect in words, and the body or query with it
Wrong = Callable[[Schema], list[Any]]  # from a schema to the values that replace a valid one


class Lack(Enum):
    """Marker that stands for the value of an absent field."""

    ABSENT = "absent"


_VALUES: tuple[tuple[set[str], Any], ...] = (({"string"}, WORD), (NUMERIC, 17), ({"array"}, [WORD]), ({"object"}, {}))


def wrong_types(schema: Schema) -> list[Any]:
    """Return values of types that a schema does not allow, none for a schema without a type."""
    kinds = types_of(schema) - {"null"}
    others = [value for known, value in _VALUES if not known & kinds]
    if not kinds or not others:
        return []
    wrong = [others[0], *([1.5] if kinds == {"integer"} else [])]
    inner = schema.get("items") if kinds == {"array"} else schema.get("additionalProperties")
    held = wrong_types(inner)[:1] if isinstance(inner, dict) and len(kinds) == 1 else []
    return [*wrong, *([value] if kinds == {"array"} else {"key": value} for value in held)]


def below_minimum(schema: Schema) -> list[Any]:
    """Return the largest integer below the minimum of a schema, none for a schema without a minimum."""
    return [schema["minimum"] - 1] if _type(schema) == "integer" and "minimum" in schema else []


def unusual(schema: Schema) -> list[Any]:
    """Return edge cases of a schema: absent, null, empty and null items, an unknown enum value, extreme numbers."""
    kinds, item = types_of(schema), schema.get("items", {})
    return [
        Lack.ABSENT,
        None,
        *([[], [None]] if "array" in kinds else []),
        *([[[]], [[None]]] if "array" in kinds and "array" in types_of(item) else []),
        *([list(NUMBERS)] if "array" in kinds and types_of(item) & NUMERIC else []),
        *([WORD] if "enum" in schema or "const" in schema else []),
        *((True, False) if "boolean" in kinds else ()),
        *(dict.fromkeys([*NUMBERS, *beside(schema)]) if kinds & NUMERIC else []),
    ]


def beside(schema: Schema) -> list[int]:
    """Return the integers at the bounds of a schema, and one below and above each."""
    bounds = [int(schema[name]) for name in ("minimum", "maximum") if name in schema]
    return [bound + step for bound in bounds for step in (-1, 0, 1)]


def texts(schema: Schema) -> list[str]:
    """Return texts for a parameter: a word, each enum value, an ordinary number and extreme ones."""
    values = [value for value in unusual(schema) if isinstance(value, str | bool | int)]
    plain = [PLAIN_NUMBER] if types_of(schema) & NUMERIC else []
    return list(dict.fromkeys([WORD, *map(_told, (*schema.get("enum", ()), *plain, *values))]))


def defects(
    document: Document, operation: Operation, body: Any, wrong: Wrong, leave: Collection[str] = ()
) -> Iterator[Defect]:
    """Yield the body once for every declared field and wrong value, also for fields inside those of the body.

    Bodies that the document allows, because another variant of the schema accepts the value, are left out.
    """
    validators = Validators(document)
    for where, broken in with_each(document, json_schema(operation), body, wrong, leave):
        if validators.first_request_mismatch(operation.id, broken):
            yield where, broken


def json_schema(operation: Operation) -> Schema:
    """Return the schema of an operation's JSON body, an empty schema if it accepts none."""
    return operation.request.content.get(JSON_TYPE, {}) if operation.request else {}


def with_each(
    document: Document, schema: Schema, body: Any, values: Wrong, leave: Collection[str] = (), path: str = ""
) -> Iterator[Defect]:
    """Yield the body once for every field and each of its `values`, valid or not.

    In a list, only items that differ in their fields from those before them are varied. Fields in `leave` stay
    unchanged: given by name for any depth, or by a path that begins with a slash. `path` is the path of the body.
    """
    schema = as_one(document, schema, body)
    for place, item in _unlike(body) if isinstance(body, list) else ():
        for where, inner in with_each(document, schema.get("items", {}), item, values, leave, path):
            yield where, [*body[:place], inner, *body[place + 1 :]]
    if not isinstance(body, Mapping):
        return
    for name, declared in schema.get("properties", {}).items():
        below = f"{path}/{name}"
        if name in leave or below in leave:
            continue
        for value in values(_with_item(document, as_one(document, declared, body.get(name)))):
            present = body.get(name, Lack.ABSENT)
            if present != value or type(present) is not type(value):  # True is 1 in Python
                yield f"{name} {_told(value)}", _with(body, name, value)
        for where, inner in with_each(document, declared, body.get(name), values, leave, below):
            yield f"{name}.{where}", {**body, name: inner}


def field_of(defect: str) -> str:
    """Return the field of the body that has a defect, or contains the one that has it."""
    return re.split(r"[ .=]", defect, maxsplit=1)[0]


def _with_item(document: Document, schema: Schema) -> Schema:
    """Return a schema whose `items`, if present, is a single schema without variants."""
    items = schema.get("items")
    return {**schema, "items": as_one(document, items, None)} if isinstance(items, dict) else schema


def _told(value: Any) -> str:
    """Return a value as JSON, without the quotes of strings."""
    return str(value.value if value is Lack.ABSENT else orjson.dumps(value).decode().replace('"', ""))


def _unlike(items: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the index and value of each item whose fields differ from those of all items before it."""
    known = set()
    for place, item in enumerate(items):
        shape = _shape(item)
        if shape not in known:
            known.add(shape)
            yield place, item


def _shape(value: Any) -> Hashable:
    if isinstance(value, Mapping):
        return frozenset((name, _shape(item)) for name, item in value.items())
    if isinstance(value, list):
        return frozenset(map(_shape, value))
    return type(value).__name__


def _with(body: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    rest = {key: body[key] for key in body if key != name}
    return rest if value is Lack.ABSENT else {**rest, name: value}


def as_one(document: Document, schema: Schema, value: Any) -> Schema:
    """Merge the types and fields of a schema's variants, except variants that a const in the value excludes."""
    whole: Schema = document.resolve(schema)
    parts = [as_one(document, part, value) for keyword in KEYWORDS for part in whole.get(keyword, ())]
    fitting = [part for part in parts if _may_be(document, part, value)]
    if not fitting:
        return whole
    types = set().union(*map(types_of, (whole, *fitting)))
    fields: dict[str, Schema] = {}
    for part in (*fitting, whole):
        for name, field in part.get("properties", {}).items():
            fields[name] = {**fields.get(name, {}), **field} if field.keys() & CHOICE else field
    items = next((part["items"] for part in (whole, *fitting) if "items" in part), None)
    return {
        **({"type": sorted(types)} if types else {}),
        **({"properties": fields} if fields else {}),
        **({"items": items} if items is not None else {}),
    }


def _may_be(document: Document, schema: Schema, value: Any) -> bool:
    """False when a field of the value differs from the const that the schema declares for it."""
    if not isinstance(value, Mapping):
        return True
    fields = {name: document.resolve(field) for name, field in schema.get("properties", {}).items()}
    return all(value[name] == field["const"] for name, field in fields.items() if "const" in field and name in value)


def types_of(schema: Schema) -> set[str]:
    """Return the types that a schema declares, none if it declares none."""
    kinds = schema.get("type", ())
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _type(schema: Schema) -> str:
    """Return the only type that a schema allows beside null, "" if it allows several or any."""
    if "enum" in schema or "const" in schema:
        return ""
    named = types_of(schema) - {"null"}
    return named.pop() if len(named) == 1 else ""
