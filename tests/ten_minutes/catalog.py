"""An incomplete catalog: `python -m tests.ten_minutes.catalog --port 8181`. It has namespaces, and lists no tables.

Its router knows no names with braces, as routers whose patterns have braces do. docs/ci-in-ten-minutes.md is followed
with it.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

ENDPOINTS = [
    *(f"{method} /v1/{{prefix}}/namespaces" for method in ("GET", "POST")),
    *(f"{method} /v1/{{prefix}}/namespaces/{{namespace}}" for method in ("GET", "DELETE")),
    "GET /v1/{prefix}/namespaces/{namespace}/tables",
]
CONFIG = {"defaults": {}, "overrides": {}, "endpoints": ENDPOINTS}
LEVELS = "\x1f"


class Handler(BaseHTTPRequestHandler):
    """Answers a request."""

    protocol_version = "HTTP/1.1"
    server: IncompleteCatalog

    def do_GET(self) -> None:
        """Answer any method."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = unquote(urlsplit(self.path).path)
        status, content = (404, None) if {*path} & {*"{}"} else self.answer(self.command, path.split("/")[2:], body)
        raw = b"404 page not found\n" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if content is None else "application/json")
        self.send_header("Content-Length", str(0 if status == 204 else len(raw)))
        self.end_headers()
        self.wfile.write(b"" if status == 204 or self.command == "HEAD" else raw)

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

    def answer(self, method: str, parts: list[str], body: bytes) -> tuple[int, Any]:
        """Return status and JSON of an answer, no JSON for an unknown path."""
        known = self.server.namespaces
        name, rest = parts[1] if len(parts) > 1 else "", parts[2:]
        if (method, parts) == ("GET", ["config"]):
            return 200, CONFIG
        if (method, parts) == ("GET", ["namespaces"]):
            return 200, {"namespaces": [name.split(LEVELS) for name in known]}
        if (method, parts) == ("POST", ["namespaces"]):
            return self.create(body)
        if parts[:1] != ["namespaces"] or (method, rest) not in (("GET", []), ("DELETE", []), ("GET", ["tables"])):
            return 404, None
        if name not in known:
            return error(404, "NoSuchNamespaceException")
        if method == "DELETE":
            del known[name]
            return 204, {}
        return 200, {"identifiers": []} if rest else {"namespace": name.split(LEVELS), "properties": known[name]}

    def create(self, body: bytes) -> tuple[int, Any]:
        """Create a namespace."""
        try:
            asked = json.loads(body)
            name = LEVELS.join(asked["namespace"])
        except (ValueError, TypeError, LookupError):
            return error(400, "BadRequestException")
        if name in self.server.namespaces:
            return error(409, "AlreadyExistsException")
        self.server.namespaces[name] = asked.get("properties") or {}
        return 200, {"namespace": asked["namespace"], "properties": self.server.namespaces[name]}

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class IncompleteCatalog(ThreadingHTTPServer):
    """The catalog on a port of this machine."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.namespaces: dict[str, Any] = {}

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.server_address[1]}"


def error(status: int, kind: str) -> tuple[int, Any]:
    """Return an error of the API."""
    return status, {"error": {"message": kind, "type": kind, "code": status}}


if __name__ == "__main__":
    IncompleteCatalog(int(sys.argv[2])).serve_forever()
