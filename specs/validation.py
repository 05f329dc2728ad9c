"""Compiled validators for the requests and responses of a document.

Validators are compiled on first use and cached. The components of a document are registered once: compiling them with
every schema would cost milliseconds each.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs
from jsonpointer import JsonPointer

from specs.choices import nearest_error
from specs.openapi import JSON_TYPE, Document, Schema
from specs.overlay import reason_of
from specs.variants import variants

MAX_MISMATCHES = 5
REQUEST, MASKED_REQUEST = "request", "masked request"  # parts of an operation with schemas, beside its statuses
MASK = "the value"  # replaces values in the messages about a masked request
COMPONENTS = "urn:lakeproof:components"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Mismatch between a JSON value and its schema.

    `pointer` is the RFC 6901 pointer of the wrong field, "" for the value itself; `keyword` is the keyword of JSON
    Schema that it violates, `correction` the reason for a rule that the published document does not have, and `rule`
    the violated pattern or the name of the missing field.
    """

    pointer: str
    message: str
    keyword: str = ""
    correction: str = ""
    rule: str = ""


class Validators:
    """Validators of a document, by operation and status."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._compiled: dict[tuple[str, str], jsonschema_rs.Draft202012Validator | None] = document.compiled

    def response_mismatches(self, operation_id: str, status: int, value: Any) -> list[Mismatch]:
        """Return the mismatches of the JSON body of a response, none if it matches.

        A status that the operation does not declare has no schema and no mismatches: see `Operation.declared`.
        """
        key = self.document.operations[operation_id].declared(status)
        validator = self._validator((operation_id, key or "undeclared"))
        if validator is None or validator.is_valid(value):
            return []
        errors = islice(validator.iter_errors(value), MAX_MISMATCHES)
        return [
            Mismatch(pointer(error.instance_path), error.message, _keyword(error), self._correction(error))
            for error in errors
        ]

    def _correction(self, error: jsonschema_rs.ValidationError) -> str:
        """Return the reason for a violated rule that a correction added, "" for one of the published document."""
        return reason_of(self.document.raw, self.document.corrections, error.schema_path, error.message)

    def first_request_mismatch(self, operation_id: str, value: Any, *, quoted: bool = True) -> Mismatch | None:
        """Return the first mismatch of the JSON body of a request, None if it matches.

        It names the wrong field, also within a choice of schemas. The message contains the value only if `quoted`.
        """
        validator = self._validator((operation_id, REQUEST if quoted else MASKED_REQUEST))
        return None if validator is None else first_mismatch(validator, value)

    def _validator(self, key: tuple[str, str]) -> jsonschema_rs.Draft202012Validator | None:
        if key not in self._compiled:
            schema, mask = self._schema(*key), MASK if key[1] == MASKED_REQUEST else None
            self._compiled[key] = None if schema is None else compile_schema(self.document, schema, mask)
        return self._compiled[key]

    def _schema(self, operation_id: str, part: str) -> Schema | None:
        operation = self.document.operations[operation_id]
        if part not in (REQUEST, MASKED_REQUEST):
            response = operation.responses.get(part)
            return response.content.get(JSON_TYPE) if response else None
        schema = operation.request.content.get(JSON_TYPE) if operation.request else None
        return _as_object(self.document, schema) if schema else None


def first_mismatch(validator: jsonschema_rs.Draft202012Validator, value: Any) -> Mismatch | None:
    """Return the first mismatch of a value, in a choice of schemas that of the wrong field; None if it matches."""
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        place, message, nearest = nearest_error(error)
        return Mismatch(pointer(place), message, _keyword(nearest), rule=_rule(nearest))
    return None


def _as_object(document: Document, schema: Schema) -> Schema:
    """Return the schema of a request, restricted to objects if it lists fields without a type.

    In JSON Schema any list, text or number matches such a schema; the document means an object.
    """
    parts = [part for part, _ in variants(document, schema)]
    means_object = any("properties" in part for part in parts) and not any("type" in part for part in parts)
    return {"type": "object", "allOf": [schema]} if means_object else schema


def compile_schema(document: Document, schema: Schema, mask: str | None = None) -> jsonschema_rs.Draft202012Validator:
    """Compile a schema of a document. Raises jsonschema_rs.ValidationError for an invalid schema.

    A `mask` replaces every value in the messages.
    """
    registry = document.once(COMPONENTS, lambda: _registered(document.raw.get("components", {})))
    return jsonschema_rs.Draft202012Validator(_based(schema), registry=registry, mask=mask)


def _registered(components: Schema) -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(COMPONENTS, {"components": components})])


def _based(schema: Any) -> Any:
    """Return a schema with references to the registered components."""
    if isinstance(schema, list):
        return [_based(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"{COMPONENTS}{value}" if key == "$ref" and isinstance(value, str) else _based(value)
        for key, value in schema.items()
    }


def pointer(path: list[str | int]) -> str:
    """Return a path of keys and indices as an RFC 6901 pointer."""
    return str(JsonPointer.from_parts(path).path)


def _rule(error: jsonschema_rs.ValidationError) -> str:
    return str(getattr(error.kind, "pattern", getattr(error.kind, "property", "")))


def _keyword(error: jsonschema_rs.ValidationError) -> str:
    """Return the keyword of JSON Schema that a value violates."""
    return next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), "")
