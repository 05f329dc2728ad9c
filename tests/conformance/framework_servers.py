"""Servers whose router answers in the style of a framework for what they lack, in front of the reference server.

    with serve("iceberg") as server, FrameworkServer(server.url, FASTAPI, lacking("iceberg", "views")) as strange:
        check(strange.url)

A path of no operation that the server has gets the framework's answer to unknown paths. An operation that it lacks at
the path of one that it has gets the framework's answer to wrong methods. No configuration names `endpoints`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from uuid import uuid4
from xml.sax.saxutils import escape

from specs.openapi import Document, Operation
from specs.profiles import find_profile
from tests.conformance.proxy import Answer, Proxy

Router = Callable[[str, str, str], Answer]  # method, path, and the allowed methods
JSON, HTML, TEXT, XML = "application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8", "application/xml"
PREFIX = "{prefix}/"
CONFIG = "/v1/config"


@dataclass(frozen=True)
class Framework:
    """Answers of a framework's router to an unknown path and to a wrong method; `heads` if GET serves HEAD, too."""

    name: str
    unknown_path: Router
    wrong_method: Router
    heads: bool


def _answer(status: int, kind: str, body: str, allowed: str = "") -> Answer:
    return Answer(status, {"Content-Type": kind, **({"Allow": allowed} if allowed else {})}, body.encode())


def _detail(status: int, words: str) -> Router:
    return lambda _method, _path, allowed: _answer(status, JSON, json.dumps({"detail": words}), allowed)


def _spring(status: int, error: str, message: str) -> Router:
    def answer(method: str, path: str, allowed: str) -> Answer:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        said = {"timestamp": now, "status": status, "error": error, "message": message.format(method, path[1:])}
        return _answer(status, JSON, json.dumps({**said, "path": path}), allowed)

    return answer


def _advice(kind: str, message: str) -> Router:
    """Answers of a handler that turns every exception of the framework into a 500 in the API's error body."""

    def answer(method: str, path: str, _allowed: str) -> Answer:
        error = {"message": message.format(method, path[1:]), "type": kind, "code": 500}
        return _answer(500, JSON, json.dumps({"error": error}))

    return answer


def _page(method: str, path: str, _allowed: str) -> Answer:
    words = escape(f"Cannot {method} {path}")
    return _answer(404, HTML, f'<!DOCTYPE html>\n<html lang="en">\n<body>\n<pre>{words}</pre>\n</body>\n</html>\n')


def _document(_method: str, path: str, _allowed: str) -> Answer:
    words = (
        f"<Code>NoSuchResource</Code><Resource>{escape(path)}</Resource><RequestId>{uuid4().hex.upper()}</RequestId>"
    )
    return _answer(404, XML, f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{words}</Error>')


def _text(_method: str, _path: str, _allowed: str) -> Answer:
    return _answer(404, TEXT, "404 page not found")


FASTAPI = Framework("fastapi", _detail(404, "Not Found"), _detail(405, "Method Not Allowed"), heads=False)
GIN = Framework("gin", _text, _text, heads=False)
SPRING = Framework(
    "spring",
    _spring(404, "Not Found", "No static resource {1}."),
    _spring(405, "Method Not Allowed", "Method '{0}' is not supported."),
    heads=True,
)
EXPRESS = Framework("express", _page, _page, heads=True)
CAUGHT = Framework(
    "spring that catches all",
    _advice("NoResourceFoundException", "404 NOT_FOUND: No static resource {1}."),
    _advice("HttpRequestMethodNotSupportedException", "405 METHOD_NOT_ALLOWED: {0} is not allowed"),
    heads=True,
)
STORE = Framework("object store", _document, _document, heads=False)
FRAMEWORKS = (FASTAPI, GIN, SPRING, EXPRESS, CAUGHT, STORE)


def lacking(api: str, group: str, *kept: str) -> frozenset[str]:
    """Return the operations of a group of an API without some that are kept."""
    return find_profile(api).groups()[group] - {*kept}


class FrameworkServer(Proxy):
    """A proxy that serves the operations of an API but the removed ones, as a server made with a framework."""

    def __init__(self, server: str, framework: Framework, api: str, removed: Collection[str]) -> None:
        super().__init__(server)
        self._framework = framework
        document: Document = find_profile(api).document()
        self._kept = [operation for operation in document.operations.values() if operation.id not in removed]

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = handler.path.partition("?")[0]
        methods = {operation.method for operation in self._kept if _is_at(operation, path)}
        if self._framework.heads and "GET" in methods:
            methods.add("HEAD")
        if handler.command in methods:
            self.send(
                handler, _silent(path, self.ask(handler.command, handler.path, dict(handler.headers.items()), body))
            )
        else:
            route = self._framework.wrong_method if methods else self._framework.unknown_path
            self.send(handler, route(handler.command, path, ", ".join(sorted(methods))))


def _is_at(operation: Operation, path: str) -> bool:
    """True when a path is one of an operation, with a prefix or without."""
    return any(_matches(template, path.split("/")) for template in (operation.path, operation.path.replace(PREFIX, "")))


def _matches(template: str, parts: list[str]) -> bool:
    names = template.split("/")
    pairs = zip(names, parts, strict=False)
    return len(names) == len(parts) and all(name.startswith("{") or name == part for name, part in pairs)


def _silent(path: str, answer: Answer) -> Answer:
    """Return an answer without `endpoints`, if it is a configuration."""
    if not path.endswith(CONFIG) or answer.status != 200:
        return answer
    config = {name: value for name, value in json.loads(answer.body).items() if name != "endpoints"}
    return Answer(answer.status, answer.headers, json.dumps(config).encode())
