"""Bodies and queries that do not fit their schema, or are unusual, derived from it: each has one defect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from enum import Enum
from typing import Any

import orjson

from conformance.values.cells import NUMBERS
from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.validation import Validators
from specs.variants import KEYWORDS

WORD = "many"  # where no text belongs
PLAIN_NUMBER = 7
NUMERIC = {"integer", "number"}
CHOICE = {"const", "enum"}  # of values, beside the type that another part of a schema gives
Defect = tuple[str, Any]  # where it is and what it is, in words; the body or the query that has it
Wrong = Callable[[Schema], list[Any]]  # the values that a schema does not allow


class Lack(Enum):
    """What a field has that is left out."""

    ABSENT = "absent"


_VALUES: tuple[tuple[set[str], Any], ...] = (({"string"}, WORD), (NUMERIC, 17), ({"array"}, [WORD]), ({"object"}, {}))


def wrong_types(schema: Schema) -> list[Any]:
    """Return values of another type than a schema wants; none where it allows any."""
    kinds = types_of(schema) - {"null"}
    others = [value for known, value in _VALUES if not known & kinds]
    if not kinds or not others:
        return []
    wrong = [others[0], *([1.5] if kinds == {"integer"} else [])]
    inner = schema.get("items") if kinds == {"array"} else schema.get("additionalProperties")
    held = wrong_types(inner)[:1] if isinstance(inner, dict) and len(kinds) == 1 else []
    return [*wrong, *([value] if kinds == {"array"} else {"key": value} for value in held)]


def below_minimum(schema: Schema) -> list[Any]:
    """Return the number before the least that a schema allows."""
    return [schema["minimum"] - 1] if _type(schema) == "integer" and "minimum" in schema else []


def unusual(schema: Schema) -> list[Any]:
    """Return what a careless server does not think of: nothing, null, no items, an unknown choice, extreme numbers."""
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
    """Return the numbers around the bounds of a schema."""
    bounds = [int(schema[name]) for name in ("minimum", "maximum") if name in schema]
    return [bound + step for bound in bounds for step in (-1, 0, 1)]


def texts(schema: Schema) -> list[str]:
    """Return what a parameter may say: a word, each choice, an ordinary number, and extreme ones."""
    values = [value for value in unusual(schema) if isinstance(value, str | bool | int)]
    plain = [PLAIN_NUMBER] if types_of(schema) & NUMERIC else []
    return list(dict.fromkeys([WORD, *map(_told, (*schema.get("enum", ()), *plain, *values))]))


def defects(
    document: Document, operation: Operation, body: Any, wrong: Wrong, leave: Collection[str] = ()
) -> Iterator[Defect]:
    """Return a body with one field after another made wrong: every declared one, also below what the body has.

    What the document allows nevertheless, since it is of a variant of the schema that the body is not, is left out.
    """
    validators = Validators(document)
    for where, broken in with_each(document, json_schema(operation), body, wrong, leave):
        if validators.first_request_mismatch(operation.id, broken):
            yield where, broken


def json_schema(operation: Operation) -> Schema:
    """Return the schema of an operation's JSON body, an empty one where it takes none."""
    return operation.request.content.get(JSON_TYPE, {}) if operation.request else {}


def with_each(
    document: Document, schema: Schema, body: Any, values: Wrong, leave: Collection[str] = (), path: str = ""
) -> Iterator[Defect]:
    """Return a body with one field after another replaced by one of its values, whether it fits the schema or not.

    Of the items of a list those are walked that have other fields than the ones before. `leave` are fields that stay
    as they are: by their names at any depth, or by their paths, which begin with a slash. `path` is that of the body.
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


def _with_item(document: Document, schema: Schema) -> Schema:
    """Return a schema whose items, if it has some, are one schema too."""
    items = schema.get("items")
    return {**schema, "items": as_one(document, items, None)} if isinstance(items, dict) else schema


def _told(value: Any) -> str:
    """Return a value as JSON has it, but texts without quotes."""
    return str(value.value if value is Lack.ABSENT else orjson.dumps(value).decode().replace('"', ""))


def _unlike(items: list[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the items that have other fields than those before them, with their places."""
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
    """Return a schema with the types and fields of all its variants, but for those that a value shows not to be."""
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
    """False when a field of a value is not the only one that a schema allows there."""
    if not isinstance(value, Mapping):
        return True
    fields = {name: document.resolve(field) for name, field in schema.get("properties", {}).items()}
    return all(value[name] == field["const"] for name, field in fields.items() if "const" in field and name in value)


def types_of(schema: Schema) -> set[str]:
    """Return the types that a schema names, none where it leaves them open."""
    kinds = schema.get("type", ())
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _type(schema: Schema) -> str:
    """Return the only type that a schema allows beside null, "" where there are several or any."""
    if "enum" in schema or "const" in schema:
        return ""
    named = types_of(schema) - {"null"}
    return named.pop() if len(named) == 1 else ""
