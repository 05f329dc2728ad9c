"""Routing with prefixes: `/v1/{prefix}/...`, where the prefix is one segment, several or none at all."""

from __future__ import annotations

from collections.abc import Iterable

from reference_server.errors import RouteNotFound, WarehouseNotFound
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.routing import Parameters, Router
from specs.openapi import Document, Operation

PREFIX = "{prefix}"


class PrefixRouter:
    """Finds the operation of a path, and the warehouse by its prefix; see Routing."""

    def __init__(self, document: Document, warehouses: Iterable[Warehouse]) -> None:
        self._router = Router(document)
        self._prefixes = {warehouse.prefix: warehouse.name for warehouse in warehouses}
        self._longest = max(map(len, self._prefixes))
        paths = [operation.path.strip("/").split("/") for operation in document.operations.values()]
        self._first = {parts[2] for parts in paths if len(parts) > 2 and parts[1] == PREFIX}
        self._unprefixed = {parts[1] for parts in paths if parts[1] != PREFIX}

    def match(self, method: str, segments: list[str]) -> tuple[Operation, Parameters]:
        """Return the operation and its path parameters; `prefix` is the name of a warehouse, or is missing.

        Raises RouteNotFound, WarehouseNotFound and MethodNotAllowed.
        """
        if len(segments) < 2:
            raise RouteNotFound("There is no operation at this path.")
        first, second, *_ = segments
        if second in self._unprefixed:
            return self._router.match(method, segments)
        if second in self._first:
            operation, parameters = self._router.match(method, [first, "", *segments[1:]])
            del parameters["prefix"]
            return operation, parameters
        for count in range(self._longest, 0, -1):
            name = self._prefixes.get(tuple(segments[1 : 1 + count]))
            if name is not None:
                return self._router.match(method, [first, name, *segments[1 + count :]])
        if self._first.intersection(segments[2:]):
            raise WarehouseNotFound(f"Warehouse does not exist: {second:.300}")
        raise RouteNotFound("There is no operation at this path.")
