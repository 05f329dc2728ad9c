"""Compiled validators for the requests and responses of a document.

Validators are compiled on first use and kept. The components are registered once for a document: a schema that brought
them along would cost milliseconds each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jsonschema_rs
from jsonpointer import JsonPointer

from specs.choices import nearest_error
from specs.openapi import JSON_TYPE, Document, Schema
from specs.variants import variants

MAX_MISMATCHES = 5
REQUEST, MASKED_REQUEST = "request", "masked request"  # beside statuses: the parts of an operation that have schemas
MASK = "the value"  # what stands for a value in the messages about a masked request
COMPONENTS = "urn:lakeproof:components"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One way in which a JSON value does not match its schema.

    `pointer` is the RFC 6901 pointer of the offending field, "" for the value itself; `keyword` is the keyword of JSON
    Schema that it violates.
    """

    pointer: str
    message: str
    keyword: str = ""


class Validators:
    """The validators of one document, by operation and status."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._compiled: dict[tuple[str, str], jsonschema_rs.Draft202012Validator | None] = document.compiled

    def response_mismatches(self, operation_id: str, status: int, value: Any) -> list[Mismatch]:
        """Check the JSON body of an answer; an empty list means that it matches.

        A status that the operation does not declare has no schema and matches nothing: see `Operation.declared`.
        """
        key = self.document.operations[operation_id].declared(status)
        return self._mismatches((operation_id, key or "undeclared"), value)

    def request_mismatches(self, operation_id: str, value: Any) -> list[Mismatch]:
        """Check the JSON body of a request; an empty list means that it matches."""
        return self._mismatches((operation_id, REQUEST), value)

    def first_request_mismatch(self, operation_id: str, value: Any, *, quoted: bool = True) -> Mismatch | None:
        """Return the first mismatch of the JSON body of a request, None when it matches; the others cost nothing.

        It names the field that is wrong, also within a choice of schemas. The message quotes the value only if it may
        be `quoted`.
        """
        validator = self._validator((operation_id, REQUEST if quoted else MASKED_REQUEST))
        try:
            if validator is not None:
                validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            place, message = nearest_error(error)
            return Mismatch(pointer(place), message)
        return None

    def _mismatches(self, key: tuple[str, str], value: Any) -> list[Mismatch]:
        validator = self._validator(key)
        if validator is None or validator.is_valid(value):
            return []
        mismatches = []
        for error in validator.iter_errors(value):
            keyword = next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), "")
            mismatches.append(Mismatch(pointer(error.instance_path), error.message, keyword))
            if len(mismatches) == MAX_MISMATCHES:
                break
        return mismatches

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


def _as_object(document: Document, schema: Schema) -> Schema:
    """Return the schema of a request, for objects alone where it lists fields and names no type.

    To JSON Schema any list, text or number fits such a schema; the document that leaves the type out means an object.
    """
    parts = [part for part, _ in variants(document, schema)]
    means_object = any("properties" in part for part in parts) and not any("type" in part for part in parts)
    return {"type": "object", "allOf": [schema]} if means_object else schema


def compile_schema(document: Document, schema: Schema, mask: str | None = None) -> jsonschema_rs.Draft202012Validator:
    """Return the validator of a schema of a document. Raises jsonschema_rs.ValidationError for one that is none.

    Where there is a `mask` it stands for every value in the messages.
    """
    registry = document.once(COMPONENTS, lambda: _registered(document.raw.get("components", {})))
    return jsonschema_rs.Draft202012Validator(_based(schema), registry=registry, mask=mask)


def _registered(components: Schema) -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([(COMPONENTS, {"components": components})])


def _based(schema: Any) -> Any:
    """Return a schema whose references are to the registered components."""
    if isinstance(schema, list):
        return [_based(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"{COMPONENTS}{value}" if key == "$ref" and isinstance(value, str) else _based(value)
        for key, value in schema.items()
    }


def pointer(path: list[str | int]) -> str:
    """Write a path of keys and indices as an RFC 6901 pointer."""
    return str(JsonPointer.from_parts(path).path)
