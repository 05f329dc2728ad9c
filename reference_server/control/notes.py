"""Notes about requests: habits of a client that a server may refuse, or that lose work when something fails.

Notes about a single request come from the document, and `undeclared` are those that `--strict-requests` refuses. Other
notes compare a request with those before it, as the journal has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

import orjson

from reference_server.body_fields import unknown_fields
from reference_server.control.entries import hides
from specs.openapi import Document, Operation
from specs.problems import did_you_mean

ENCODED_TWICE = re.compile(r"%25[0-9A-Fa-f]{2}")
KEY_HEADER = "Idempotency-Key"
PAUSE_SECONDS = 0.05
"""Shortest pause before a client repeats a request that failed."""
TRANSIENT = (0, 429, 500, 502, 503, 504)
UNKNOWN_STATE = (0, 500, 502, 504)
REPEATED = ("method", "path", "query", "body")
PAGE_TOKENS = ("pageToken", "page_token")
NEXT_TOKENS = ("next-page-token", "page_token")
Entry = Mapping[str, Any]


def undeclared(
    document: Document, operation: Operation, path: str, query: Mapping[str, Any], body: Any
) -> Iterator[str]:
    """Yield a sentence for each part of a request that the document does not declare."""
    parameters = {parameter.name for parameter in operation.query_parameters()}
    for name in query:
        if hides(name):
            yield f"The query has the secret {name}: it belongs into a header."
        elif name not in parameters:
            hint = did_you_mean(name, parameters) if parameters else "It has none."
            yield f"{operation.id} has no query parameter {name}. {hint}"
    for pointer, name, declared in unknown_fields(document, operation, body):
        yield f"{operation.id} has no field {pointer} in its body. {did_you_mean(name, declared)}"
    if ENCODED_TWICE.search(path):
        yield f"The path is percent-encoded twice: {path:.200}"


def careless(operation: Operation, body: Any) -> Iterator[str]:
    """Yield a sentence for each part of a request that the document allows and a careful client avoids."""
    if operation.deprecated:
        yield f"{operation.id} is deprecated."
    changes = body.get("table-changes", [body]) if isinstance(body, dict) else []
    for change in changes if isinstance(changes, list) else []:
        if isinstance(change, dict) and change.get("updates") and change.get("requirements") == []:
            yield f"{operation.id} has updates without requirements: it overwrites the changes of others."


class RequestSequence:
    """Requests in their order, each compared with those before it.

    `complete`: no earlier request of the tenant has been forgotten, so that an unknown page token was never issued.
    """

    def __init__(self, *, complete: bool) -> None:
        self._latest: dict[bytes, Entry] = {}
        self._issued: set[str] = set()
        self._complete = complete

    def notes(self, entry: Entry, operation: Operation | None) -> list[str]:
        """Return a sentence for each way in which a request follows badly on those before it, and add it to them."""
        key = orjson.dumps([entry[part] for part in REPEATED])
        failed = self._latest.get(key)
        notes = list(_of_retry(entry, failed, operation)) if failed and failed["status"] in TRANSIENT else []
        for name in PAGE_TOKENS if self._complete else ():
            token = entry["query"].get(name)
            if token and token not in self._issued:
                notes.append(f"The page token {token!r:.60} is in no earlier answer.")
        self._latest[key] = entry
        self._issued.update(_next_tokens(entry))
        return notes


def _of_retry(entry: Entry, failed: Entry, operation: Operation | None) -> Iterator[str]:
    pause = _seconds(entry) - _seconds(failed) - failed["ms"] / 1000
    wanted = _retry_after(failed) or PAUSE_SECONDS
    if pause < wanted:
        yield f"It repeats a request that failed with {failed['status']} after {pause:.3f} s; due are {wanted:g} s."
    offered = operation is not None and any(parameter.name == KEY_HEADER for parameter in operation.parameters)
    if offered and failed["status"] in UNKNOWN_STATE and KEY_HEADER.lower() not in entry["headers"]:
        yield f"It repeats a request without {KEY_HEADER}: the first one may have been applied."


def _seconds(entry: Entry) -> float:
    return datetime.fromisoformat(entry["time"]).timestamp()


def _retry_after(entry: Entry) -> float | None:
    value = entry["answer_headers"].get("Retry-After", "")
    return float(value) if value.isdecimal() else None


def _next_tokens(entry: Entry) -> Iterator[str]:
    answer = entry["answer"]
    if isinstance(answer, dict):
        yield from (answer[name] for name in NEXT_TOKENS if isinstance(answer.get(name), str))
