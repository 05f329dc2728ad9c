"""Strategies of request bodies, drawn by Schemathesis from a document: half of them valid, half invalid."""

from __future__ import annotations

from typing import Any

import orjson
import schemathesis
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from schemathesis.generation.modes import GenerationMode
from schemathesis.specs.openapi.schemas import OpenApiSchema

from specs.openapi import JSON_TYPE, Document


def bodies(document: Document, operation_id: str) -> SearchStrategy[Any]:
    """Return the strategy of an operation's JSON bodies, by the corrected document."""
    return document.once((bodies, operation_id), lambda: _bodies(_schema(document), operation_id))


def _schema(document: Document) -> OpenApiSchema:
    return document.once(_schema, lambda: schemathesis.openapi.from_dict(document.raw))


def _bodies(schema: OpenApiSchema, operation_id: str) -> SearchStrategy[Any]:
    operation = schema.find_operation_by_id(operation_id)
    drawn = st.one_of([operation.as_strategy(generation_mode=mode) for mode in GenerationMode])
    return drawn.filter(lambda case: case.media_type == JSON_TYPE).map(lambda case: case.body).filter(_is_json)


def _is_json(body: Any) -> bool:
    """True for a body that the client can send: not with integers over 64 bits, which most parsers reject."""
    try:
        orjson.dumps(body)
    except TypeError:
        return False
    return True
