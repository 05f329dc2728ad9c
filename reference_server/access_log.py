"""Access log: a JSON object for each request, without secrets."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TextIO
from urllib.parse import unquote_plus

import orjson

from reference_server.context import Reply, Request
from specs.openapi import Operation
from specs.secret_names import REDACTED, is_secret


@dataclass(frozen=True, slots=True)
class AccessLog:
    """Writes a line to a stream for each request."""

    stream: TextIO

    def write(self, request: Request, operation: Operation | None, reply: Reply, seconds: float) -> None:
        """Write the line of an answered request, with its operation, if any."""
        entry = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "id": request.id,
            "method": request.method,
            "path": request.path,
            "query": shown_query(request.target.partition("?")[2]),
            "operation": operation.id if operation else None,
            "faults": request.applied,
            "status": reply.status,
            "bytes": len(reply.body),
            "ms": round(seconds * 1000, 3),
        }
        self.stream.write(json.dumps(entry) + "\n")


def shown_query(query: str) -> str:
    """Return a query, encoded as it was sent, without secret values and without JSON objects that contain secrets."""
    return "&".join(_shown(*pair.partition("=")) for pair in query.split("&"))


def _shown(name: str, sign: str, value: str) -> str:
    hidden = is_secret(unquote_plus(name)) or _holds_secrets(unquote_plus(value))
    return f"{name}={REDACTED}" if hidden and value else f"{name}{sign}{value}"


def _holds_secrets(text: str) -> bool:
    try:
        value = orjson.loads(text) if text.startswith("{") else None
    except orjson.JSONDecodeError:
        return False
    return isinstance(value, dict) and any(map(is_secret, value))
