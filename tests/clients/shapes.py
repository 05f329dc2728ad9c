"""Shapes of requests: what clients really send, as data in requests.json.

A shape has the headers, the query parameters and the fields at the top of a JSON body. Of a value in a body it keeps
what a form of requests may add: null, true, false and empty ones; of others the type. `python -m tests.clients.matrix`
records the shapes. A name with `?` is one that only some requests of the operation have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from reference_server.context import Request

REQUESTS = Path(__file__).with_name("requests.json")
OF_EVERY_CONNECTION = frozenset({"host", "content-length", "connection", "transfer-encoding", "authorization"})
VARYING = frozenset(
    {"idempotency-key", "traceparent", "x-lancedb-min-timestamp", "x-request-id"}
)  # of these the name alone is kept
LONGEST = 20  # value of a query parameter that is kept: others are tokens of pages
FEW = 2  # values of a query parameter that are kept, of more none: they are names or tokens
EMPTY = (None, True, False, {}, [], "")
Shape = Mapping[str, Mapping[str, Any]]


def shape_of(request: Request) -> Shape:
    """Return the shape of a request."""
    headers = {
        name: "" if name.lower() in VARYING else value
        for name, value in request.headers.items()
        if name.lower() not in OF_EVERY_CONNECTION
    }
    query = {name: values[-1] if len(values[-1]) <= LONGEST else "..." for name, values in request.query.items()}
    return {"headers": headers, "query": query, "body": _fields(request.body)}


def _fields(body: bytes) -> dict[str, str]:
    try:
        value = json.loads(body)
    except ValueError:  # a form or an Arrow stream
        return {}
    return {name: _kind(field) for name, field in value.items()} if isinstance(value, dict) else {}


def _kind(value: Any) -> str:
    if any(value is empty or (value == empty and type(value) is type(empty)) for empty in EMPTY):
        return json.dumps(value)
    kinds = {str: "text", int: "number", float: "number", list: "list", dict: "object"}
    return kinds[type(value)]


def merged(shapes: Iterable[tuple[str, Shape]]) -> dict[str, Any]:
    """Return the shapes of a client by operation, and the headers that all its requests have."""
    by_operation: dict[str, list[Shape]] = {}
    for operation, shape in shapes:
        by_operation.setdefault(operation, []).append(shape)
    headers = [dict(shape["headers"]) for group in by_operation.values() for shape in group]
    shared = {name: value for name, value in headers[0].items() if all(one.get(name) == value for one in headers)}
    operations = {}
    for operation, group in sorted(by_operation.items()):
        parts = {part: _values([shape[part] for shape in group]) for part in ("headers", "query", "body")}
        parts["headers"] = {name: value for name, value in parts["headers"].items() if name not in shared}
        operations[operation] = {part: values for part, values in parts.items() if values}
    return {"headers": dict(sorted(shared.items())), "operations": operations}


def _values(shapes: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the values by name that requests of an operation have; none for names of objects and the like."""
    found: dict[str, list[Any]] = {}
    for name in sorted({name for shape in shapes for name in shape}):
        values = sorted({str(shape[name]) for shape in shapes if name in shape})
        mark = "" if all(name in shape for shape in shapes) else "?"
        found[name + mark] = values if len(values) <= FEW else []
    return found


def text_of(clients: Mapping[str, Any]) -> str:
    """Return the text of requests.json: a line for each operation of a client."""
    parts = []
    for name, sent in clients.items():
        operations = [f"  {_line(operation)}: {_line(shape)}" for operation, shape in sent["operations"].items()]
        shapes = ",\n".join(operations)
        parts.append(f' {_line(name)}: {{"headers": {_line(sent["headers"])}, "operations": {{\n{shapes}}}}}')
    return "{\n" + ",\n".join(parts) + "}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
