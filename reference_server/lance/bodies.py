"""Bodies as handlers get them: no optional field is null, and an integer is an int. Clients write both otherwise.

Null is the same as absent, for every optional field of every request. 2.0 is an integer to JSON Schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation, Schema

CHOICES = ("allOf", "anyOf", "oneOf")


def simplify(document: Document, operation: Operation, body: Any) -> None:
    """Take the optional fields that are null out of a request's body, and make ints of integers, however deep they lie.

    Required fields that are null, the values of maps and fields that the document does not know stay as they are.
    """
    waiting = [(operation.request.content.get(JSON_TYPE), body)] if operation.request else []
    while waiting:
        schema, value = waiting.pop()
        if not value or not isinstance(value, list | dict):
            continue
        parts = list(_parts(document, schema))
        if isinstance(value, list):
            waiting += [(part["items"], item) for part in parts if "items" in part for item in value]
        else:
            required = {name for part in parts for name in part.get("required", ())}
            fields = {name: field for part in parts for name, field in part.get("properties", {}).items()}
            for name in fields.keys() & value.keys():
                if value[name] is None and name not in required:
                    del value[name]
                elif _is_whole(value[name]) and _wants_integer(document, fields[name]):
                    value[name] = int(value[name])
                else:
                    waiting.append((fields[name], value[name]))


def _is_whole(value: Any) -> bool:
    """True for a float without a fraction; infinity is none."""
    return isinstance(value, float) and value.is_integer()


def _wants_integer(document: Document, schema: Any) -> bool:
    return any(part.get("type") == "integer" for part in _parts(document, schema))


def _parts(document: Document, schema: Any) -> Iterator[Schema]:
    """Return a schema, references followed, and those that it is put together from."""
    resolved: Schema = document.resolve(schema) or {}
    yield resolved
    for choice in CHOICES:
        for part in resolved.get(choice, ()):
            yield from _parts(document, part)
