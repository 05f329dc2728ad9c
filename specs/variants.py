"""Variants of a schema: the schema and all schemas in its allOf, oneOf and anyOf."""

from __future__ import annotations

from collections.abc import Iterator

from specs.openapi import Document, Schema

KEYWORDS = ("allOf", "oneOf", "anyOf")
Trail = tuple[str, ...]


def variants(document: Document, schema: Schema, trail: Trail = ()) -> Iterator[tuple[Schema, Trail]]:
    """Yield the variants of a schema, at any depth, and then the schema itself, resolved.

    Each comes with the references that led to it, after the references of `trail`; none of them is followed again.
    """
    reference = schema.get("$ref")
    if reference in trail:
        return
    here = (*trail, reference) if reference else trail
    whole = document.resolve(schema)
    for keyword in KEYWORDS:
        for variant in whole.get(keyword, ()):
            yield from variants(document, variant, here)
    yield whole, here
