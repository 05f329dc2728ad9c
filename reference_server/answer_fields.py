"""Fields of JSON answers as a document declares them, and reads and edits of the fields at a path.

A field is written as its path: names with dots between them, `*` for every item of a list or value of a map, a number
for one item of a list, `$` for an answer that is not an object: `versions.*.version`. A name may contain dots: at each
object the longest name that it has counts, `config.s3.region`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation, Schema
from specs.variants import variants

ANY, WHOLE = "*", "$"
NAMES = 2  # levels of names that are visited; deeper fields belong to formats of their own
SCALARS = {"string", "integer", "number", "boolean"}
Edit = Callable[[Any], Any]
Holder = dict[str, Any] | list[Any]


@dataclass(frozen=True, slots=True)
class AnswerField:
    """A field of an answer: its path and its JSON type, "" for a field of any type."""

    path: str
    type: str
    required: bool
    fixed: bool
    """True where the document allows a single value."""


def answer_fields(document: Document, operation: Operation) -> list[AnswerField]:
    """Return the fields of an operation's success responses, each once."""
    schemas = [operation.responses[str(status)].content.get(JSON_TYPE) for status in operation.successes]
    return _each_once(field for schema in schemas if schema for field in _whole(document, schema))


def body_fields(document: Document, operation: Operation) -> list[AnswerField]:
    """Return the top-level fields of an operation's request body."""
    schema = operation.request.content.get(JSON_TYPE) if operation.request else None
    return [field for field in _each_once(_within(document, schema or {}, (), NAMES)) if "." not in field.path]


def edited(value: Any, path: str, edit: Edit) -> Any:
    """Return a JSON value with `edit` applied to the field at a path; parts without the field stay unchanged."""

    def change(holder: Holder, key: Any) -> None:
        if _has(holder, key):
            holder[key] = edit(holder[key])

    return edit(value) if path == WHOLE else _changed(value, path.split("."), change)


def without(value: Any, path: str) -> Any:
    """Return a JSON value without the field at a path."""

    def drop(holder: Holder, key: Any) -> None:
        if _has(holder, key):
            del holder[key]

    return _changed(value, path.split("."), drop)


def with_field(value: Any, path: str, new: Any) -> Any:
    """Return a JSON value with another value of the field at a path, which is added where its parent lacks it."""

    def put(holder: Holder, key: Any) -> None:
        if isinstance(holder, dict) or _has(holder, key):
            holder[key] = new

    return new if path == WHOLE else _changed(value, path.split("."), put)


def values_at(value: Any, path: str) -> list[Any]:
    """Return the values of the field at a path: several where the path has `*`."""
    found: list[Any] = []

    def read(holder: Holder, key: Any) -> None:
        if _has(holder, key):
            found.append(holder[key])

    if path == WHOLE:
        return [value]
    _changed(value, path.split("."), read)
    return found


def another(value: Any, allowed: Iterable[Any] = ()) -> Any:
    """Return another value of the same type, one of the allowed values if there are any."""
    others = [choice for choice in allowed if choice not in (value, None)]
    if others:
        return others[0]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return _other_text(value) if isinstance(value, str) else value


def allowed_values(document: Document, operation: Operation, path: str) -> list[Any]:
    """Return the values that the document allows for a field, an empty list where it lists none."""
    schemas = [operation.responses[str(status)].content.get(JSON_TYPE) for status in operation.successes]
    subschemas = (part for schema in schemas if schema for part in _schemas(document, schema, path.split(".")))
    return [value for schema in subschemas for value in schema.get("enum", ())]


def _other_text(text: str) -> str:
    """Return another text of the same length: most formats then still match."""
    return text[:-1] + ("1" if text.endswith("0") else "0") if text else "0"


def _changed(value: Any, path: list[str], change: Callable[[Holder, Any], None]) -> Any:
    """Return a copy of a JSON value in which `change` was called with each object or list that holds the field."""
    if not isinstance(value, dict | list):
        return value
    holder: Holder = copy(value)
    keys, rest = _keys(value, path)
    for key in reversed(keys):  # an item that is deleted moves those after it
        if not rest:
            change(holder, key)
        elif _has(value, key):
            holder[key] = _changed(value[key], rest, change)
    return holder


def _keys(value: Holder, path: list[str]) -> tuple[list[Any], list[str]]:
    """Return the keys that the beginning of a path means in an object or a list, and the rest of the path."""
    if path[0] == ANY:
        return list(value) if isinstance(value, dict) else list(range(len(value))), path[1:]
    if isinstance(value, list):
        return [int(path[0])] if path[0].isdecimal() else [], path[1:]
    ends = (end for end in range(len(path), 0, -1) if ".".join(path[:end]) in value)
    end = next(ends, len(path))
    return [".".join(path[:end])], path[end:]


def _has(holder: Holder, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else 0 <= key < len(holder)


def _each_once(fields: Iterable[AnswerField]) -> list[AnswerField]:
    return list({field.path: field for field in fields}.values())


def _whole(document: Document, schema: Schema) -> Iterator[AnswerField]:
    resolved = document.resolve(schema)
    if _type(resolved) in SCALARS:
        yield AnswerField(WHOLE, _type(resolved), True, False)
    yield from _within(document, resolved, (), NAMES)


def _within(document: Document, schema: Schema, path: tuple[str, ...], names: int) -> Iterator[AnswerField]:
    """Yield the fields of a schema and its variants, down to a number of levels of names."""
    for variant, _ in variants(document, schema):
        required = variant.get("required", ())
        for name, below in variant.get("properties", {}).items() if names else ():
            yield _field(document, below, (*path, name), name in required)
            yield from _within(document, below, (*path, name), names - 1)
        for below in (variant.get("items"), variant.get("additionalProperties")):
            if isinstance(below, dict) and path:
                yield _field(document, below, (*path, ANY), True)
                yield from _within(document, below, (*path, ANY), names)


def _field(document: Document, schema: Schema, path: tuple[str, ...], required: bool) -> AnswerField:
    resolved = document.resolve(schema)
    fixed = "const" in resolved or len(resolved.get("enum", (0, 1))) == 1
    return AnswerField(".".join(path), _type(resolved), required, fixed)


def _type(schema: Schema) -> str:
    types = schema.get("type", "")
    return next((type_name for type_name in types if type_name != "null"), "") if isinstance(types, list) else types


def _schemas(document: Document, schema: Schema, path: list[str]) -> Iterator[Schema]:
    """Yield the schemas of the fields at a path."""
    for variant, _ in variants(document, schema):
        if not path or path == [WHOLE]:
            yield variant
            continue
        name, *remaining = path
        keys = ("items", "additionalProperties") if name == ANY else ()
        for below in (variant.get("properties", {}).get(name), *map(variant.get, keys)):
            if isinstance(below, dict):
                yield from _schemas(document, below, remaining)
