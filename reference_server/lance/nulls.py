"""Null is the same as absent, for every optional field of every request: clients write both.

Only this module knows about it: what handlers get has no optional field that is null.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specs.openapi import JSON_TYPE, Document, Operation, Schema

CHOICES = ("allOf", "anyOf", "oneOf")


def drop_nulls(document: Document, operation: Operation, body: Any) -> None:
    """Take the optional fields that are null out of a request's body, however deep they lie.

    Required fields, the values of maps and fields that the document does not know stay as they are.
    """
    waiting = [(operation.request.content.get(JSON_TYPE), body)] if operation.request else []
    while waiting:
        schema, value = waiting.pop()
        parts = list(_parts(document, schema))
        if isinstance(value, list):
            items = [item for item in value if isinstance(item, dict | list)]
            waiting += [(part["items"], item) for part in parts if "items" in part for item in items]
        elif isinstance(value, dict):
            required = {name for part in parts for name in part.get("required", ())}
            fields = {name: field for part in parts for name, field in part.get("properties", {}).items()}
            for name in fields.keys() & value.keys():
                if value[name] is None and name not in required:
                    del value[name]
                else:
                    waiting.append((fields[name], value[name]))


def _parts(document: Document, schema: Any) -> Iterator[Schema]:
    """Return a schema, references followed, and those that it is put together from."""
    resolved: Schema = document.resolve(schema) or {}
    yield resolved
    for choice in CHOICES:
        for part in resolved.get(choice, ()):
            yield from _parts(document, part)
