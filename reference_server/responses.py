"""Answers on the wire: a small one is written in one piece, any other by the HTTP library.

The library builds each message step by step, because its body may come in parts. Nearly all answers here are small and
complete: writing them at once saves a quarter of a request's cost.
"""

from __future__ import annotations

import re
import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import SERVER_SOFTWARE

from reference_server.context import Reply

SMALL = 64 << 10
"""Bytes that may be written before a client has read earlier answers."""
WITHOUT_BODY = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
CUT_AT = 8  # behind the version of HTTP
_unsafe = re.compile(r"[\r\n\0]").search


def to_response(reply: Reply, raw: web.BaseRequest, request_id: str) -> web.StreamResponse:
    """Return the answer to a request as a response of the HTTP library, with its id in a header."""
    headers = {"X-Request-Id": request_id, **reply.headers}
    if reply.body:
        headers["Content-Type"] = reply.content_type
    if reply.half:
        return HalfResponse(raw, reply.status, headers, reply.body)
    if _is_simple(reply, raw) and not any(map(_unsafe, headers.values())):
        return WholeResponse(raw, reply.status, headers, reply.body)
    response = web.Response(status=reply.status, body=reply.body, headers=headers)
    if headers.get("Connection") == "close":
        response.force_close()
    return response


def _is_simple(reply: Reply, raw: web.BaseRequest) -> bool:
    """Return whether status, headers and body determine the message, and the connection stays open."""
    return (
        len(reply.body) <= SMALL
        and reply.status not in WITHOUT_BODY
        and raw.version == HttpVersion11
        and raw.method != "HEAD"
        and raw.keep_alive
        and "Connection" not in reply.headers
    )


class WholeResponse(web.StreamResponse):
    """A message that is written in one piece, after which the connection stays open."""

    def __init__(self, raw: web.BaseRequest, status: int, headers: dict[str, str], body: bytes) -> None:
        super().__init__(status=status)
        self._raw = raw
        self._lines = headers
        self._content = body

    @property
    def keep_alive(self) -> bool:
        """Return True: the connection stays open after the message."""
        return True

    @property
    def body_length(self) -> int:
        """Return the length of the body in bytes."""
        return len(self._content)

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Do nothing: the whole message is written at the end. See StreamResponse.prepare."""
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the message. Raises ConnectionResetError when the client has disconnected."""
        transport = self._raw.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("The client has closed the connection.")
        transport.write(self._head() + self._content + data)

    def _head(self) -> bytes:
        lines = "".join([f"{name}: {value}\r\n" for name, value in self._lines.items()])
        head = (
            f"HTTP/1.1 {self.status} {self.reason}\r\n{lines}Content-Length: {len(self._content)}\r\n"
            f"Date: {_date(int(time.time()))}\r\nServer: {SERVER_SOFTWARE}\r\n\r\n"
        )
        return head.encode()


class HalfResponse(WholeResponse):
    """A message that breaks off in the middle of its body, or of its first line where it has none.

    Its head declares the length of the whole body.
    """

    @property
    def keep_alive(self) -> bool:
        """Return False: the connection is closed."""
        return False

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the first half of the message and close the connection."""
        transport = self._raw.transport
        if transport is not None and not transport.is_closing():
            head, body = self._head(), self._content
            transport.write(head + body[: len(body) // 2] if body else head[:CUT_AT])
            transport.close()


@lru_cache(1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
