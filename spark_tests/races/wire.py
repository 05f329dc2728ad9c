"""Requests of clients on executors: the paths of operations, and one session for many clients."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson
from yarl import URL

from conformance.target.target import Target
from specs.identifiers import encode_segment
from specs.openapi import JSON_TYPE


@dataclass(frozen=True, slots=True)
class Wire:
    """Target in a form for executors: base URL, headers, and method and path of each offered operation."""

    url: str
    headers: Mapping[str, str]
    operations: Mapping[str, tuple[str, str]]
    timeout: float

    def target(self, operation: str, path: Mapping[str, str], query: str) -> str:
        """Return the URL of an operation, with the values of `path` percent-encoded."""
        text = self.operations[operation][1]
        for name, value in path.items():
            text = text.replace("{" + name + "}", encode_segment(value))
        return self.url + text + (f"?{query}" if query else "")


def wire_of(target: Target) -> Wire:
    """Return the wire of a target after its handshake."""
    document, client = target.document, target.client
    offered = target.offered()
    operations = {name: document.operation(name) for name in offered}
    located = {name: (operation.method, client.known.locate(operation.path)) for name, operation in operations.items()}
    return Wire(target.settings.server.rstrip("/"), dict(client.headers), located, target.settings.timeout)


@dataclass(frozen=True, slots=True)
class WireReply:
    """Response of a server: its status, 0 for no response, and its body if it is JSON."""

    status: int
    value: Any = None


class Sender:
    """Sender of requests for all clients of a partition."""

    def __init__(self, wire: Wire, session: aiohttp.ClientSession) -> None:
        self.wire = wire
        self._session = session

    def offers(self, *operations: str) -> bool:
        """True if the target offers all of the operations."""
        return all(operation in self.wire.operations for operation in operations)

    async def send(
        self,
        operation: str,
        path: Mapping[str, str],
        body: Any = None,
        *,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        patience: float | None = None,
    ) -> WireReply:
        """Send a request. With `patience`, hang up after that many seconds."""
        url = URL(self.wire.target(operation, path, query), encoded=True)
        content = None if body is None else orjson.dumps(body)
        kind = {} if body is None else {"Content-Type": JSON_TYPE}
        method = self.wire.operations[operation][0]
        sent = {**self.wire.headers, **kind, **(headers or {})}
        try:
            async with asyncio.timeout(patience or self.wire.timeout):
                async with self._session.request(method, url, headers=sent, data=content) as response:
                    return WireReply(response.status, _json(await response.read()))
        except (aiohttp.ClientError, TimeoutError):
            return WireReply(0)


def _json(body: bytes) -> Any:
    with suppress(orjson.JSONDecodeError):
        return orjson.loads(body)
    return None


def new_session() -> aiohttp.ClientSession:
    """Return a session with a connection for every client."""
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=False)
