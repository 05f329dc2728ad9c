"""A proxy in front of a server: what goes through it can be looked at, changed and answered in its place.

Nothing is ever sent anywhere else than to the server behind.
"""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import urllib3

HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}
CHUNKED = ("Transfer-Encoding", "chunked")


@dataclass(frozen=True)
class Answer:
    """An answer on its way through the proxy; the headers say whether its body goes in chunks."""

    status: int
    headers: dict[str, str]
    body: bytes


class Proxy:
    """The proxy, on a port of the loopback address: by default a free one."""

    def __init__(self, server: str, port: int = 0) -> None:
        self.pool = urllib3.connection_from_url(server, maxsize=32, retries=False)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def _any(self) -> None:
                outer.answer(self, received(self))

            def __getattr__(self, name: str) -> Any:
                """Take every method."""
                if name.startswith("do_"):
                    return self._any
                raise AttributeError(name)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: object) -> None:
                """Say nothing of clients that hang up."""

        self._http = Server(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Any:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self.pool.close()

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer a request with what the server behind answers."""
        self.send(handler, self.ask(handler.command, handler.path, dict(handler.headers.items()), body))

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """Ask the server behind."""
        sent = {name: value for name, value in (headers or {}).items() if name.lower() not in (*HOP, "host")}
        answer = self.pool.urlopen(method, path, body=body, headers=sent, redirect=False)
        kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP}
        return Answer(answer.status, kept, answer.data)

    def send(self, handler: BaseHTTPRequestHandler, answer: Answer, *, drips: bool = False) -> None:
        """Send an answer to the client: byte by byte and slowly where it drips."""
        body = b"" if answer.status in (204, 304) or handler.command == "HEAD" else answer.body
        headers = {name: value for name, value in answer.headers.items() if name.lower() not in HOP}
        chunked = body and len(headers) < len(answer.headers)
        handler.send_response(answer.status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if chunked:
            handler.send_header(*CHUNKED)
            handler.end_headers()
            handler.wfile.write(
                b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in pieces(body, 1000)) + b"0\r\n\r\n"
            )
            return
        if answer.status not in (204, 304):
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        for piece in pieces(body, 1 if drips else len(body)):
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(0.05 if drips else 0)

    def close(self, handler: BaseHTTPRequestHandler) -> None:
        """End the connection without an answer."""
        handler.close_connection = True
        handler.connection.shutdown(socket.SHUT_RDWR)


def received(handler: BaseHTTPRequestHandler) -> bytes:
    """Return the body of a request: it has a length, or comes in chunks."""
    if handler.headers.get(CHUNKED[0], "").lower() != CHUNKED[1]:
        return handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
    body = b""
    while size := int(handler.rfile.readline().partition(b";")[0], 16):
        body += handler.rfile.read(size)
        handler.rfile.readline()
    while handler.rfile.readline().strip():
        """A trailer."""
    return body


def pieces(body: bytes, size: int) -> list[bytes]:
    """Cut a body."""
    return [body[start : start + size] for start in range(0, len(body), size or 1)]
