"""The reference server with a group of operations taken away, in the ways in which servers lack operations.

    with partial_server("iceberg", "views", "text_404", said=True) as server: check(server.url, api="iceberg")

A group is a predicate on the operations of the document. A removed operation gets the answer of its form; where the
server says what it has, `endpoints` of getConfig does not name it, else there are no `endpoints`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson

from lakeproof import Server, serve
from reference_server.context import Reply
from reference_server.errors import Internal, MethodNotAllowed, RouteNotFound, Unsupported
from reference_server.faults import Call, Fault, Proceed
from specs.openapi import Document, Operation

CONFIGURATION = ("getConfig", "getToken", "ListNamespaces", "listCatalogs")  # what a handshake needs
READ = re.compile(r"(List|Describe|Get|Count|Query|Explain|Analyze)\w+|\w+Exists")
TEXT = "text/plain"
ENDPOINTS = "endpoints"


def _about(*words: str) -> Callable[[Operation], bool]:
    """Return the predicate of operations whose last fixed segments of the path are about these resources."""
    return lambda operation: any(word in operation.path for word in words)


def is_read(operation: Operation) -> bool:
    """True for an operation that changes nothing."""
    return operation.method in ("GET", "HEAD") or (operation.method == "POST" and bool(READ.fullmatch(operation.id)))


def _namespaces(operation: Operation) -> bool:
    """True for operations on namespaces themselves."""
    return bool(re.search(r"/(namespaces?(/\{\w+\})?(/(properties|create|list|describe|drop|exists))?)$", operation.path))


GROUPS: dict[str, Callable[[Operation], bool]] = {
    "views": _about("view"),
    "writes": lambda operation: not is_read(operation) and operation.id not in CONFIGURATION,
    "tables": _about("/table", "/register", "/transaction"),
    "namespaces": _namespaces,
    "management": lambda operation: "/management/" in operation.path,
    "policies": _about("polic", "generic-table", "notifications"),
    "indices": _about("index", "/tags/", "/transaction"),
    "versions": _about("/version/", "batch"),
    "data": lambda operation: "Data" in operation.tags and operation.id != "CreateTable",
    "all_but_configuration": lambda operation: operation.id not in CONFIGURATION,
}
GROUPS_OF = {
    "iceberg": ("views", "writes", "tables", "namespaces", "all_but_configuration"),
    "lance": ("indices", "versions", "data", "writes", "tables", "namespaces", "all_but_configuration"),
    "polaris": ("views", "writes", "tables", "namespaces", "policies", "management", "all_but_configuration"),
}


def _text(status: int, said: bytes) -> Callable[[Call], Reply]:
    return lambda _call: Reply(status, said, TEXT)


def _raised(error: Callable[[Call], Exception]) -> Callable[[Call], Reply]:
    def answer(call: Call) -> Reply:
        raise error(call)

    return answer


FORMS: dict[str, Callable[[Call], Reply]] = {
    "text_404": _text(404, b"404 page not found\n"),
    "error_404": _raised(lambda _: RouteNotFound("There is no operation at this path.")),
    "error_405": _raised(lambda call: MethodNotAllowed(call.request.method, ["OPTIONS"])),
    "error_406": _raised(lambda call: Unsupported(f"This server does not implement {call.operation.id}.")),
    "text_500": _text(500, b"Internal Server Error\n"),
}
ROUTERS = ("text_404", "text_500")  # the answer to every path that the server does not know


def removed(document: Document, group: str) -> set[str]:
    """The operations of a group."""
    return {operation.id for operation in document.operations.values() if GROUPS[group](operation)}


def lacking(document: Document, operations: set[str], form: str, *, said: bool) -> Fault:
    """Return the fault of a server without these operations."""
    kept = {f"{op.method} {op.own_path}" for op in document.operations.values() if op.id not in operations}

    async def around(call: Call, proceed: Proceed) -> Reply:
        known = call.operation.id
        if known in operations or (not known and form in ROUTERS):
            return FORMS[form](call)
        reply = await proceed()
        return _saying(reply, kept if said else set()) if known == "getConfig" and reply.status == 200 else reply

    return Fault(f"lacks-{form}", "Operations are missing.", frozenset(), around)


def _saying(reply: Reply, kept: set[str]) -> Reply:
    """Return a configuration that names these endpoints alone, or none."""
    config: dict[str, Any] = orjson.loads(reply.body)
    named = [entry for entry in config.pop(ENDPOINTS) if entry in kept]
    reply.body = orjson.dumps({**config, ENDPOINTS: named} if named else config)
    return reply


@contextmanager
def partial_server(
    api: str, operations: set[str], form: str, *, said: bool, **settings: Any
) -> Iterator[Server]:
    """Yield a server of an API without these operations."""
    with serve(api, **settings) as server:
        app = server._app
        document = next(iter(app.apis.values())).document
        app.faults = (lacking(document, operations, form, said=said),)
        yield server
