"""Bodies and queries that do not fit their schema, or are unusual, derived from it: each has one defect."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from enum import Enum
from typing import Any

from conformance.cells import NUMBERS
from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.validation import Validators
from specs.variants import KEYWORDS

WORD = "many"  # where no text belongs
Defect = tuple[str, Any]  # where it is and what it is, in words; the body or the query that has it
Wrong = Callable[[Schema], list[Any]]  # the values that a schema does not allow


class Lack(Enum):
    """What a field has that is left out."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        """Return the word for it."""
        return self.value


_WRONG_TYPES: dict[str, list[Any]] = {
    "string": [17],
    "integer": [WORD, 1.5],
    "number": [WORD],
    "boolean": [WORD],
    "array": [WORD],
    "object": [WORD],
}


def wrong_types(schema: Schema) -> list[Any]:
    """Return values of another type than a schema wants; none where it allows several types, or any."""
    kind = _type(schema)
    if not kind:
        return []
    inner = schema.get("items") if kind == "array" else schema.get("additionalProperties")
    held = wrong_types(inner)[:1] if isinstance(inner, dict) else []
    return [*_WRONG_TYPES[kind], *([value] if kind == "array" else {"key": value} for value in held)]


def below_minimum(schema: Schema) -> list[Any]:
    """Return the number before the least that a schema allows."""
    return [schema["minimum"] - 1] if _type(schema) == "integer" and "minimum" in schema else []


def unusual(schema: Schema) -> list[Any]:
    """Return what a careless server does not think of: nothing, null, no items, null as an item, extreme numbers."""
    kinds = types_of(schema)
    return [
        Lack.ABSENT,
        None,
        *([[], [None]] if "array" in kinds else []),
        *([WORD] if "enum" in schema or "const" in schema else []),
        *(NUMBERS if kinds & {"integer", "number"} else []),
    ]


def defects(
    document: Document, operation: Operation, body: Any, wrong: Wrong, leave: Collection[str] = ()
) -> Iterator[Defect]:
    """Return a body with one field after another made wrong: every declared one, also below what the body has.

    What the document allows nevertheless, since it is of a variant of the schema that the body is not, is left out.
    `leave` are the names of fields that stay as they are.
    """
    validators = Validators(document)
    for where, broken in with_each(document, json_schema(operation), body, wrong, leave):
        if validators.first_request_finding(operation.id, broken):
            yield where, broken


def json_schema(operation: Operation) -> Schema:
    """Return the schema of an operation's JSON body, an empty one where it takes none."""
    return operation.request.content.get(JSON_TYPE, {}) if operation.request else {}


def with_each(
    document: Document, schema: Schema, body: Any, values: Wrong, leave: Collection[str] = ()
) -> Iterator[Defect]:
    """Return a body with one field after another replaced by one of its values, whether it fits the schema or not.

    Of the items of a list those are walked that have other fields than the ones before.
    """
    schema = as_one(document, schema, body)
    for place, item in _unlike(body) if isinstance(body, list) else ():
        for where, inner in with_each(document, schema.get("items", {}), item, values, leave):
            yield where, [*body[:place], inner, *body[place + 1 :]]
    if not isinstance(body, Mapping):
        return
    for name, declared in schema.get("properties", {}).items():
        if name in leave:
            continue
        for value in values(as_one(document, declared, body.get(name))):
            yield f"{name} {value!r}".replace("'", ""), _with(body, name, value)
        for where, inner in with_each(document, declared, body.get(name), values, leave):
            yield f"{name}.{where}", {**body, name: inner}


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
    fields = {name: field for part in (*fitting, whole) for name, field in part.get("properties", {}).items()}
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
