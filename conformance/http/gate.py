"""Gate of a read-only run: a request that could change anything is not sent.

It judges what is sent, never what a caller says about it: GET and HEAD pass, a POST passes on the path of an operation
that reads, and a login passes while the run logs in. Names in the path of a POST must not act on it: a server that
decodes one too often might find another operation there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from conformance.values.exchange import Exchange
from conformance.values.outcomes import Skipped
from specs.apis import Reading
from specs.openapi import Document, Operation

SAFE = ("GET", "HEAD")
OVERRIDE = "method-override"  # part of the headers by which some frameworks take another method
PREFIX = "{prefix}"
NO_WRITES = "--read-only sends no writes"
NEEDS_OWN = "this needs objects of its own, and --read-only creates none"
PARAMETER = re.compile(r"(\{[^}]*\})")
SEGMENT = r"(?!\.{1,2}(?:/|$))[^/?#\\;]+"  # a name that is one segment, however often it is decoded


def reads_of(document: Document, reading: Reading) -> frozenset[str]:
    """Return the operations of a document that change nothing: by their method, or by the table of their API."""
    operations = document.operations.values()
    return frozenset(entry.id for entry in operations if entry.method in SAFE or entry.id in reading.posts)


class Gate:
    """The gate of all clients of a run; `reads` are the operations of the document that pass it."""

    def __init__(self, document: Document, reading: Reading) -> None:
        operations = document.operations.values()
        self.reads = reads_of(document, reading)
        self._posts = [_ends(operation) for operation in operations if operation.id in reading.posts]
        self._log_in = [_ends(operation) for operation in operations if operation.id in reading.log_in]
        self._logging_in = False

    @contextmanager
    def logging_in(self) -> Iterator[None]:
        """Let logins pass within the block."""
        self._logging_in = True
        try:
            yield
        finally:
            self._logging_in = False

    def check(self, exchange: Exchange) -> None:
        """Raise Skipped for a request that could change anything."""
        overrides = any(OVERRIDE in name.lower() for name in exchange.request_headers)
        if overrides or not (exchange.method in SAFE or self._reads(exchange)):
            raise Skipped(NO_WRITES)

    def _reads(self, exchange: Exchange) -> bool:
        paths = [*self._posts, *(self._log_in if self._logging_in else ())]
        path = _decoded(urlsplit(exchange.url).path)
        return exchange.method == "POST" and any(pattern.fullmatch(path) for pattern in paths)


def _ends(operation: Operation) -> re.Pattern[str]:
    """Return the pattern of paths that end as that of a POST; a server puts its own beginning and prefix before it."""
    head, _, tail = operation.path.rpartition(f"/{PREFIX}")
    named = (SEGMENT if part.startswith("{") else re.escape(part) for part in PARAMETER.split(tail))
    start = f"{re.escape(head)}(?:/.+)?" if head else ""
    return re.compile(f".*{start}{''.join(named)}", re.DOTALL)


def _decoded(path: str) -> str:
    """Return a path decoded until nothing is encoded."""
    while (decoded := unquote(path)) != path:
        path = decoded
    return path
