"""Router of a document: path templates form a tree of segments, searched in one walk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from reference_server.errors import MethodNotAllowed, RouteNotFound
from specs.openapi import Document, Operation

Parameters = dict[str, str]


class Routing(Protocol):
    """Finds the operation of a method and a path."""

    def match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        """Return the operation and its path parameters; `segments` are percent-decoded. See Router.match."""


@dataclass(slots=True)
class _Node:
    static: dict[str, _Node] = field(default_factory=dict)
    named: dict[str, _Node] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)


class Router:
    """Finds the operation of a method and a path."""

    def __init__(self, document: Document) -> None:
        self._root = _Node()
        for operation in document.operations.values():
            self._add(operation)

    def _add(self, operation: Operation) -> None:
        node = self._root
        for segment in operation.path.strip("/").split("/"):
            if segment.startswith("{"):
                node = node.named.setdefault(segment.strip("{}"), _Node())
            else:
                node = node.static.setdefault(segment, _Node())
        node.operations[operation.method] = operation

    def match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        """Return the operation and its path parameters; `segments` are percent-decoded.

        Literal segments take precedence over parameters, and a dead end is left again: a table named `version` is
        reachable although a path has that word. Raises RouteNotFound, or MethodNotAllowed with the existing methods.
        """
        allowed: set[str] = set()
        route = _walk(self._root, method, segments, 0, {}, allowed)
        if route:
            return route
        if allowed:
            raise MethodNotAllowed(method, sorted(allowed))
        raise RouteNotFound("There is no operation at this path.")


def _walk(
    node: _Node, method: str, segments: list[str], at: int, parameters: Parameters, allowed: set[str]
) -> tuple[Operation, Parameters] | None:
    if at == len(segments):
        allowed.update(node.operations)
        operation = node.operations.get(method)
        return (operation, parameters) if operation else None
    segment = segments[at]
    if segment in node.static:
        route = _walk(node.static[segment], method, segments, at + 1, parameters, allowed)
        if route:
            return route
    for name, child in node.named.items():
        route = _walk(child, method, segments, at + 1, {**parameters, name: segment}, allowed)
        if route:
            return route
    return None
