"""Journal: the latest requests of a tenant with their answers, in bounded memory.

Adding a request stores references and parses nothing. The journal is read rarely: only then entries.py finds the
operation, decodes bodies and hides secrets.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from reference_server.context import Reply, Request

MOST = 1_000
"""Maximum number of requests in a journal."""
MOST_BYTES = 4 << 20
"""Maximum size of a journal; the latest request is kept in any case."""
HEAD_BYTES = 2 << 10
"""Approximate size of an exchange beside its bodies."""
LARGEST_BODY = 64 << 10
"""Longest stored body of a request or an answer; of a longer one the beginning is stored."""


class Exchange(NamedTuple):
    """A request and its answer, whose status is 0 if the server cut the connection.

    Bodies may be cut; `lengths` are those of the whole bodies. `ended` is in Unix seconds.
    """

    request: Request
    reply: Reply
    lengths: tuple[int, int]
    seconds: float
    ended: float


class Journal:
    """The latest exchanges of a tenant, at most `most_bytes` of them; `complete` until the first one is removed."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._exchanges: deque[Exchange] = deque()
        self._bytes = 0
        self._most_bytes = most_bytes
        self.complete = True

    def add(self, request: Request, reply: Reply, seconds: float) -> Exchange:
        """Add an answered request and return its exchange; the oldest ones make room."""
        sent, answered = lengths = len(request.body), len(reply.body)
        if sent > LARGEST_BODY:
            request.body = request.body[:LARGEST_BODY]
        if answered > LARGEST_BODY:
            reply = replace(reply, body=reply.body[:LARGEST_BODY])
        exchange = Exchange(request, reply, lengths, seconds, time.time())
        self._exchanges.append(exchange)
        self._bytes += _size(exchange)
        if self._bytes > self._most_bytes or len(self._exchanges) > MOST:
            self._make_room()
        return exchange

    def _make_room(self) -> None:
        while len(self._exchanges) > MOST or (self._bytes > self._most_bytes and len(self._exchanges) > 1):
            self._bytes -= _size(self._exchanges.popleft())
            self.complete = False

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def clear(self) -> None:
        """Remove all requests."""
        self.complete = self.complete and not self._exchanges
        self._exchanges.clear()
        self._bytes = 0


def _size(exchange: Exchange) -> int:
    return HEAD_BYTES + len(exchange.request.body) + len(exchange.reply.body)
