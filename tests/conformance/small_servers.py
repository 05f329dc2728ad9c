"""Small servers for one test each: one whose answers a function makes, and a proxy that a function meddles with."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.conformance.strange_server import Habits, StrangeServer

LISTING = {"namespaces": []}


class DeadlineClock:
    """Clock of the deadlines of requests: a test lets the time of the request that is under way pass."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        """Return the time in seconds."""
        return time.monotonic() + self.ahead

    def hang(self, handler: BaseHTTPRequestHandler) -> None:
        """Let an hour pass, and then send a byte now and then, for ever."""
        self.ahead += 3600
        drip(handler, b"")


class SmallServer:
    """`answer(handler, number)` answers each request; `asked` are those that came, as method and path."""

    def __init__(self, answer: Callable[[BaseHTTPRequestHandler, int], object], port: int = 0) -> None:
        self.asked: list[tuple[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.asked.append((self.command, self.path))
                answer(self, len(outer.asked))

            do_POST = do_DELETE = do_HEAD = do_GET  # noqa: N815 - the names that http.server calls

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._http = QuietServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> SmallServer:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Take no more connections."""
        self._http.shutdown()
        self._http.server_close()


class QuietServer(ThreadingHTTPServer):
    """Says nothing of clients that hang up, and waits for none."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Say nothing."""


class Meddler(StrangeServer):
    """A proxy before a good server: where `meddle(self, handler, number)` is true, it has answered itself."""

    def __init__(self, server: str, meddle: Callable[[Meddler, BaseHTTPRequestHandler, int], bool]) -> None:
        super().__init__(server, Habits(0, {}, 0))
        self._meddle = meddle
        self._count = threading.Lock()
        self.asked = 0

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        with self._count:
            self.asked += 1
            number = self.asked
        if not self._meddle(self, handler, number):
            super().answer(handler, body)

    def vanish(self, handler: BaseHTTPRequestHandler) -> None:
        """Break this connection and take no more."""
        stopping = threading.Thread(target=self.__exit__)
        stopping.start()
        hang_up(handler)


def say(handler: BaseHTTPRequestHandler, status: int = 200, body: object = LISTING, **headers: str) -> bool:
    """Answer with JSON; underscores in names of headers are dashes."""
    raw = json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"Content-Type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)
    return True


def turn_away(handler: BaseHTTPRequestHandler, status: int = 503, **headers: str) -> bool:
    """Answer in the server's place."""
    return say(handler, status, {"error": "come back later"}, **headers)


def hang_up(handler: BaseHTTPRequestHandler) -> bool:
    """Break the connection."""
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)
    return True


def drip(handler: BaseHTTPRequestHandler, start: bytes) -> None:
    """Send the start of an answer and go on with a byte now and then, for ever."""
    handler.wfile.write(start)
    while True:
        handler.wfile.flush()
        time.sleep(0.02)
        handler.wfile.write(b"x")
