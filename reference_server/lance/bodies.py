"""Integers of requests, as handlers take them: 2.0 is an integer to JSON Schema, and some clients write it so."""

from __future__ import annotations

from typing import Any

from reference_server.body_fields import known_fields
from specs.openapi import Document, Operation, Schema
from specs.variants import variants


def make_integers(document: Document, operation: Operation, body: Any) -> None:
    """Replace whole floats by ints in a request's body, in place, wherever the document declares an integer."""
    for field in known_fields(document, operation, body):
        value = field.holder[field.name]
        if _is_whole(value) and any(_wants_integer(document, schema) for schema in field.schemas):
            field.holder[field.name] = int(value)


def _is_whole(value: Any) -> bool:
    """True for a float without a fraction; infinity is none."""
    return isinstance(value, float) and value.is_integer()


def _wants_integer(document: Document, schema: Schema) -> bool:
    return any(part.get("type") == "integer" for part, _ in variants(document, schema))
