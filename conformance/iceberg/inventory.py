"""Inventory of a run's objects in an Iceberg catalog: found by listing, dropped by name."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

from conformance.iceberg.client import IcebergClient, identifier
from conformance.target.capabilities import SEPARATOR
from conformance.target.inventory import Inventory
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_object
from conformance.values.resources import NAMESPACE, REGISTRATION, TABLE, VIEW, Names, Resource
from specs.identifiers import UNIT_SEPARATOR
from specs.openapi import Operation

RESCUED = "rescued"
PLAIN = re.compile(r"\w+", re.ASCII)
RENAMES = {TABLE: "renameTable", REGISTRATION: "renameTable", VIEW: "renameView"}


class IcebergInventory(Inventory):
    """Inventory of namespaces, tables, registrations and views."""

    drops: ClassVar = {TABLE: "dropTable", REGISTRATION: "dropTable", VIEW: "dropView", NAMESPACE: "dropNamespace"}
    makers: ClassVar = {TABLE: ("createTable",), VIEW: ("createView",), NAMESPACE: ("createNamespace",)}
    looks: ClassVar = {  # GET first: a 404 without a body may also come from a server that lacks the operation
        **dict.fromkeys((TABLE, REGISTRATION), ("loadTable", "tableExists")),
        VIEW: ("loadView", "viewExists"),
        NAMESPACE: ("loadNamespaceMetadata", "namespaceExists"),
    }
    lists: ClassVar = {
        **dict.fromkeys((TABLE, REGISTRATION), "listTables"),
        VIEW: "listViews",
        NAMESPACE: "listNamespaces",
    }
    creates: ClassVar = {
        "createNamespace": NAMESPACE,
        **dict.fromkeys(("createTable", "registerTable", "updateTable"), TABLE),
        **dict.fromkeys(("createView", "registerView"), VIEW),
    }
    renames: ClassVar = {"renameTable": TABLE, "renameView": VIEW}
    next_page = "next-page-token"
    _ignores_parents = False  # the server lists the same namespaces for every parent

    @property
    def _client(self) -> IcebergClient:
        """The operations, with the namespace separator of the configuration."""
        return IcebergClient(self.target.client, self.target.capabilities.get(SEPARATOR, UNIT_SEPARATOR))

    def prepare(self) -> None:
        """Do nothing: drops need no preparation."""

    def drop(self, resource: Resource) -> Exchange | None:
        """Drop a resource, or return None where the server cannot be asked.

        A resource with an unusual name is renamed if necessary: some servers reject the name in a path.
        """
        if not self.is_ours(resource.id) or self.drops[resource.kind] not in self.target.document.operations:
            return None
        id = tuple(resource.id)
        if resource.kind == NAMESPACE:
            return self.ask(lambda: self._client.drop_namespace(id, expect=None))
        answer = self._drop_view(id) if resource.kind == VIEW else self._drop_table(id, purge=resource.kind == TABLE)
        dropped = bool(answer and answer.succeeded) or PLAIN.fullmatch(id[-1])
        return answer if dropped else self._drop_renamed(resource.kind, id) or answer

    def _drop_view(self, id: Names) -> Exchange | None:
        return self.ask(lambda: self._client.drop_view(id, expect=None))

    def _drop_table(self, id: Names, *, purge: bool) -> Exchange | None:
        """Drop a table, with its files where the server supports purging."""
        drop = partial(self._client.drop_table, id, expect=None)
        purged = self.ask(lambda: drop(purgeRequested="true")) if purge else None
        if purged and purged.status == 204:
            return purged  # 404 may also say that a file to purge is lost
        return self.ask(drop)

    def _drop_renamed(self, kind: str, id: Names) -> Exchange | None:
        if not self.offers(RENAMES[kind]):
            return None
        plain = (*id[:-1], f"{self.target.prefix}{RESCUED}")
        body = {"source": identifier(id), "destination": identifier(plain)}
        renamed = self.ask(lambda: self._client.send(RENAMES[kind], body=body, expect=None))
        return self.drop(Resource(kind, plain)) if renamed and renamed.status < 300 else None

    def id_made(self, operation: Operation, exchange: Exchange) -> tuple[Any, ...]:
        """Return the identifier of the object that a request is about. Raises KeyError when it has none."""
        path, body = operation.path_values(urlsplit(exchange.url).path), read_object(exchange.request_body)
        if operation.id in self.renames:
            path, body = {}, body["destination"]
        separator = self.target.capabilities.get(SEPARATOR, UNIT_SEPARATOR)
        levels = path["namespace"].split(separator) if "namespace" in path else body["namespace"]
        if NAMESPACE in (self.creates.get(operation.id), self._dropped.get(operation.id)):
            return tuple(levels)
        below = [value for name, value in path.items() if name not in ("prefix", "namespace")]
        return (*levels, *(below or [body["name"]]))

    def only_stages(self, exchange: Exchange) -> bool:
        """True for a table creation that a later commit completes."""
        return exchange.operation == "createTable" and read_object(exchange.request_body).get("stage-create") is True

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Send an operation that succeeds when the resource exists."""
        paths = {NAMESPACE: self._client.namespace_path, VIEW: self._client.view_path}
        path = paths.get(resource.kind, self._client.table_path)
        return self.ask(lambda: self._client.send(operation, path(resource.id), expect=None))

    def children(self, namespace: Names) -> list[Resource]:
        """List the namespaces, tables and views in a namespace; the root has only namespaces."""
        namespaces = self._namespaces(namespace)
        if not namespace:
            return namespaces
        return [
            *namespaces,
            *self._identifiers(TABLE, "listTables", namespace),
            *self._identifiers(VIEW, "listViews", namespace),
        ]

    def _namespaces(self, parent: Names) -> list[Resource]:
        """List the namespaces in a namespace. A server that lists those of the root instead is not asked again."""
        if parent and self._ignores_parents:
            return []
        listed = self.listed(
            "listNamespaces",
            "namespaces",
            lambda token: self._client.list_namespaces(parent or None, **_page(token)),
        )
        names = [tuple(levels) for levels in listed if _are_names(levels)]
        self._ignores_parents |= bool(parent and names) and not any(id[:-1] == parent for id in names)
        return [Resource(NAMESPACE, id) for id in names if len(id) > len(parent)]

    def _identifiers(self, kind: str, operation: str, namespace: Names) -> list[Resource]:
        fetch = partial(self._client.send, operation, self._client.namespace_path(namespace))
        identifiers = self.listed(operation, "identifiers", lambda token: fetch(query=_page(token)))
        return [
            Resource(kind, (*namespace, entry["name"]))
            for entry in identifiers
            if isinstance(entry, dict) and isinstance(entry.get("name"), str)
        ]


def _page(token: str | None) -> dict[str, Any]:
    return {} if token is None else {"pageToken": token}


def _are_names(levels: Any) -> bool:
    return isinstance(levels, list) and all(isinstance(level, str) for level in levels)
