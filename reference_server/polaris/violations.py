"""Values that the document forbids: a missing field, a wrong length, a text that violates a pattern.

Polaris' framework reports them by the position of the argument in the method that receives it: first the parameters of
the path, then the body.
"""

from __future__ import annotations

from reference_server.errors import shortened
from specs.openapi import Operation
from specs.validation import Mismatch

SIZE = "size must be between 1 and 256"  # only names have a length in the documents
TEXTS = {
    "required": "must not be null",
    "pattern": 'must match "{rule}"',
    "minLength": SIZE,
    "maxLength": SIZE,
}


def in_body(operation: Operation, mismatch: Mismatch) -> str | None:
    """Return the message about a field of a body, None for a mismatch of another kind."""
    if mismatch.keyword not in TEXTS:
        return None
    missing = [mismatch.rule] if mismatch.keyword == "required" else []
    fields = [part for part in mismatch.pointer.split("/") if part]
    return _message(operation, len(operation.path_parameters()), [*fields, *missing], mismatch.keyword, mismatch.rule)


def in_path(operation: Operation, name: str, keyword: str, rule: str) -> str:
    """Return the message about a parameter of the path."""
    return _message(operation, operation.path_names.index(name), [], keyword, rule)


def _message(operation: Operation, argument: int, fields: list[str], keyword: str, rule: str) -> str:
    place = shortened(".".join([operation.id, f"arg{argument}", *fields]))
    return f"Invalid value: {place}: {TEXTS[keyword].format(rule=rule)}"
