"""Notes about requests: habits of a client that a server may refuse, or that lose work when something fails.

Notes about a single request come from the document, and `undeclared` are those that `--strict-requests` refuses. Other
notes compare a request with those before it, as the journal has them. note_kinds.py has the kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import orjson

from reference_server.api import Api
from reference_server.body_fields import null_fields, unknown_fields
from reference_server.context import Request
from reference_server.control.entries import hides
from reference_server.control.note_kinds import Note
from specs.openapi import Document, Operation
from specs.problems import did_you_mean

ENCODED_TWICE = re.compile(r"%25[0-9A-Fa-f]{2}")
INDEX = re.compile(r"(?<=/)\d+(?=/|$)")
KEY_HEADER = "Idempotency-Key"
PAUSE_SECONDS = 0.05
"""Shortest pause before a client repeats a request that failed."""
TRANSIENT = (0, 429, 500, 502, 503, 504)
UNKNOWN_STATE = (0, 500, 502, 504)
MOST_FAILED = 1_000
"""Maximum number of failed requests that may still be repeated."""
REPEATED = ("method", "path", "query", "body")
PAGE_TOKENS = ("pageToken", "page_token")
NEXT_TOKENS = ("next-page-token", "page_token")
Entry = Mapping[str, Any]


def undeclared(
    document: Document, operation: Operation, path: str, query: Mapping[str, Any], body: Any
) -> Iterator[Note]:
    """Yield a note for each part of a request that the document does not declare."""
    parameters = {parameter.name for parameter in operation.query_parameters()}
    for name in query:
        if hides(name):
            yield Note("secret-in-url", name, f"The query has the secret {name}: it belongs into a header.")
        elif name not in parameters:
            hint = did_you_mean(name, parameters) if parameters else "It has none."
            yield Note("unknown-parameter", name, f"{operation.id} has no query parameter {name}. {hint}")
    for pointer, name, declared in unknown_fields(document, operation, body):
        text = f"{operation.id} has no field {pointer} in its body. {did_you_mean(name, declared)}"
        yield Note("unknown-field", place(pointer), text)
    if ENCODED_TWICE.search(path):
        yield Note("encoded-twice", "path", f"The path is percent-encoded twice: {path:.200}")


def careless(operation: Operation, body: Any) -> Iterator[Note]:
    """Yield a note for each part of a request that the document allows and a careful client avoids."""
    if operation.deprecated:
        yield Note("deprecated", "", f"{operation.id} is deprecated.")
    changes = body.get("table-changes", [body]) if isinstance(body, dict) else []
    for change in changes if isinstance(changes, list) else []:
        if isinstance(change, dict) and change.get("updates") and change.get("requirements") == []:
            text = f"{operation.id} has updates without requirements: it overwrites the changes of others."
            yield Note("no-requirements", "", text)


def invalid(api: Api, operation: Operation, request: Request, body: Any) -> Iterator[Note]:
    """Yield a note for a body that violates its schema, and for each field that is null and may not be."""
    for pointer in null_fields(api.document, operation, body):
        text = f"{operation.id} has null for {pointer} in its body, which is not nullable."
        yield Note("null-field", place(pointer), text)
    mismatch = api.body_mismatch(request, operation)
    if mismatch is not None:
        where = f" at {mismatch.pointer}" if mismatch.pointer else ""
        yield Note("invalid-body", place(mismatch.pointer), f"The body is invalid{where}: {mismatch.message:.200}")


def place(pointer: str) -> str:
    """Return a JSON pointer with `*` for every index of a list."""
    return INDEX.sub("*", pointer)


class RequestSequence:
    """Requests in their order, each compared with those before it.

    It keeps requests that failed until they are repeated, and the page tokens of answers. `complete`: no earlier
    request of the tenant has been forgotten, so that an unknown page token was never issued.
    """

    def __init__(self, *, complete: bool) -> None:
        self._failed: dict[bytes, Entry] = {}
        self._issued: set[str] = set()
        self._complete = complete

    def notes(self, entry: Entry, operation: Operation | None) -> list[Note]:
        """Return a note for each way in which a request follows badly on those before it, and add it to them."""
        key = orjson.dumps([entry[part] for part in REPEATED])
        failed = self._failed.pop(key, None)
        notes = list(_of_retry(entry, failed, operation)) if failed else []
        for name in PAGE_TOKENS if self._complete else ():
            token = entry["query"].get(name)
            if token and token not in self._issued:
                text = f"The page token {token!r:.60} is in no earlier answer."
                notes.append(Note("unknown-page-token", name, text))
        if entry["status"] in TRANSIENT:
            self._failed[key] = entry
            if len(self._failed) > MOST_FAILED:
                del self._failed[next(iter(self._failed))]
        self._issued.update(_next_tokens(entry))
        return notes


def _of_retry(entry: Entry, failed: Entry, operation: Operation | None) -> Iterator[Note]:
    pause = _seconds(entry) - _seconds(failed) - failed["ms"] / 1000
    asked = _retry_after(failed)
    wanted, status = asked or PAUSE_SECONDS, failed["status"]
    if pause < wanted:
        text = f"It repeats a request that failed with {status} after {pause:.3f} s; due are {wanted:g} s."
        yield Note("early-retry" if asked else "no-pause", "", text)
    offered = operation is not None and any(parameter.name == KEY_HEADER for parameter in operation.parameters)
    if offered and status in UNKNOWN_STATE and KEY_HEADER.lower() not in entry["headers"]:
        text = f"It repeats a request without {KEY_HEADER}: the first one may have been applied."
        yield Note("no-key", "", text)


def _seconds(entry: Entry) -> float:
    return datetime.fromisoformat(entry["time"]).timestamp()


def _retry_after(entry: Entry) -> float | None:
    value = entry["answer_headers"].get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def _next_tokens(entry: Entry) -> Iterator[str]:
    answer = entry["answer"]
    if isinstance(answer, dict):
        yield from (answer[name] for name in NEXT_TOKENS if isinstance(answer.get(name), str))
