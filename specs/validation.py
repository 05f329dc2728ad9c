"""Compiled validators for the requests and responses of a document.

Validators are compiled on first use and kept: compiling costs milliseconds, checking microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jsonschema_rs
from jsonpointer import JsonPointer

from specs.openapi import JSON_TYPE, Document, Schema

MAX_FINDINGS = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which a JSON value does not match its schema.

    `pointer` is the RFC 6901 pointer of the offending field, "" for the value itself.
    """

    pointer: str
    message: str


class Validators:
    """The validators of one document, by operation and status."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._compiled: dict[tuple[str, str], jsonschema_rs.Draft202012Validator | None] = document.compiled

    def response_findings(self, operation_id: str, status: int, value: Any) -> list[Finding]:
        """Check the JSON body of an answer; an empty list means that it matches.

        A status that the operation does not declare has no schema and matches nothing: see `Operation.declared`.
        """
        key = self.document.operations[operation_id].declared(status)
        return self._findings((operation_id, key or "undeclared"), value)

    def request_findings(self, operation_id: str, value: Any) -> list[Finding]:
        """Check the JSON body of a request; an empty list means that it matches."""
        return self._findings((operation_id, "request"), value)

    def first_request_finding(self, operation_id: str, value: Any) -> Finding | None:
        """Return the first finding on the JSON body of a request, None when it matches; the others cost nothing."""
        validator = self._validator((operation_id, "request"))
        try:
            if validator is not None:
                validator.validate(value)
        except jsonschema_rs.ValidationError as error:
            return Finding(pointer(error.instance_path), error.message)
        return None

    def _findings(self, key: tuple[str, str], value: Any) -> list[Finding]:
        validator = self._validator(key)
        if validator is None or validator.is_valid(value):
            return []
        findings = []
        for error in validator.iter_errors(value):
            findings.append(Finding(pointer(error.instance_path), error.message))
            if len(findings) == MAX_FINDINGS:
                break
        return findings

    def _validator(self, key: tuple[str, str]) -> jsonschema_rs.Draft202012Validator | None:
        if key not in self._compiled:
            schema = self._schema(*key)
            self._compiled[key] = None if schema is None else self._compile(schema)
        return self._compiled[key]

    def _schema(self, operation_id: str, part: str) -> Schema | None:
        operation = self.document.operations[operation_id]
        body = operation.request if part == "request" else operation.responses.get(part)
        return body.content.get(JSON_TYPE) if body else None

    def _compile(self, schema: Schema) -> jsonschema_rs.Draft202012Validator:
        wrapper = {"allOf": [schema], "components": self.document.raw.get("components", {})}
        return jsonschema_rs.Draft202012Validator(wrapper)


def pointer(path: list[str | int]) -> str:
    """Write a path of keys and indices as an RFC 6901 pointer."""
    return str(JsonPointer.from_parts(path).path)
