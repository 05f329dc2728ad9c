"""Routing with prefixes: `/v1/{prefix}/...`, where the prefix is one segment, several or none at all."""

from __future__ import annotations

from collections.abc import Callable

from reference_server.errors import RouteNotFound
from reference_server.iceberg.catalog.names import with_unit_separator
from reference_server.iceberg.errors import WarehouseNotFound
from reference_server.routing import Parameters, Router
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Document, Operation

PREFIX, NAMESPACE = "{prefix}", "namespace"
Head = tuple[str, ...]


class PrefixRoutes:
    """Routes of a document, whichever warehouses exist.

    `after` contains, by the segments in front of a prefix, the segments that follow one; `heads` are these beginnings,
    the longest first. `unprefixed` are the beginnings that the document declares without a prefix.
    """

    def __init__(self, document: Document) -> None:
        self.router = Router(document)
        paths = [tuple(operation.path.strip("/").split("/")) for operation in document.operations.values()]
        prefixed = [(path, path.index(PREFIX)) for path in paths if PREFIX in path]
        self.after: dict[Head, set[str]] = {path[:at]: set() for path, at in prefixed}
        for path, at in prefixed:
            self.after[path[:at]].add(path[at + 1])
        beginnings = {path[: len(head) + 1] for head in self.after for path in paths if path[: len(head)] == head}
        self.unprefixed = {beginning for beginning in beginnings if PREFIX not in beginning}
        self.heads = sorted(self.after, key=len, reverse=True)


class PrefixRouter:
    """Finds the operation of a path, and the warehouse by its prefix; see Routing.

    `exists` looks up a warehouse by its name at each request; None is the warehouse of paths without a prefix. Paths
    that the document declares without a prefix keep their meaning. `separator` stands between the levels of namespaces;
    the parameters have 0x1F for it.
    """

    def __init__(
        self, routes: PrefixRoutes, exists: Callable[[str | None], bool], separator: str = UNIT_SEPARATOR
    ) -> None:
        self._routes = routes
        self._router = routes.router
        self._separator = separator
        self._exists = exists

    def match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        """Return the operation and its path parameters; `prefix` is the name of a warehouse, or absent.

        Raises RouteNotFound, WarehouseNotFound, NamespaceNotFound and MethodNotAllowed.
        """
        operation, parameters = self._match(method, segments)
        if self._separator != UNIT_SEPARATOR and NAMESPACE in parameters:
            parameters[NAMESPACE] = with_unit_separator(parameters[NAMESPACE], self._separator)
        return operation, parameters

    def _match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        head = next((head for head in self._routes.heads if tuple(segments[: len(head)]) == head), None)
        if head is None or tuple(segments[: len(head) + 1]) in self._routes.unprefixed:
            return self._router.match(method, segments)
        after, rest = self._routes.after[head], segments[len(head) :]
        if rest and rest[0] in after and self._exists(None):
            operation, parameters = self._router.match(method, [*head, "", *rest])
            del parameters["prefix"]
            return operation, parameters
        ends = [end for end in range(len(rest) - 1, 0, -1) if rest[end] in after]
        for end in ends:
            name = "/".join(rest[:end])
            if self._exists(name):
                return self._router.match(method, [*head, name, *rest[end:]])
        if ends:
            raise WarehouseNotFound(f"Warehouse does not exist: {rest[0]:.300}")
        raise RouteNotFound("There is no operation at this path.")
